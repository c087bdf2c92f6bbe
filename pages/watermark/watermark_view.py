"""What “Is it marked?” draws: both texts, how the score grows, what the mark costs, the attack, and the scores of many texts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import pandas as pd
import streamlit as st

from core.experiments import watermark
from core.experiments.watermark import CALLED, CERTAIN, HUMAN, MARKED, UNMARKED, Attacked, MarkedToken, Measured, Null, Score
from core.sampling.samplers.watermark import ROUNDS
from core.sampling.settings import SamplingSettings
from pages.ui.charts.palette import legend
from pages.ui.charts.step_rows import Word
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.experiments.experiment import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _, ngettext, said
from pages.ui.session import current, elements
from pages.ui.session.state import PERSISTENT
from pages.ui.views import chart
from pages.ui.views.watermark_score import verdict
from pages.watermark import watermark_charts
from pages.watermark.watermark_charts import RAREST, USUAL, WIDEST

SIDES = {MARKED: N_("marked"), UNMARKED: N_("not marked, the same dice"), HUMAN: N_("book excerpts")}
INKS = {MARKED: "dice", UNMARKED: "muted_text", HUMAN: "other"}
WAYS = {"click": N_("Click words"), "every": N_("Every n-th word"), "paste": N_("Paste a text")}
ACTS = {"replace": N_("replace"), "delete": N_("delete"), "swap": N_("swap with the next")}
UNSEEN = "\u200b"  # makes the labels of equal words different, because Streamlit tells buttons apart by their labels
MOST_WORDS = 120  # that can be clicked


def draw(run: Experiment) -> None:
    """Draw the whole result."""
    settings: SamplingSettings = run.about
    texts = [seen for seen in run.seen if isinstance(seen, Measured)]
    null = watermark.null_of(texts) if settings.watermark == "synthid" else None
    sides = {side: [seen for seen in run.seen if isinstance(seen, MarkedToken) and seen.side == side] for side in (MARKED, UNMARKED)}
    both(sides, settings, null)
    cost(sides)
    steps = [seen for seen in run.seen if isinstance(seen, Attacked)]
    if steps:
        attacked(steps, null)
        if not run.running:
            own_attack(run, sides[MARKED], settings, null)
    if texts:
        alarms(texts, null)


def both(sides: dict[str, list[MarkedToken]], settings: SamplingSettings, null: Null | None) -> None:
    """Draw both texts with their scores, and how the scores grow."""
    for home, (side, tokens) in zip(st.columns(2, gap="large"), sides.items(), strict=True):
        with home:
            elements.section(_(SIDES[side])[0].upper() + _(SIDES[side])[1:])
            coins = [token.green for token in tokens]
            scored_text([_word(token.text, token.green, settings) for token in tokens], key=f"watermark_{side}", alt_text=_(SIDES[side]),
                        size="1.1rem")  # fmt: skip
            if any(green is not None for green in coins):
                st.markdown(verdict(watermark.tally(coins, settings), settings, null))
    tint_legend(settings)
    if null is not None:
        sentence = _(
            "Chance is measured here: {runs} unmarked runs of this model have z = {mean} ± {deviation}. A normal curve continues them. "
            "Texts from elsewhere are judged by fair coins."
        )
        st.caption(sentence.format(runs=null.runs, mean=numbers.decimal(null.mean, 2), deviation=numbers.decimal(null.deviation, 2)))
    rows = [row for side, tokens in sides.items() for row in _growth(side, tokens, settings, null)]
    elements.section(_("How sure, token by token?"), _("p-value"))
    title = _("How rare the score is by chance, as the text grows: dashed lines at 1 in 1,000 and 1 in a million.")
    _rarity(rows, "watermark_growth", title, _("tokens"), 50 * math.ceil(max(map(len, sides.values())) / 50))


def tint_legend(settings: SamplingSettings) -> None:
    """Draw the meaning of the tints."""
    green = settings.watermark == "green"
    good, bad = (_("on the green list"), _("on the red list")) if green else (_("more than half of its g-values are 1"), _("half or fewer"))
    legend(("green", good), ("red", bad), ("line", _("not counted: too early, or repeated")))


def _word(text: str, green: int | None, settings: SamplingSettings) -> Word:
    if green is None:
        return Word(text, lines=(_("not counted"),))
    share = green if settings.watermark == "green" else green / ROUNDS
    line = (
        (_("on the green list") if green else _("on the red list")) if settings.watermark == "green" else _("g-values: {count} of {total}")
    )
    return Word(text, "green" if share > 0.5 else "red", 0.4 if share > 0.5 else 0.2, lines=(line.format(count=green, total=ROUNDS),))


def _p_value(scored: Score | Attacked | Measured, null: Null | None) -> float:
    return null.p_value(scored.z) if null else scored.p_value


def _power(p_value: float) -> float:
    return min(RAREST, -math.log10(max(p_value, 1e-300)))


def _growth(side: str, tokens: Sequence[MarkedToken], settings: SamplingSettings, null: Null | None) -> list[dict[str, Any]]:
    coins = [token.green for token in tokens]
    rows: list[dict[str, Any]] = [{"place": 0, "power": 0.0, "side": side, "tip": ""}]
    for count in range(1, len(coins) + 1):
        if any(green is not None for green in coins[:count]):
            scored = watermark.tally(coins[:count], settings)
            tip = _("{text}: z = {z} after {count}").format(
                text=tokens[count - 1].text.strip(), z=numbers.decimal(scored.z, 2), count=numbers.tokens(count)
            )
            rows.append({"place": count, "power": _power(_p_value(scored, null)), "side": side, "tip": f"{_(SIDES[side])} · {tip}"})
    return rows


def _rarity(rows: list[dict[str, Any]], key: str, title: str, across: str, right: int) -> None:
    entries = [(INKS[side], _(SIDES[side])) for side in dict.fromkeys(str(row["side"]) for row in rows)]
    legend(*entries)
    top = RAREST if any(row["power"] > USUAL for row in rows) else USUAL
    chart.draw(watermark_charts.rarity, pd.DataFrame(rows), key=key, alt_text=title, legend=entries, across=across, right=right, top=top)


def cost(sides: dict[str, list[MarkedToken]]) -> None:
    """Say what the mark cost, and how many steps could not carry one."""
    marked, unmarked = sides[MARKED], sides[UNMARKED]
    if not marked or not unmarked:
        return
    certain = sum(token.top > CERTAIN for token in marked)
    sentence = _(
        "**What it cost.** The mark moved the probabilities by {bits} per token (Kullback-Leibler divergence of those after it from those "
        "before). For the model, the marked text has perplexity {own}, the other one {other}."
    ).format(
        bits=numbers.bits(fmean(token.lost for token in marked)),
        own=numbers.perplexity(2 ** fmean(token.surprise for token in marked)),
        other=numbers.perplexity(2 ** fmean(token.surprise for token in unmarked)),
    )
    counted = _("At {count} of {total} steps one token had more than 99 %: such a step can hardly carry a mark.")
    st.markdown(f"{sentence} {counted.format(count=numbers.whole(certain), total=numbers.whole(len(marked)))}")


def attacked(steps: Sequence[Attacked], null: Null | None) -> None:
    """Draw how the score falls when more and more words are replaced."""
    elements.section(_("Attack it"), _("replaced words"))
    powers = [(step, _p_value(step, null)) for step in steps]
    gone = next((step for step, p_value in powers if p_value >= CALLED), None)
    if powers[0][1] >= CALLED:
        st.markdown(_("Nothing to attack: the whole text is not called marked at 1 in 1,000."))
    elif gone is not None:
        fallen = _("In random order, {count} of {total} words had to be replaced until the text was no longer called marked at 1 in 1,000.")
        st.markdown(fallen.format(count=numbers.whole(gone.changed), total=numbers.whole(gone.words)))
    tip = _("{count} of {total} words replaced: z = {z}")
    rows = [
        {"place": step.changed, "power": _power(p_value), "side": MARKED,
         "tip": tip.format(count=step.changed, total=step.words, z=numbers.decimal(step.z, 2))}
        for step, p_value in powers
    ]  # fmt: skip
    _rarity(rows, "watermark_fall", _("How rare the score is by chance, as more words are replaced."), _("words replaced"), steps[-1].words)


def own_attack(run: Experiment, tokens: Sequence[MarkedToken], settings: SamplingSettings, null: Null | None) -> None:
    """Draw the visitor's own attack on the marked text, and the score of what it leaves."""
    if run.made_by is None or run.made_by.model != current.model_name():
        st.caption(_("To attack it yourself, choose the model that wrote it: the score needs its tokens."))
        return
    words = watermark.words_of("".join(token.text for token in tokens).strip())[:MOST_WORDS]
    with st.container(horizontal=True, vertical_alignment="bottom", key="watermark_attack"):
        way = elements.choice(_("Your attack"), list(WAYS), "click", "watermark_way", format_func=said(WAYS).__getitem__)
        act = (
            "replace"
            if way == "paste"
            else elements.choice(_("Change"), list(ACTS), "replace", "watermark_act", format_func=said(ACTS).__getitem__)
        )
        every = st.number_input("n", 1, 20, 3, key="watermark_every", width=120, **PERSISTENT) if way == "every" else 0
    if way == "paste":
        paste = _("Paste a translation, a summary or a text of another author.")
        text = st.text_area(
            _("Another text"), key="watermark_pasted", placeholder=paste, max_chars=20_000, label_visibility="collapsed", **PERSISTENT
        )
    else:
        options: dict[str, Any] = {
            "label_visibility": "collapsed",
            "format_func": lambda index: plain(words[index].strip()) + index * UNSEEN,
        }
        picked = st.pills(_("Words"), range(len(words)), selection_mode="multi", key="watermark_words", **options) if way == "click" else []
        picked = [index for index in picked if index < len(words)]
        chosen = list(range(every - 1, len(words), every)) if way == "every" else picked
        text = watermark.edited(words, chosen, act)
        st.caption(ngettext("{count} word is changed.", "{count} words are changed.", len(chosen)).format(count=len(chosen)))
    if text.strip():
        with elements.error_boundary():
            model = current.model()
            ids = watermark.written_ids(model, text)
            coins = watermark.coins(model, ids, settings)
            scored_text([_word(model.token(i).text, green, settings) for i, green in zip(ids, coins, strict=True)], key="watermark_left",
                        alt_text=_("The text after the attack"), size="1rem")  # fmt: skip
            st.markdown(verdict(watermark.tally(coins, settings), settings, None if way == "paste" else null))


def alarms(texts: Sequence[Measured], null: Null | None) -> None:
    """Draw the scores of many texts, and say how many of each kind are called marked."""
    kinds = {kind: [text for text in texts if text.kind == kind] for kind in (MARKED, UNMARKED, HUMAN)}
    kinds = {kind: group for kind, group in kinds.items() if group}
    elements.section(_("False alarms"), _("many texts of the same length, the same key"))
    own = {kind: null if kind != HUMAN else None for kind in kinds}  # the null distribution is that of the model's texts
    called = {kind: sum(_p_value(text, own[kind]) < CALLED for text in group) for kind, group in kinds.items()}
    parts = [
        _("{count} of {total} {kind}").format(
            count=numbers.whole(called[kind]), total=numbers.whole(len(group)), kind=_(SIDES[kind]).split(",")[0]
        )
        for kind, group in kinds.items()
    ]
    chance = numbers.decimal(CALLED * len(kinds.get(HUMAN, [])), 1)
    promised = _("Chance alone calls {count} of the book excerpts, on average over all keys.").format(count=chance)
    st.markdown(_("**Called marked at 1 in 1,000:** {parts}.").format(parts=", ".join(parts)) + (f" {promised}" if HUMAN in kinds else ""))
    rows = []
    for band, (kind, group) in enumerate(kinds.items()):
        bins = Counter(min(WIDEST, max(-5, math.floor(text.z))) for text in group)
        for left, count in bins.items():
            tip = _("{count} texts with z from {low} to {high}").format(count=count, low=left, high=left + 1)
            top = 2 - band + 0.9 * count / max(bins.values())
            rows.append(
                {"left": left, "right": left + 0.94, "bottom": 2 - band, "top": top, "side": kind, "tip": f"{_(SIDES[kind])} · {tip}"}
            )
    entries = [(INKS[kind], _(SIDES[kind]).split(",")[0]) for kind in kinds]
    legend(*entries)
    title = _("Scores of marked runs, unmarked runs and book excerpts. Dashed: z = 3.09, which a normal curve exceeds once in 1,000 times.")
    chart.draw(watermark_charts.scores, pd.DataFrame(rows), key="watermark_scores", alt_text=title, legend=entries)
    st.caption(
        _(
            "The books: The Railway Children and The Wouldbegoods by E. Nesbit, Treasure Island by R. L. Stevenson. A score needs the key "
            "and the tokenizer. A low score does not show that a person wrote it: in short, certain or changed texts no mark is found."
        )
    )
