"""Text tinted by KV cache residency (in the cache, just added, dropped, not read yet), the answers, and the gauge of the fill level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import streamlit as st

from core.record.step import Step, TokenDistribution
from core.sources.source import Source
from pages.ui.charts import cache_gauge


def gauge(distribution: TokenDistribution | Step, model: Source, *, key: str) -> None:
    """Draw the gauge after the forward pass of this step; the help shows the formula beside the measured bytes."""
    read = cache_gauge.reading(distribution, model)
    with st.container(key=key, gap=None):
        filled = f" :small[:gray[{read.filled}]]" if read.filled else ""
        st.markdown(f"**{read.used}**{filled}", help="\n\n".join(read.details))
        fill_bar(read.share)


def cache_text(texts: Sequence[str], held: Iterable[int], read: int, *, marked: Sequence[int] = (), label: str = "") -> None:
    """Draw these tokens. held: positions in the cache. read: how many tokens have been read. marked: positions to underline."""
    in_cache = set(held)
    styles = {
        "held": "background:var(--tv-reused);color:var(--tv-text)",
        "new": "background:var(--tv-computed);color:var(--tv-page)",
        "gone": "color:var(--tv-muted-text);text-decoration:line-through",
        "ahead": "color:var(--tv-muted-text);font-style:italic",
    }
    parts = []
    for position, text in enumerate(texts):
        kind = "ahead" if position >= read else "gone" if position not in in_cache else "new" if position == read - 1 else "held"
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
