"""What Why this token? draws of hidden words: the tinted text, the largest effects, and gradients as a second opinion."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core.errors import InputError
from core.experiments.why.hidden_words import HiddenPart, HiddenWords, hidden_words
from core.record.csv_text import csv_text
from core.record.step import Step, TokenDistribution
from core.sources.capabilities import Can
from pages.ui.charts.css_colours import DARKEST, RAISES, legend
from pages.ui.charts.step_tables import Word
from pages.ui.components.browser import browser
from pages.ui.components.live import live
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import names, numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _, quoted, said
from pages.ui.session import current, elements, provenance
from pages.ui.session.selection import ExplainedToken, start_here
from pages.ui.session.state import memory
from pages.ui.views import chart, distribution_legend, why_token
from pages.ui.views.why_token import choose, choose_other
from pages.why.effect_bars import BIT, SMALL, draw_directions, shortened, signed_bars, signed_bits, word_of

MOST_BARS, ROWS = 10, 6
NAME, OF_TWO = "why_words", "why_two"
MINOR = 0.15  # of the largest effect; parts with less do not speak "most" for a token
CLOSE, LOOSE = 0.7, 0.4  # rank correlations from which on two maps agree well, and somewhat


@dataclass(slots=True)
class _Shown:
    """clicks: the visitor's action after which the result is brought into view on a phone."""

    clicks: int = 0


def words_view(token: ExplainedToken, two: bool = False) -> None:
    """Draw the controls and the result. two: compare the token with another one."""
    model = current.model()
    if two and token.distribution is not None:
        bars_to_choose(token.distribution)
    with st.container(horizontal=True, vertical_alignment="bottom", key="why_words_controls"):
        target, name = choose(token), OF_TWO if two else NAME
        against = choose_other(token, target, 0) if two else None
        unit = elements.choice(_("Hide"), list(names.HIDDEN_UNITS), "word", "why_unit", format_func=said(names.HIDDEN_UNITS).__getitem__)
        usual = "mask" if Can.NETWORK in model.can and model.shape.attention_layers == model.layer_count else "omit"
        method = elements.choice(_("How"), list(names.HIDING), usual, "why_method", format_func=said(names.HIDING).__getitem__)
        span = passage(token) if unit == "passage" else None
        now = provenance.now(
            hidden_unit=unit,
            hiding=method,
            passage="".join(token.texts[slice(*span)]) if span else None,
            token=model.piece(target),
            against=None if against is None else model.piece(against),
            text_before=token.text,
            prompt=False,
            settings=False,
        )
        begin = results.starter(name, now, lambda: hidden_words(model, token.ids, target, token.texts, method, unit, span, against))
        if two and against is None:
            raise InputError(_("Choose a second token, or type one."))
        results.start_button(name, _("Hide and measure"), begin, type="primary", icon=":material/visibility_off:")
    st.caption(f"{_(why_token.HIDING_LINES[method])} {why_token.about_probabilities(token, target)}")
    if start_here():
        begin()
        memory(_Shown).clicks = current.clicks()
        st.rerun()  # the button above becomes "Stop"
    results.part(name, now, begin, draw)
    browser.bring_into_view(f"result_{name}", memory(_Shown).clicks, key="why_words_in_view")


def bars_to_choose(distribution: TokenDistribution | Step) -> None:
    """Draw the bars of the step; a click on one chooses the second token."""
    key = "why_two_bars_given"

    def take() -> None:
        clicked = getattr(st.session_state.get(key), "go", None)
        if isinstance(clicked, int) and clicked in distribution.token_ids:
            st.session_state[why_token.AGAINST] = current.model().piece(clicked)

    st.caption(_("A click on a bar chooses the second token."))
    live.bars(distribution, ROWS, distribution_legend.entries(), key=key, on_click=take)


def passage(token: ExplainedToken) -> tuple[int, int]:
    """Draw the choice of the first and the last token of a passage, and return it as a span."""
    places = range(len(token.texts))

    def title(index: int) -> str:
        return f"{index + 1} {token.texts[index]}"

    first, last = st.select_slider(
        _("From the first to the last token"),
        places,
        (places[-1] // 2, places[-1] - 1 or 1),
        key="why_passage",
        format_func=title,
        width=420,
    )
    return int(first), int(last) + 1


def draw(run: Experiment) -> None:
    """Draw what is known so far."""
    result: HiddenWords = run.observations[-1]
    if run.running:
        progress = (
            _("{done} of {total} parts hidden") if result.done < result.total else _("{done} of {total} parts hidden; now the gradients")
        )
        st.progress(min(1.0, result.done / result.total), text=progress.format(done=result.done, total=result.total))
    if not result.parts:
        return
    headline(result)
    draw_directions(result.target, result.against, (_("raises its probability"), _("lowers it")), ("chosen", _("the token")))
    alt_text = _("The text; the stronger the tint of a word, the more the token depended on it.")
    scored_text(effect_words(result), key="why_words_text", alt_text=alt_text)
    left, right = st.columns([0.62, 0.38], gap="large")
    with left:
        bars(result)
    with right, st.container(key="detail_why_gradients"), st.expander(_("Do fast estimates agree?"), key="why_gradients"):
        second_opinion(result)


def headline(result: HiddenWords) -> None:
    """Draw one sentence: without the part that speaks most for the token, what becomes of its probability.

    If no part speaks for it, the one that speaks most against it.
    """
    part = max(result.parts, key=lambda hidden_part: hidden_part.effect)
    if not part.effect > 0:
        part = min(result.parts, key=lambda hidden_part: hidden_part.effect)
    sentence = _("Without {word}, the probability of “{token}” is {after} instead of {before}.")
    elements.section(
        sentence.format(
            word=quoted(plain(shortened(text_of(result, part), 60))) + which_of(result, part),
            token=plain(word_of(result.target, result.against)),
            after=numbers.percent(result.without(part)),
            before=numbers.percent(result.probability),
        )
    )
    if result.against:
        speakers = _("For “{token}” speak most: {words}. For “{other}”: {others}.")
        for_it, for_other = (
            ", ".join(quoted(plain(shortened(text_of(result, part)))) + which_of(result, part) for part in side) for side in sides(result)
        )
        token, other = (plain(word_of(token)) for token in (result.target, result.against))
        none = _("no word")
        st.markdown(speakers.format(token=token, other=other, words=for_it or none, others=for_other or none))


def bars(result: HiddenWords) -> None:
    """Draw the largest effects."""
    term = _("change of the difference between both logits, bits") if result.against else _("change of the token's log-probability, bits")
    elements.section(_("The largest effects"), term)
    rows, beside = effect_rows(result), any(part.gradient is not None for part in result.parts)
    if beside:
        legend((RAISES, _("measured")), ("removed", _("estimated from gradients")))
    alt_text = _("Bars: by how many bits the token's log-probability falls without each part; to the left, where it rises.")
    chart.draw(signed_bars, rows, key="why_words_bars", alt_text=alt_text, rows=len(rows), beside=beside)
    with st.container(key="detail_why_file"):
        if len(rows) < len(result.parts):
            sentence = _("The other {count} parts change the probability less, or not at all. The file has all of them.")
            st.caption(sentence.format(count=numbers.whole(len(result.parts) - len(rows))))
        elements.table_button(lambda: csv_text(effect_table(result)), "hidden_words.csv", "why_words_csv")


def second_opinion(result: HiddenWords) -> None:
    """Draw how far the gradient map agrees with the measurement."""
    st.caption(_("integrated gradients"))
    if result.note:
        st.caption(_(result.note))
        return
    if result.agreement is None and result.parts[0].gradient is None:
        st.caption(_("The gradients are computed when all parts have been hidden."))
        return
    if result.agreement is None:
        st.caption(_("Gradients estimate all effects without hiding anything. With fewer than three parts there is no order to compare."))
        return
    st.metric(_("Rank correlation with the measured effects"), numbers.decimal(result.agreement, 2), width="content")
    if result.agreement >= CLOSE:
        st.markdown(_("Both put the words in nearly the same order."))
    elif result.agreement >= LOOSE:
        st.markdown(_("Both agree only roughly."))
    else:
        st.markdown(_("The two disagree. Here the estimates would mislead."))
    st.caption(
        _(
            "1: the same order of words, 0: no relation. Gradients estimate the effect of each word without hiding it, so many "
            "tools colour texts by them. They are less exact. The thick bars are measured: each is a real pass without that part."
        )
    )


def text_of(result: HiddenWords, part: HiddenPart) -> str:
    """Return the text of a hidden part, in one line."""
    return " ".join("".join(result.texts[part.start : part.stop]).replace("␣", " ").split())


def which_of(result: HiddenWords, part: HiddenPart) -> str:
    """Return which of several parts with the same text this one is, "" if there is one alone."""
    same = [other_part for other_part in result.parts if text_of(result, other_part) == text_of(result, part)]
    if len(same) < 2:
        return ""
    number = 1 + sum(other_part.start < part.start for other_part in same)
    return " " + _("({number} of {count} in the text)").format(number=number, count=len(same))


def strongest(result: HiddenWords) -> list[HiddenPart]:
    """Return the parts with the largest effects, those for the token first, then those against it; parts without effect only if all are."""
    order = sorted((part for part in result.parts if math.isfinite(part.effect)), key=lambda part: -abs(part.effect))
    most = [part for part in order[:MOST_BARS] if abs(part.effect) >= SMALL * BIT]
    return sorted(most or order[:3], key=lambda part: -part.effect)


def sides(result: HiddenWords) -> tuple[list[HiddenPart], list[HiddenPart]]:
    """Return the parts that speak most for the token, and those for the other one; at most three each, without minor ones."""
    parts = strongest(result)
    least = max(SMALL * BIT, MINOR * max((abs(part.effect) for part in parts), default=0.0))
    raising, lowering = ([part for part in parts if sign * part.effect >= least] for sign in (1, -1))
    return raising[:3], lowering[:-4:-1]


def effect_rows(result: HiddenWords) -> pd.DataFrame:
    """Return the largest effects in bits. Columns: see `signed_bars`."""
    rows = []
    for row, part in enumerate(strongest(result)):
        without = _("without it: {share}").format(share=numbers.percent(result.without(part)))
        rows.append(
            {
                "place": row,
                "part": f"{shortened(text_of(result, part))}{chr(0x200B) * row}",  # equal words are different rows
                "effect": part.effect / BIT,
                "second": None if part.gradient is None else part.gradient / BIT,
                "label": signed_bits(part.effect),
                "tip": f"{signed_bits(part.effect)}; {without}",
            }
        )
    return pd.DataFrame(rows, columns=["place", "part", "effect", "second", "label", "tip"])


def effect_words(result: HiddenWords) -> list[Word]:
    """Return the text with every hidden part tinted by its effect, and the target at its end."""
    part_of = {position: part for part in result.parts for position in range(part.start, part.stop)}
    most = max((abs(part.effect) for part in result.parts if math.isfinite(part.effect)), default=1.0) or 1.0
    words = []
    for position, text in enumerate(result.texts):
        part = part_of.get(position)
        if part is None:
            words.append(Word(text))
            continue
        effect = part.effect if abs(part.effect) > SMALL * BIT else 0.0
        lines = (_("{bits} for {piece}").format(bits=signed_bits(part.effect), piece=result.target),)
        bars = (
            (_("with it"), result.probability, numbers.percent(result.probability), True),
            (_("without it"), result.without(part), numbers.percent(result.without(part)), False),
        )
        words.append(Word.signed(text, effect, most, lines=lines, bars=bars))
    return [*words, Word(result.target, "chosen", DARKEST, marked=True, head=numbers.percent(result.probability))]


def effect_table(result: HiddenWords) -> pd.DataFrame:
    """Return all hidden parts, for a file. Columns: start, stop, text, effect_bits, probability_without, gradient_bits."""
    return pd.DataFrame(
        [
            {
                "start": part.start,
                "stop": part.stop,
                "text": "".join(result.texts[part.start : part.stop]),
                "effect_bits": part.effect / BIT,
                "probability_without": result.without(part),
                "gradient_bits": math.nan if part.gradient is None else part.gradient / BIT,
            }
            for part in result.parts
        ]
    )
