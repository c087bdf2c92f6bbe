"""What “Is it marked?” draws: both texts, how the score grows, what the mark costs, the attack, and the scores of many texts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import NormalDist, fmean
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from core.experiments import watermark
from core.experiments.shared import watermark_score as scoring
from core.experiments.shared.watermark_score import MARKED_BELOW, Score, p_value
from core.experiments.watermark import ATTACKED, CERTAIN, HUMAN, MARKED, UNMARKED, MarkedToken, Measured
from core.sampling.settings import SamplingSettings
from pages.ui.charts.css_colours import Palette, legend
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, shades, tips
from pages.ui.charts.step_tables import Word
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _, ngettext, said
from pages.ui.session import current, elements
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.views import chart
from pages.ui.views.watermark_score import verdict

RAREST = 15  # powers of ten; rarer scores are drawn here
USUAL = 9  # end of the axis for scores that are not rarer
LOWEST, WIDEST = -5, 24  # z of the first and of the last bar
INKS = {MARKED: "dice", UNMARKED: "muted_text", HUMAN: "other"}
SIDES = {MARKED: N_("marked"), UNMARKED: N_("not marked"), HUMAN: N_("book excerpts")}
HEADS = {MARKED: N_("With the mark"), UNMARKED: N_("Without it, the same dice")}
ACTS = {"replace": N_("replace"), "delete": N_("delete"), "swap": N_("swap with the next"), "paste": N_("paste another text")}
Point = tuple[int, Score | Measured, str, str]  # place on the axis, score, side, its words
UNSEEN = "\u200b"  # makes the labels of equal words different, because Streamlit tells buttons apart by their labels


def draw(run: Experiment) -> None:
    """Draw the whole result."""
    settings: SamplingSettings = run.about
    null = watermark.null_of(run.observations) if settings.watermark == "synthid" else None
    sides = {
        side: [observation for observation in run.observations if isinstance(observation, MarkedToken) and observation.side == side]
        for side in HEADS
    }
    kinds = {
        kind: [observation for observation in run.observations if isinstance(observation, Measured) and observation.kind == kind]
        for kind in (*SIDES, ATTACKED)
    }
    both(sides, settings, null)
    st.caption(basis(settings, null, len(kinds[UNMARKED])))
    if all(sides.values()):
        cost(*sides.values())
    if steps := kinds.pop(ATTACKED):
        attacked(steps, null)
        if not run.running:
            own_attack(run, "".join(token.text for token in sides[MARKED]), settings, null)
    if any(kinds.values()):
        alarms({kind: texts for kind, texts in kinds.items() if texts}, null)


def both(sides: dict[str, list[MarkedToken]], settings: SamplingSettings, null: NormalDist | None) -> None:
    """Draw both texts with their scores, and how the scores grow."""
    points: list[Point] = []
    for home, (side, tokens) in zip(st.columns(2, gap="large"), sides.items(), strict=True):
        greens = [token.green for token in tokens]
        first = next((number for number, green in enumerate(greens) if green is not None), len(greens))
        scores = {count: scoring.tally(greens[:count], settings) for count in range(first + 1, len(greens) + 1)}
        tip = _("{text}, after {count}")
        points += [
            (count, scored, side, tip.format(text=tokens[count - 1].text.strip(), count=numbers.tokens(count)))
            for count, scored in scores.items()
        ]
        with home:
            elements.section(_(HEADS[side]))
            tinted([token.text for token in tokens], greens, settings, f"watermark_{side}", _(HEADS[side]))
            if scores:
                st.markdown(verdict(scores[len(greens)], settings, null))
    names = _("on the green list"), _("on the red list")
    if settings.watermark == "synthid":
        names = _("its weighted mean g-value is above 0.5"), _("0.5 or less")
    legend(("green", names[0]), ("red", names[1]), ("line", _("not counted: too early, or repeated")))
    elements.section(_("How sure, token by token?"), _("p-value"))
    title = _("How rare the score is by chance, as the text grows: dashed lines at 1 in 1,000 and 1 in a million.")
    _rarity(points, null, "watermark_growth", title, _("tokens"), 50 * math.ceil(max(map(len, sides.values())) / 50))


def basis(settings: SamplingSettings, null: NormalDist | None, runs: int) -> str:
    """Return how the probability of a score by chance is computed. runs: the number of unmarked runs."""
    if null is not None:
        sentence = _("Measured: {count} unmarked runs of this model have z = {mean} ± {deviation}. Computed: a normal curve through them.")
        return sentence.format(count=runs, mean=numbers.decimal(null.mean, 2), deviation=numbers.decimal(null.stdev, 2))
    if settings.watermark == "synthid":
        return _("Computed: a normal curve. Assumed: without the key each g-value is 0 or 1 with probability 50 %.")
    sentence = _("Computed: the binomial distribution. Assumed: without the key a token is on the green list with probability {chance}.")
    return sentence.format(chance=numbers.percent(settings.watermark_gamma))


def tinted(texts: Sequence[str], greens: Sequence[float | None], settings: SamplingSettings, key: str, alt_text: str) -> None:
    """Draw a text token by token, green or red."""
    words = []
    for text, green in zip(texts, greens, strict=True):
        if green is None:
            words.append(Word(text, lines=(_("not counted"),)))
            continue
        listed = _("on the green list") if green else _("on the red list")
        mean = _("weighted mean g-value {mean}").format(mean=numbers.decimal(green, 2))
        line = listed if settings.watermark == "green" else mean
        words.append(Word(text, *(("green", 0.4) if green > 0.5 else ("red", 0.2)), lines=(line,)))
    scored_text(words, key=key, alt_text=alt_text, size="1.1rem")


def _rarity(points: Sequence[Point], null: NormalDist | None, key: str, title: str, across: str, right: int) -> None:
    """Draw how rare each score is by chance."""
    if not points:
        return
    entries = [(INKS[side], _(SIDES[side])) for side in dict.fromkeys(side for _place, _scored, side, _tip in points)]
    legend(*entries)
    rows: list[dict[str, Any]] = [
        {
            "place": across_at,
            "power": min(RAREST, -math.log10(max(p_value(scored, null), 1e-300))),
            "side": side,
            "tip": f"{_(SIDES[side])} · {tip}: z = {numbers.decimal(scored.z, 2)}",
        }
        for across_at, scored, side, tip in points
    ]
    top = RAREST if any(row["power"] > USUAL for row in rows) else USUAL
    chart.draw(rarity, pd.DataFrame(rows), key=key, alt_text=title, legend=entries, across=across, right=right, top=top)


def cost(marked: Sequence[MarkedToken], unmarked: Sequence[MarkedToken]) -> None:
    """Say what the mark cost, and how many steps could not carry one."""
    sentence = _(
        "**What it cost.** The mark moved the probabilities by {bits} per token (Kullback-Leibler divergence of those after it from those "
        "before). For the model, the marked text has perplexity {own}, the other one {other}. At {count} of {total} steps one token had "
        "more than 99 %: such a step can hardly carry a mark."
    )
    marked_perplexity, other = (numbers.perplexity(2 ** fmean(token.surprise for token in tokens)) for tokens in (marked, unmarked))
    bits, certain = numbers.bits(fmean(token.lost for token in marked)), sum(token.top > CERTAIN for token in marked)
    st.markdown(
        sentence.format(bits=bits, own=marked_perplexity, other=other, count=numbers.whole(certain), total=numbers.whole(len(marked)))
    )


def attacked(steps: Sequence[Measured], null: NormalDist | None) -> None:
    """Draw how the score falls when more and more words are replaced."""
    elements.section(_("Attack it"), _("replaced words"))
    gone = next((step for step in steps if p_value(step, null) >= MARKED_BELOW), None)
    if gone is not None:
        sentence = _(
            "In random order, {count} of {total} words had to be replaced until the text was no longer called marked at 1 in 1,000."
        )
        if gone is steps[0]:
            sentence = _("Nothing to attack: the whole text is not called marked at 1 in 1,000.")
        st.markdown(sentence.format(count=numbers.whole(gone.changed), total=numbers.whole(gone.words)))
    tip = _("{count} of {total} words replaced")
    points: list[Point] = [(step.changed, step, MARKED, tip.format(count=step.changed, total=step.words)) for step in steps]
    title = _("How rare the score is by chance, as more words are replaced.")
    _rarity(points, null, "watermark_fall", title, _("words replaced"), steps[-1].words)


def own_attack(run: Experiment, text: str, settings: SamplingSettings, null: NormalDist | None) -> None:
    """Draw the visitor's own attack on the marked text, and the score of what it leaves."""
    if run.made_by is None or run.made_by.model != current.model_name():
        st.caption(_("To attack it yourself, choose the model that wrote it: the score needs its tokens."))
        return
    words = watermark.words_of(text)
    with st.container(horizontal=True, vertical_alignment="bottom", key="watermark_attack"):
        act = elements.choice(_("Your attack"), list(ACTS), "replace", "watermark_act", format_func=said(ACTS).__getitem__)
        options = {"key": "watermark_every", "width": 160, "help": _("0: only the words that you click."), **PERSISTENT}
        every = 0 if act == "paste" else st.number_input(_("Every n-th word"), 0, 20, 0, **options)
    if act == "paste":
        paste = _("Paste a translation, a summary or a text of another author.")
        text = st.text_area(_("Another text"), key="watermark_pasted", placeholder=paste, max_chars=20_000, **PERSISTENT)
    else:
        chosen = st.pills(
            _("Click words"),
            range(len(words)),
            selection_mode="multi",
            default=range(every - 1, len(words), every) if every else None,
            key=f"watermark_words_{every}",
            format_func=lambda index: plain(words[index].strip()) + index * UNSEEN,
        )
        text = watermark.edited(words, chosen, act)
        st.caption(ngettext("{count} word is changed.", "{count} words are changed.", len(chosen)).format(count=len(chosen)))
    if text.strip():
        with drawing_boundary():
            model = current.model()
            ids = scoring.written_ids(model, text)
            greens = scoring.greens(model, ids, settings)
            tinted([model.token(i).text for i in ids], greens, settings, "watermark_left", _("The text after the attack"))
            st.markdown(verdict(scoring.tally(greens, settings), settings, None if act == "paste" else null))


def alarms(kinds: dict[str, list[Measured]], null: NormalDist | None) -> None:
    """Draw the scores of many texts, and say how many of each kind are called marked."""
    elements.section(_("False alarms"), _("many texts of the same length, the same key"))
    entries, parts, rows = [(INKS[kind], _(SIDES[kind])) for kind in kinds], [], []
    for band, (kind, texts) in enumerate(kinds.items()):
        of_model = None if kind == HUMAN else null  # the null distribution is that of the model's texts
        called = sum(p_value(text, of_model) < MARKED_BELOW for text in texts)
        part = _("{count} of {total} {kind}")
        parts.append(part.format(count=numbers.whole(called), total=numbers.whole(len(texts)), kind=_(SIDES[kind])))
        bins = Counter(min(WIDEST, max(LOWEST, math.floor(text.z))) for text in texts)
        tip = _("{count} texts with z from {low} to {high}")
        rows += [
            {"left": left, "right": left + 0.94, "bottom": 2 - band, "top": 2 - band + 0.9 * count / max(bins.values()), "side": kind,
             "tip": f"{_(SIDES[kind])} · {tip.format(count=count, low=left, high=left + 1)}"}
            for left, count in bins.items()
        ]  # fmt: skip
    said_of_all = _("**Called marked at 1 in 1,000:** {parts}.").format(parts=", ".join(parts))
    if HUMAN in kinds:
        promised = _("Chance alone calls {count} of the book excerpts, on average over all keys.")
        said_of_all += " " + promised.format(count=numbers.decimal(MARKED_BELOW * len(kinds[HUMAN]), 1))
    st.markdown(said_of_all)
    legend(*entries)
    title = _("Scores of marked runs, unmarked runs and book excerpts. Dashed: z = 3.09, which a normal curve exceeds once in 1,000 times.")
    chart.draw(scores, pd.DataFrame(rows), key="watermark_scores", alt_text=title, legend=entries)
    st.caption(
        _(
            "The books: The Railway Children and The Wouldbegoods by E. Nesbit, Treasure Island by R. L. Stevenson. A score needs the key "
            "and the tokenizer. A low score does not show that a person wrote it: in short, certain or changed texts no mark is found. "
            "A high score does not show who used the key."
        )
    )


def _side(colours: Palette) -> alt.Color:
    return shades("side", {side: getattr(colours, ink) for side, ink in INKS.items()})


@chart_spec(8)
def rarity(colours: Palette, across: str, right: int, top: int) -> alt.TopLevelMixin:
    """Lines of how rare a score is by chance, and where a text is called marked. Columns: place, power (of ten), side, tip."""
    words = f"datum.value == 3 ? '{_('1 in 1,000')}' : datum.value == 6 ? '{_('1 in a million')}' : datum.value ? '' : '{_('usual')}'"
    grid: dict[str, Any] = {"grid": True, "gridColor": colours.muted_text, "gridDash": [3, 3], "labelOverlap": False}
    axis = grey_axis(colours, values=[0, 3, 6], labelExpr=words, minExtent=84, maxExtent=84, **grid)
    up = alt.Y("power:Q", scale=alt.Scale(domain=[0, top], clamp=True, nice=False), axis=axis)
    numbered = grey_axis(colours, across, tickCount=6, tickMinStep=1)
    x = alt.X("place:Q", scale=alt.Scale(domain=[0, max(1, right)], nice=False), axis=numbered)
    lines = CHART.mark_line(strokeWidth=2.2, interpolate="step-after").encode(x=x, y=up, color=_side(colours))
    dots = CHART.mark_point(filled=True, size=160, opacity=0).encode(x=x, y=up, tooltip=tips(("tip", _("score"))))
    return alt.layer(lines, dots).properties(height=190)


@chart_spec(8)
def scores(colours: Palette) -> alt.TopLevelMixin:
    """The scores of many texts, one band of bars for each kind of text. Columns: left, right (z), bottom, top, side, tip."""
    x = alt.X("left:Q", scale=alt.Scale(domain=[LOWEST, WIDEST + 1], nice=False), axis=grey_axis(colours, "z", tickCount=10))
    y = alt.Y("bottom:Q", axis=None, scale=alt.Scale(domain=[0, 3], nice=False))
    bars = CHART.mark_rect().encode(x=x, x2="right:Q", y=y, y2="top:Q", color=_side(colours), tooltip=tips(("tip", _("score"))))
    line = CHART.mark_rule(strokeDash=[3, 3], color=colours.muted_text).encode(x=alt.datum(3.09))
    return alt.layer(bars, line).properties(height=180)
