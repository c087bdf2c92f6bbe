"""What the page of pupil and teacher draws: a text scored by two models, three texts of a cascade, and an evaluation."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from core.experiments.pupil.cascade import CascadeScore, CascadeToken
from core.experiments.pupil.student_report import StudentReport
from core.experiments.pupil.two_models import JudgedParts, JudgedToken, ModelFigures, Side, side
from pages.ui.charts.css_colours import Palette, legend
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.charts.step_tables import Word, shown
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.names import COUNTED_RATES
from pages.ui.i18n.numbers import written
from pages.ui.i18n.translation import _
from pages.ui.server import offered_models
from pages.ui.session import elements
from pages.ui.views import chart

DEEPEST = 6.0  # bits of difference with the darkest tint
LEAST = 0.05  # bits of surprise below which no number is shown
MOST_SURPRISE = 40.0  # bits at which the bars are cut


def draw_judged(run: Experiment) -> None:
    """Draw the text with the surprise of both models, the probabilities at one place, and both models in figures."""
    observations = [token for token in run.observations if isinstance(token, JudgedToken)]
    if not observations:
        return
    writer, judge, prompt_tokens = run.about
    names = (offered_models.title(writer.name), offered_models.title(judge.name))
    elements.section(_("The text, token by token"), _("surprise of both models, bits"))
    same_tokens = observations[0].judge is not None
    if same_tokens:
        more = _("{name} gave it more")
        legend(("dice", more.format(name=names[0])), ("other", more.format(name=names[1])))
    words, alt_text = [word(token, names) for token in observations], _("The text, token by token")
    scored_text(words, key="pupil_text", alt_text=alt_text, size="1.15rem", max_height="17rem")
    if same_tokens:
        st.caption(_("Below each token: its surprise for {writer} · {judge}, in bits.").format(writer=names[0], judge=names[1]))
        left, right = st.columns(2, gap="large")
        with left:
            elements.section(_("Both probabilities at one place"), _("next-token distributions, before any setting"))
            probabilities(observations[place_looked_at(observations, run.running)], names)
        with right:
            elements.section(_("Surprise along the text"), _("up: {writer}, down: {judge}").format(writer=names[0], judge=names[1]))
            surprises(observations)
    for event in run.observations:
        if isinstance(event, JudgedParts):
            parts(event, names)
    figures(observations, names, (writer, judge), prompt_tokens)


def word(token: JudgedToken, names: tuple[str, str]) -> Word:
    """Return a token with both surprises below it, tinted by the model that gave it the higher probability."""
    mine, theirs = token.writer, token.judge
    text, head = shown(token.text, token.piece, token.raw), f"id {token.token_id}"
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
    below = f"{_bits(mine.surprise)} · {_bits(theirs.surprise)}" if max(mine.surprise, theirs.surprise) >= LEAST else ""
    return Word.signed(text, apart, DEEPEST, head=head, lines=tuple(lines), below=below)


def _bits(value: float) -> str:
    return "∞" if math.isinf(value) else numbers.decimal(value, 1)


def place_looked_at(observations: list[JudgedToken], running: bool) -> int:
    """Draw the choice of a place and return it; the newest place while the experiment runs."""
    count = len(observations)
    if running or count < 2:
        return count - 1
    usual = min(range(count), key=lambda index: observations[index].overlap) + 1
    first = _("Whose probabilities are shown. At first the place where both models differ most.")
    return int(st.slider(_("Place in the text"), 1, count, usual, key=f"pupil_place_{count}", help=first)) - 1


def probabilities(token: JudgedToken, names: tuple[str, str]) -> None:
    """Draw both distributions at one place, mirrored."""
    assert token.judge is not None
    kinds = (("dice", names[0]), ("other", names[1]))
    legend(*kinds)
    labels = [(numbers.percent(mine), numbers.percent(theirs)) for mine, theirs in zip(token.writer_odds, token.judge_odds, strict=True)]
    table = pd.DataFrame(
        {
            "place": range(len(token.pieces)),
            "piece": token.pieces,
            "left": token.writer_odds,
            "right": token.judge_odds,
            "left_label": [mine for mine, _theirs in labels],
            "right_label": [theirs for _mine, theirs in labels],
            "chosen": [number == token.place for number in range(len(token.pieces))],
        }
    )
    shown = "; ".join(f"{row.piece} {row.left_label} {row.right_label}" for row in table.itertuples())
    alt_text = f"{_('Both probabilities at one place')}: {shown}"
    chart.draw(
        mirrored,
        table,
        key="pupil_odds",
        title=_("Both probabilities at one place"),
        alt_text=alt_text,
        legend=kinds,
        rows=len(table),
    )
    st.caption(
        _("Overlap of both distributions: {share}. Entropy: {writer} and {judge}.").format(
            share=numbers.percent(token.overlap), writer=numbers.bits(token.writer.entropy), judge=numbers.bits(token.judge.entropy)
        )
    )


def surprises(observations: list[JudgedToken]) -> None:
    """Draw both models' surprise along the text."""
    table = pd.DataFrame(
        [
            {
                "place": token.index + 1,
                "up": min(MOST_SURPRISE, token.writer.surprise),
                "down": min(MOST_SURPRISE, token.judge.surprise),
                "tip": f"{token.piece}  {_bits(token.writer.surprise)} · {_bits(token.judge.surprise)}",
            }
            for token in observations
            if token.judge is not None
        ]
    )
    chart.draw(two_surprises, table, key="pupil_surprises", alt_text=_("Surprise along the text"))


def parts(judged: JudgedParts, names: tuple[str, str]) -> None:
    """Draw the text in parts at whose ends both models have a token's end, for models with different tokens."""
    elements.section(_("The text, part by part"), _("surprise per character"))
    per_character = _("{name}: {bits} bits per character")
    words = []
    for text_part in judged.parts:
        both = (text_part.writer_bits / len(text_part.text), text_part.judge_bits / len(text_part.text))
        lines = tuple(per_character.format(name=name, bits=numbers.decimal(bits, 2)) for name, bits in zip(names, both, strict=True))
        below = " · ".join(numbers.decimal(bits, 1) for bits in both)
        words.append(Word.signed(text_part.text.replace(" ", "␣"), text_part.difference, DEEPEST / 3, lines=lines, below=below))
    scored_text(words, key="pupil_parts", alt_text=_("The text, part by part"), size="1.15rem")
    characters = sum(len(part.text) for part in judged.parts)
    if characters:
        mine = sum(part.writer_bits for part in judged.parts) / characters
        theirs = sum(part.judge_bits for part in judged.parts) / characters
        tokens = _("The two models have different tokens, so they are compared by the character: {writer} {mine}, {judge} {theirs}.")
        st.caption(tokens.format(writer=names[0], judge=names[1], mine=numbers.bits(mine), theirs=numbers.bits(theirs)))


def figures(observations: list[JudgedToken], names: tuple[str, str], models: tuple[ModelFigures, ModelFigures], prompt_tokens: int) -> None:
    """Draw size, cost and surprise of both models."""
    elements.section(_("In figures"), _("measured, unless it says computed"))
    judged = [token for token in observations if token.judge is not None]
    context = prompt_tokens + len(observations)
    sides = [side(models[0], [token.writer for token in observations], context)]
    if judged:
        same = sum(token.agreed for token in judged)
        overlap = sum(token.overlap for token in judged) / len(judged)
        agreed = _("Same likeliest token at **{same} of {count}** places ({share}); mean overlap {overlap}.")
        share = numbers.percent(same / len(judged))
        st.markdown(agreed.format(same=same, count=len(judged), share=share, overlap=numbers.percent(overlap)))
        sides.append(side(models[1], [token.judge for token in judged if token.judge is not None], context))
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
    if len(sides) == 2 and all(math.isfinite(model_side.bits_per_token) for model_side in sides):
        more = sides[1].bits_per_token - sides[0].bits_per_token
        surprise = (
            _("{writer} wrote the text, which is an advantage. {judge} has {more} more surprise per token.")
            if more >= 0
            else _("{judge} did not write the text, but has {more} less surprise per token than {writer}.")
        )
        st.caption(surprise.format(writer=names[0], judge=names[1], more=numbers.bits(abs(more))))


def _column(model_side: Side) -> list[str]:
    speed = "–"
    if model_side.seconds_per_token:
        speed = f"{numbers.duration(model_side.seconds_per_token)} · {numbers.whole(1 / model_side.seconds_per_token)}"
    sizes = [numbers.size(model_side.weight_bytes), numbers.size(model_side.cache_bytes), numbers.count(model_side.multiply_adds)]
    return [numbers.count(model_side.parameters), numbers.bits(model_side.bits_per_token), speed, *sizes]


def draw_cascade(run: Experiment) -> None:
    """Draw the three texts and their costs."""
    tokens = [entry for entry in run.observations if isinstance(entry, CascadeToken)]
    legend(("computed", _("written by the large model")))
    alone = _("{name} alone")
    titles = (_("Together"), *(alone.format(name=offered_models.title(name)) for name in run.about))
    scores = {entry.run: entry.bits_per_token for entry in run.observations if isinstance(entry, CascadeScore)}
    rows: list[tuple[str, ...]] = []
    sums: list[tuple[float, float, float]] = []
    for number, (home, title) in enumerate(zip(st.columns(3, gap="large"), titles, strict=True)):
        mine = [token for token in tokens if token.run == number]
        with home:
            st.caption(title)
            words = [cascade_word(entry, number == 0) for entry in mine if entry.text]  # an end token has no text
            scored_text(words, key=f"pupil_cascade_{number}", alt_text=title, size="1rem", max_height="14rem")
        if mine:
            share = sum(not entry.by_large for entry in mine) / len(mine)
            work, seconds = sum(entry.multiply_adds for entry in mine), sum(entry.seconds for entry in mine)
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


def cascade_word(token: CascadeToken, tinted: bool) -> Word:
    """Return a token of the cascade; those of the large model are tinted."""
    about = _("written by the large model") if token.by_large else _("written by the small model")
    if not math.isnan(token.entropy):
        about = _("{who}; entropy {bits}").format(who=about, bits=numbers.bits(token.entropy))
    text = token.text.replace(" ", "␣").replace("\n", "↵")
    return Word(text, "computed", 0.3 if token.by_large and tinted else 0.0, lines=(about,))


def draw_evaluation(run: Experiment) -> None:
    """Draw facts, perplexity and agreement as a table."""
    reports: dict[str, StudentReport] = {report.name: report for report in run.observations}
    head = (
        _("model"),
        _("size"),
        _("facts right"),
        _("perplexity of the story"),
        _("same likeliest token as the teacher"),
        _("divergence (KL, nats)"),
    )
    rows = []
    for report in reports.values():
        facts = _("{count} of {total}").format(count=report.right, total=report.asked) if report.asked else "…"
        kl = "–" if math.isnan(report.kl) else written(report.kl, ".2f")
        size = numbers.count(report.parameters)
        rows.append(
            (offered_models.title(report.name), size, facts, numbers.perplexity(report.perplexity), numbers.percent(report.kept), kl)
        )
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
        st.caption(twin.format(twin=offered_models.title(run.about[0])))


@chart_spec(8)
def mirrored(colours: Palette, rows: int) -> alt.TopLevelMixin:
    """One token per row: its probability in one model left of its name, in the other model right. Orange: the chosen token.

    Columns: place, piece, left, right (0 to 1), left_label, right_label, chosen (bool).
    """
    across = alt.Scale(domain=[-1, 1], nice=False)
    middle = "(56 / max(240, width / 2))"  # share of the width for the names, on each side of the middle
    share = f"(1 - {middle}) / 1.3"  # scales the bars, so that the number of a bar of 100 % has room
    up = alt.Y("place:O", axis=None, scale=alt.Scale(paddingInner=0.25))
    places = {"l0": f"-{middle}", "l1": f"-{middle} - datum.left * {share}", "r0": middle, "r1": f"{middle} + datum.right * {share}"}
    base = CHART.transform_calculate(**places).encode(y=up)

    def bar(start: str, end: str, colour: str) -> Any:
        shade = {"condition": {"test": "datum.chosen", "value": colours.chosen}, "value": colour}
        return base.mark_bar(cornerRadius=3).encode(x=alt.X(f"{start}:Q", scale=across, axis=None), x2=f"{end}:Q", color=shade)

    def number(end: str, text: str, side: Any, dx: int) -> Any:
        label = base.mark_text(align=side, dx=dx, fontSize=12, color=colours.muted_text)
        return label.encode(x=alt.X(f"{end}:Q", scale=across, axis=None), text=f"{text}:N")

    ink = {"condition": {"test": "datum.chosen", "value": colours.chosen_text}, "value": colours.text}
    name = base.mark_text(fontSize=13.5, limit=110).encode(x=alt.datum(0, type="quantitative", scale=across), text="piece:N", color=ink)
    layers = (bar("l0", "l1", colours.dice), bar("r0", "r1", colours.other))
    numbers = (number("l1", "left_label", "right", -6), number("r1", "right_label", "left", 6))
    return alt.layer(*layers, *numbers, name).properties(height=27 * rows)


@chart_spec(8)
def two_surprises(colours: Palette) -> alt.TopLevelMixin:
    """Surprise along a text in bits: one model upwards, the other downwards. Columns: place, up, down (bits), tip."""
    axis = grey_axis(colours, tickCount=5, labelExpr=f"format(abs(datum.value), '~r') + ' {_('bits')}'", minExtent=52, maxExtent=52)
    across = alt.X("place:Q", scale=alt.Scale(nice=False, padding=6), axis=None)
    base = CHART.transform_calculate(under="-datum.down").encode(x=across, tooltip=tips(("tip", _("surprise"))))
    wide = alt.ExprRef("max(2, min(14, 0.7 * width / (1 + domain('x')[1] - domain('x')[0])))")
    above = base.mark_bar(color=colours.dice, size=wide).encode(y=alt.Y("up:Q", axis=axis))
    below = base.mark_bar(color=colours.other, size=wide).encode(y=alt.Y("under:Q", axis=axis))
    return alt.layer(above, below).properties(height=260)
