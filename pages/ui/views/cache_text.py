"""Text tinted by KV cache residency: what is held, just written, evicted, or not read yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import streamlit as st

from pages.ui.charts import charts, palette


def cache_text(texts: Sequence[str], held: Iterable[int], read: int, *, marked: range = range(0), label: str = "") -> None:
    """Show these tokens. held: positions on a page; read: how many have been read so far; marked: those that matter, underlined."""
    colours = palette.of(charts.theme())
    kept = set(held)
    styles = {
        "held": f"background:{colours.reused};color:{colours.text}",
        "new": f"background:{colours.computed};color:{colours.page}",
        "gone": f"color:{colours.muted_text};text-decoration:line-through",
        "ahead": f"color:{colours.muted_text};font-style:italic",
    }
    parts = []
    for position, text in enumerate(texts):
        kind = "ahead" if position >= read else "gone" if position not in kept else "new" if position == read - 1 else "held"
        under = f";border-bottom:2px solid {colours.text}" if position in marked else ""
        shown = escape(text).replace("\n", "↵") or "·"
        parts.append(f'<span style="{styles[kind]}{under};padding:0.1em 0;border-radius:2px">{shown}</span>{"<br>" * text.count(chr(10))}')
    st.html(
        f'<div role="img" aria-label="{escape(label)}" '
        'style="font-size:1.12rem;line-height:1.95;white-space:pre-wrap;overflow-wrap:anywhere">'
        f"{''.join(parts)}</div>"
    )


def fill_bar(share: float, caption: str = "") -> None:
    """Draw how full the notepad is, below a caption."""
    colours = palette.of(charts.theme())
    st.html(
        f'<div style="font-size:0.9rem;color:{colours.muted_text};font-variant-numeric:tabular-nums">{escape(caption)}</div>'
        f'<div style="height:7px;border-radius:4px;background:{colours.line};overflow:hidden;margin-top:4px;outline:1px solid transparent">'
        f'<div style="height:100%;width:{min(1.0, max(0.0, share)) * 100:.2f}%;background:{colours.computed};'
        'forced-color-adjust:none"></div></div>'
    )


def share_bar(name: str, share: float | None, number: str, note: str = "") -> None:
    """A probability on a fixed axis from 0 to 100 %, with its name before and its number behind it."""
    colours = palette.of(charts.theme())
    width = 0 if share is None else max(0.0, min(1.0, share)) * 100
    st.html(
        f'<div style="margin-bottom:0.35rem"><div style="display:flex;justify-content:space-between;align-items:baseline;gap:1rem">'
        f"<span>{escape(name)}</span>"
        f'<span style="font-size:1.35rem;font-weight:600;font-variant-numeric:tabular-nums">{escape(number)}</span></div>'
        f'<div style="height:14px;border-radius:4px;background:{colours.line};overflow:hidden;outline:1px solid transparent">'
        f'<div style="height:100%;width:{width:.2f}%;background:{colours.dice};border-radius:4px;forced-color-adjust:none"></div></div>'
        f'<div style="font-size:0.88rem;color:{colours.muted_text};margin-top:0.2rem">{escape(note)}</div></div>'
    )
