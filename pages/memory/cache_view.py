"""What a limited KV cache holds of a text, and what it does to the answer."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.experiments.memory.cache_budget import Answer, CacheStep
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _
from pages.ui.session import notices
from pages.ui.views.cache_text import cache_text, fill_bar, share_bar

ENDED = {
    "notepad full": N_("The KV cache is full, so the model stopped reading here."),
    "context full": N_("The model has no further positions. Dropped tokens free memory, but no positions."),
    "end of text": N_("The model ended its text here."),
}
UNSURE = 0.2  # probability below which the model does not know the answer even with the full cache


def cache_and_fill(blocks: Sequence[CacheStep], texts: Sequence[str], share: int, marked: Sequence[int]) -> None:
    """Draw the text as far as it was read, and how full the cache is. share: bytes of this request."""
    last = blocks[-1] if blocks else None
    read = 0 if last is None else min(len(texts), last.position + (last.full is None))
    positions, held = (last.kept, last.bytes) if last else ((), 0)
    cache_text(texts, positions, read, marked=marked, label="".join(texts))
    lines = _("{pages} lines · {size} of {share}").format(pages=len(positions), size=numbers.size(held), share=numbers.size(share))
    fill_bar(held / share if share else 1.0, lines)
    if last is not None and last.full:
        notices.show_notice(_(ENDED[last.full]))


def answer_bars(answers: Sequence[Answer], titles: tuple[str, str]) -> None:
    """Draw the probability of the right answer with the full cache and with the limited one."""
    for column, title, seen in zip(st.columns(2, gap="large"), titles, (*answers, None, None), strict=False):
        with column:
            share_bar(title, seen.probability if seen else None, numbers.percent(seen.probability) if seen else "…", says(seen))


def says(seen: Answer | None) -> str:
    """Return what the model answers itself."""
    if seen is None:
        return ""
    if seen.probability is None:
        return _("It read the question, but had no line left for the answer.") if seen.parts else _("It stopped before the question.")
    return _("It says: “{said}”").format(said=seen.said) if seen.said else _("It says nothing.")


def why(lost: bool, rounded: bool, answer_in_text: bool, before: float | None, after: float) -> str:
    """Return why the probability of the right answer changed, and by which factor. answer_in_text: the text contains it word for word."""
    cause = (
        _("The answer was on dropped lines. The model can no longer attend to them.")
        if lost
        else _("Every line is there, but rounded.")
        if rounded
        else _("Every line of the sentence with the answer is still there.")
        if answer_in_text
        else _("No sentence of this text contains the answer word for word, so its lines cannot be named.")
    )
    if before and after > 0 and before / after >= 2:
        factor = numbers.count(before / after) if before / after >= 10 else numbers.decimal(before / after, 1)
        cause += " " + _("The right answer became **{factor} times less likely**.").format(factor=factor)
    if (before or 0) < UNSURE:
        cause += " " + _("This model is unsure of the answer even with the full cache.")
    return cause
