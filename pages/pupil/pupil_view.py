"""What the page of pupil and teacher draws: a text scored by two models, three texts of a cascade, and an evaluation."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.experiments.cascade import CascadeScore, CascadeToken
from core.experiments.student_report import StudentReport
from core.experiments.two_models import JudgedParts, JudgedToken, ModelFigures, Side, side
from pages.ui.charts import serving_charts
from pages.ui.charts.legend import legend
from pages.ui.charts.palette import DARKEST
from pages.ui.charts.token_text import Word, shown
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.experiments.experiment import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.names import COUNTED_RATES
from pages.ui.i18n.translation import _, written
from pages.ui.server import loaded_models
from pages.ui.session import elements
from pages.ui.views import chart

DEEPEST = 6.0  # bits of difference with the darkest tint
LEAST = 0.05  # bits of surprise below which no number is shown
MOST_SURPRISE = 40.0  # bits at which the bars are cut


def draw_judged(run: Experiment) -> None:
    """Draw the text with the surprise of both models, the probabilities at one place, and both models in figures."""
    seen = [one for one in run.seen if isinstance(one, JudgedToken)]
    if not seen:
        return
    one, two, prompt_tokens = run.about
    names = (loaded_models.title(one.name), loaded_models.title(two.name))
    elements.section(_("The text, token by token"), _("surprise of both models, bits"))
    same_tokens = seen[0].judge is not None
    if same_tokens:
        more = _("{name} gave it more")
        legend(("dice", more.format(name=names[0])), ("other", more.format(name=names[1])))
    words, alt_text = [word(token, names) for token in seen], _("The text, token by token")
    scored_text(words, key="pupil_text", alt_text=alt_text, size="1.15rem", max_height="17rem")
    if same_tokens:
        st.caption(_("Below each token: its surprise for {writer} · {judge}, in bits.").format(writer=names[0], judge=names[1]))
        left, right = st.columns(2, gap="large")
        with left:
            elements.section(_("Both probabilities at one place"), _("next-token distributions, before any setting"))
            probabilities(seen[place_looked_at(seen, run.running)], names)
        with right:
            elements.section(_("Surprise along the text"), _("up: {writer}, down: {judge}").format(writer=names[0], judge=names[1]))
            surprises(seen)
    for found in run.seen:
        if isinstance(found, JudgedParts):
            parts(found, names)
    figures(seen, names, (one, two), prompt_tokens)


def word(one: JudgedToken, names: tuple[str, str]) -> Word:
    """Return a token with both surprises below it, tinted by the model that gave it the higher probability."""
    mine, theirs = one.writer, one.judge
    text, head = shown(one.text, one.piece, one.raw), f"id {one.token_id}"
    seen_by = [(names[0], mine)] + ([] if theirs is None else [(names[1], theirs)])
    lines = [
        _("{name}: {share}, {bits}, rank {rank}").format(
            name=name, share=numbers.percent(by.probability), bits=numbers.bits(by.surprise), rank=numbers.whole(by.rank)
        )
        for name, by in seen_by
    ]
    if theirs is None:
        return Word(text, head=head, lines=tuple(lines), below=_bits(mine.surprise))
    lines += [_("likeliest for {name}: {piece}").format(name=name, piece=by.favourite) for name, by in seen_by if by.rank > 1]
    apart = theirs.surprise - mine.surprise
    depth = DARKEST * min(1.0, abs(apart) / DEEPEST) if math.isfinite(apart) else DARKEST
    below = f"{_bits(mine.surprise)} · {_bits(theirs.surprise)}" if max(mine.surprise, theirs.surprise) >= LEAST else ""
    return Word(text, "dice" if apart > 0 else "other", depth, head=head, lines=tuple(lines), below=below)


def _bits(value: float) -> str:
    return "∞" if math.isinf(value) else numbers.decimal(value, 1)


def place_looked_at(seen: list[JudgedToken], running: bool) -> int:
    """Draw the choice of a place and return it; the newest place while the experiment runs."""
    count = len(seen)
    if running or count < 2:
        return count - 1
    usual = min(range(count), key=lambda place: seen[place].overlap) + 1
    first = _("Whose probabilities are shown. At first the place where both models differ most.")
    return int(st.slider(_("Place in the text"), 1, count, usual, key=f"pupil_place_{count}", help=first)) - 1


def probabilities(one: JudgedToken, names: tuple[str, str]) -> None:
    """Draw both distributions at one place, mirrored."""
    assert one.judge is not None
    kinds = (("dice", names[0]), ("other", names[1]))
    legend(*kinds)
    labels = [(numbers.percent(mine), numbers.percent(theirs)) for mine, theirs in zip(one.writer_odds, one.judge_odds, strict=True)]
    table = pd.DataFrame(
        {
            "place": range(len(one.pieces)),
            "piece": one.pieces,
            "left": one.writer_odds,
            "right": one.judge_odds,
            "left_label": [mine for mine, _theirs in labels],
            "right_label": [theirs for _mine, theirs in labels],
            "chosen": [number == one.place for number in range(len(one.pieces))],
        }
    )
    shown = "; ".join(f"{row.piece} {row.left_label} {row.right_label}" for row in table.itertuples())
    alt_text = f"{_('Both probabilities at one place')}: {shown}"
    chart.draw(
        serving_charts.mirrored,
        table,
        key="pupil_odds",
        title=_("Both probabilities at one place"),
        alt_text=alt_text,
        legend=kinds,
        rows=len(table),
    )
    st.caption(
        _("Overlap of both distributions: {share}. Entropy: {writer} and {judge}.").format(
            share=numbers.percent(one.overlap), writer=numbers.bits(one.writer.entropy), judge=numbers.bits(one.judge.entropy)
        )
    )


def surprises(seen: list[JudgedToken]) -> None:
    """Draw both models' surprise along the text."""
    table = pd.DataFrame(
        [
            {
                "place": one.index + 1,
                "up": min(MOST_SURPRISE, one.writer.surprise),
                "down": min(MOST_SURPRISE, one.judge.surprise),
                "tip": f"{one.piece}  {_bits(one.writer.surprise)} · {_bits(one.judge.surprise)}",
            }
            for one in seen
            if one.judge is not None
        ]
    )
    chart.draw(serving_charts.two_surprises, table, key="pupil_surprises", alt_text=_("Surprise along the text"))


def parts(found: JudgedParts, names: tuple[str, str]) -> None:
    """Draw the text in parts at whose ends both models have a token's end, for models with different tokens."""
    elements.section(_("The text, part by part"), _("surprise per character"))
    per_character = _("{name}: {bits} bits per character")
    words = []
    for one in found.parts:
        both = (one.writer_bits / len(one.text), one.judge_bits / len(one.text))
        lines = tuple(per_character.format(name=name, bits=numbers.decimal(bits, 2)) for name, bits in zip(names, both, strict=True))
        depth = DARKEST * min(1.0, abs(one.difference) / (DEEPEST / 3))
        below = " · ".join(numbers.decimal(bits, 1) for bits in both)
        words.append(Word(one.text.replace(" ", "␣"), "dice" if one.difference > 0 else "other", depth, lines=lines, below=below))
    scored_text(words, key="pupil_parts", alt_text=_("The text, part by part"), size="1.15rem")
    characters = sum(len(part.text) for part in found.parts)
    if characters:
        mine = sum(part.writer_bits for part in found.parts) / characters
        theirs = sum(part.judge_bits for part in found.parts) / characters
        tokens = _("The two models have different tokens, so they are compared by the character: {writer} {mine}, {judge} {theirs}.")
        st.caption(tokens.format(writer=names[0], judge=names[1], mine=numbers.bits(mine), theirs=numbers.bits(theirs)))


def figures(seen: list[JudgedToken], names: tuple[str, str], models: tuple[ModelFigures, ModelFigures], prompt_tokens: int) -> None:
    """Draw size, cost and surprise of both models."""
    elements.section(_("In figures"), _("measured, unless it says computed"))
    judged = [one for one in seen if one.judge is not None]
    context = prompt_tokens + len(seen)
    sides = [side(models[0], [one.writer for one in seen], context)]
    if judged:
        same = sum(one.agreed for one in judged)
        overlap = sum(one.overlap for one in judged) / len(judged)
        agreed = _("Same likeliest token at **{same} of {count}** places ({share}); mean overlap {overlap}.")
        share = numbers.percent(same / len(judged))
        st.markdown(agreed.format(same=same, count=len(judged), share=share, overlap=numbers.percent(overlap)))
        sides.append(side(models[1], [one.judge for one in judged if one.judge is not None], context))
    titles = (
        _("parameters"),
        _("surprise per token of this text"),
        _("time per token · tokens per second"),
        _("weights"),
        _("KV cache for this text (computed)"),
        _("multiply-adds per token (computed)"),
    )
    elements.table((_("figure"), *names[: len(sides)]), list(zip(titles, *map(_column, sides), strict=True)))
    st.caption(_(COUNTED_RATES["passes"]))
    if len(sides) == 2 and all(math.isfinite(one.bits_per_token) for one in sides):
        more = sides[1].bits_per_token - sides[0].bits_per_token
        surprise = (
            _("{writer} wrote the text, which is an advantage. {judge} has {more} more surprise per token.")
            if more >= 0
            else _("{judge} did not write the text, but has {more} less surprise per token than {writer}.")
        )
        st.caption(surprise.format(writer=names[0], judge=names[1], more=numbers.bits(abs(more))))


def _column(one: Side) -> list[str]:
    speed = "–"
    if one.seconds_per_token:
        speed = f"{numbers.duration(one.seconds_per_token)} · {numbers.whole(1 / one.seconds_per_token)}"
    sizes = [numbers.size(one.weight_bytes), numbers.size(one.cache_bytes), numbers.count(one.multiply_adds)]
    return [numbers.count(one.parameters), numbers.bits(one.bits_per_token), speed, *sizes]


def draw_cascade(run: Experiment) -> None:
    """Draw the three texts and their costs."""
    tokens = [one for one in run.seen if isinstance(one, CascadeToken)]
    legend(("computed", _("written by the large model")))
    alone = _("{name} alone")
    titles = (_("Together"), *(alone.format(name=loaded_models.title(name)) for name in run.about))
    scores = {one.run: one.bits_per_token for one in run.seen if isinstance(one, CascadeScore)}
    rows: list[tuple[str, ...]] = []
    sums: list[tuple[float, float, float]] = []
    for number, (home, title) in enumerate(zip(st.columns(3, gap="large"), titles, strict=True)):
        mine = [token for token in tokens if token.run == number]
        with home:
            st.caption(title)
            words = [cascade_word(one, number == 0) for one in mine if one.text]  # an end token has no text
            scored_text(words, key=f"pupil_cascade_{number}", alt_text=title, size="1rem", max_height="14rem")
        if mine:
            share = sum(not one.by_large for one in mine) / len(mine)
            work, seconds = sum(one.multiply_adds for one in mine), sum(one.seconds for one in mine)
            sums.append((share, work, seconds))
            surprise = numbers.bits(scores[number]) if number in scores else "…"
            rows.append((title, numbers.percent(share), surprise, numbers.count(work), numbers.duration(seconds)))
    by_small, surprise = _("tokens by the small model"), _("surprise of the large model, per token")
    elements.table((_("text"), by_small, surprise, _("multiply-adds (computed)"), _("time of the passes")), rows)
    if not run.running and len(sums) == 3:
        together, _small, large = sums
        sentence = _(
            "The small model wrote **{share}** of the tokens, with **{work}** the multiply-adds and **{time}** the time of the large one."
        )
        times = [f"{written(together[at] / large[at], '.2g')} ×" for at in (1, 2)]
        st.markdown(sentence.format(share=numbers.percent(together[0]), work=times[0], time=times[1]))
        st.caption(_("The large model must also read the tokens of the small one, in one pass, so these tokens cost it work, too."))


def cascade_word(one: CascadeToken, tinted: bool) -> Word:
    """Return a token of the cascade; those of the large model are tinted."""
    line = _("written by the large model") if one.by_large else _("written by the small model")
    if not math.isnan(one.entropy):
        line = _("{who}; entropy {bits}").format(who=line, bits=numbers.bits(one.entropy))
    text = one.text.replace(" ", "␣").replace("\n", "↵")
    return Word(text, "computed", 0.3 if one.by_large and tinted else 0.0, lines=(line,))


def draw_evaluation(run: Experiment) -> None:
    """Draw facts, perplexity and agreement as a table."""
    found: dict[str, StudentReport] = {one.name: one for one in run.seen}
    head = (
        _("model"),
        _("size"),
        _("facts right"),
        _("perplexity of the story"),
        _("same likeliest token as the teacher"),
        _("divergence (KL, nats)"),
    )
    rows = []
    for one in found.values():
        facts = _("{count} of {total}").format(count=one.right, total=one.asked) if one.asked else "…"
        kl = "–" if math.isnan(one.kl) else written(one.kl, ".2f")
        size = numbers.count(one.parameters)
        rows.append((loaded_models.title(one.name), size, facts, numbers.perplexity(one.perplexity), numbers.percent(one.kept), kl))
    elements.table(head, rows)
    st.caption(
        _(
            "A fact is right if every token of the answer is the likeliest one. The facts are worded as in the bundled training text. "
            "The story was made like the training stories, and no training has read it. On other kinds of text, the order can be another."
        )
    )
    if run.about:
        twin = _(
            "**{twin}** has the pupil's size and was trained on the texts alone; the pupil also on the teacher's probabilities. "
            "Each was trained once, so small differences can be chance."
        )
        st.caption(twin.format(twin=loaded_models.title(run.about[0])))
