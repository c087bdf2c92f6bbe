"""Text tinted by KV cache residency (in the cache, just added, dropped, not read yet), the answers, and the gauge of the fill level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import streamlit as st

from core.experiments.memory.cache_budget import Answer, CacheStep
from core.record.step import Step, TokenDistribution
from core.sources.source import Source
from pages.ui.charts import cache_gauge
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _
from pages.ui.session import notices

ENDED = {
    "notepad full": N_("The KV cache is full, so the model stopped reading here."),
    "context full": N_("The model has no further positions. Dropped tokens free memory, but no positions."),
    "end of text": N_("The model ended its text here."),
}
UNSURE = 0.2  # probability below which the model does not know the answer even with the full cache


def gauge(distribution: TokenDistribution | Step, model: Source, *, key: str) -> None:
    """Draw the gauge after the forward pass of this step; the help shows the formula beside the measured bytes."""
    read = cache_gauge.reading(distribution, model)
    with st.container(key=key, gap=None):
        filled = f" :small[:gray[{read.filled}]]" if read.filled else ""
        st.markdown(f"**{read.used}**{filled}", help="\n\n".join(read.details))
        fill_bar(read.share)


def cache_and_fill(blocks: Sequence[CacheStep], texts: Sequence[str], share: int, marked: Sequence[int]) -> None:
    """Draw the text as far as it was read, and how full the cache is. share: bytes of this request."""
    last = blocks[-1] if blocks else None
    read = 0 if last is None else min(len(texts), last.position + (last.full is None))
    kept, held = (last.kept, last.bytes) if last else ((), 0)
    cache_text(texts, kept, read, marked=marked, label="".join(texts))
    lines = _("{pages} lines · {size} of {share}").format(pages=len(kept), size=numbers.size(held), share=numbers.size(share))
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


def cache_text(texts: Sequence[str], held: Iterable[int], read: int, *, marked: Sequence[int] = (), label: str = "") -> None:
    """Draw these tokens. held: positions in the cache. read: how many tokens have been read. marked: positions to underline."""
    kept = set(held)
    styles = {
        "held": "background:var(--tv-reused);color:var(--tv-text)",
        "new": "background:var(--tv-computed);color:var(--tv-page)",
        "gone": "color:var(--tv-muted-text);text-decoration:line-through",
        "ahead": "color:var(--tv-muted-text);font-style:italic",
    }
    parts = []
    for position, text in enumerate(texts):
        kind = "ahead" if position >= read else "gone" if position not in kept else "new" if position == read - 1 else "held"
        under = ";border-bottom:2px solid var(--tv-text)" if position in marked else ""
        shown = escape(text).replace("\n", '<i class="tv-line-end"></i>') or "·"
        parts.append(f'<span style="{styles[kind]}{under};padding:0.1em 0;border-radius:2px">{shown}</span>{"<br>" * text.count(chr(10))}')
    st.html(
        f'<div role="img" aria-label="{escape(label)}" '
        'style="font-size:1.12rem;line-height:1.95;white-space:pre-wrap;overflow-wrap:anywhere">'
        f"{''.join(parts)}</div>"
    )


def fill_bar(share: float, caption: str = "") -> None:
    """Draw how full the KV cache is, below a caption."""
    st.html(
        f'<div style="font-size:0.9rem;color:var(--tv-muted-text);font-variant-numeric:tabular-nums">{escape(caption)}</div>'
        f'<div style="height:7px;border-radius:4px;background:var(--tv-line);overflow:hidden;margin-top:4px;outline:1px solid transparent">'
        f'<div style="height:100%;width:{min(1.0, max(0.0, share)) * 100:.2f}%;background:var(--tv-computed);'
        'forced-color-adjust:none"></div></div>'
    )


def share_bar(name: str, share: float | None, number: str, note: str = "") -> None:
    """Draw a probability as a bar from 0 to 100 %, with its name and its number."""
    width = 0 if share is None else max(0.0, min(1.0, share)) * 100
    st.html(
        f'<div style="margin-bottom:0.35rem"><div style="display:flex;justify-content:space-between;align-items:baseline;gap:1rem">'
        f"<span>{escape(name)}</span>"
        f'<span style="font-size:1.35rem;font-weight:600;font-variant-numeric:tabular-nums">{escape(number)}</span></div>'
        f'<div style="height:14px;border-radius:4px;background:var(--tv-line);overflow:hidden;outline:1px solid transparent">'
        f'<div style="height:100%;width:{width:.2f}%;background:var(--tv-dice);border-radius:4px;forced-color-adjust:none"></div></div>'
        f'<div style="font-size:0.88rem;color:var(--tv-muted-text);margin-top:0.2rem">{escape(note)}</div></div>'
    )
