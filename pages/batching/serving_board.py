"""Serving board: one or two servers on one time scale, each with its requests, slots and KV blocks, and the menu that saves it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from core.palette import Palette
from core.reports.chart_picture import WIDE, Drawing
from core.reports.drawing import rect, svg, text
from pages.batching.serving_board_rows import Board, SideRows
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _, said
from pages.ui.views.chart import saved_as
from pages.ui.views.save_chart import Saved

READER_STATES = {
    "queued": N_("waits"),
    "prefill": N_("prompt is read (prefill)"),
    "decode": N_("writes (decode)"),
    "stalled": N_("stalled"),
    "preempted": N_("preempted, to be computed again"),
}

STATES = {"queued": "muted_text", "prefill": "computed", "decode": "dice", "stalled": "doubt", "preempted": "other"}
BLOCKS = {"free": N_("free"), "known": N_("free, prefix still cached"), "held": N_("held (number of the request)"), "shared": N_("shared")}
BLOCK_INKS = {"free": "line", "known": "reused", "held": "model", "shared": "computed"}
KINDS = {-1: "free", -2: "known", -3: "shared"}  # of blocks that no single request holds
LONGEST_TEXT = 150  # characters
SHOWN_PROMPT = 60  # characters
SHORT = 90  # characters of a text that are shown after its prompt


def serving_board(board: Board, titles: Sequence[str], lines: Sequence[str], slots: Sequence[int], *, key: str, clock: float = 0.0) -> None:
    """Draw the servers. titles, lines: name and description of each policy; slots: how many requests each runs at once.

    clock: end of the time scale in seconds, for a server whose iterations are not known.
    """
    longest = max(*(side.clock for side in board.sides), clock, 1e-6)

    def saved() -> Saved:
        return Saved(
            " · ".join(titles),
            lambda c: drawn_board(board, titles, longest, c),
            board_table(board),
            legend=tuple(zip(STATES.values(), said(READER_STATES).values(), strict=True)),
        )

    sides = zip(board.sides, titles, lines, slots, strict=True)
    parts = (_side(board, side, longest, title, line, count) for side, title, line, count in sides)
    with saved_as(key, saved):
        st.html(f'<div class="tv-board">{"".join(parts)}</div>')


def _side(board: Board, side: SideRows, longest: float, title: str, line: str, slots: int) -> str:
    """Return one server as HTML."""
    time = numbers.duration(side.clock) if side.iterations else ""
    rows = zip(board.who, side.spans, side.texts, side.done, strict=True)
    used = ((start, stop, f"{count} / {slots}", f"height:{100 * count / slots:.2f}%") for start, stop, count in side.slots)
    places = f"{_('slots in use')} ({slots})"
    until = side.slots[-1][1] if side.slots else 0.0
    held = sum(holder not in (-1, -2) for holder in side.blocks)
    blocks = f"{_('blocks of the KV cache in use:')} {held} / {len(side.blocks)}" if side.blocks else ""
    return (
        f'<section class="side"><div class="head"><span>{escape(title)}</span><span class="clock">{time}</span></div>'
        f'<p class="line">{escape(line)}</p>{"".join(_request(*row, longest) for row in rows)}'
        f'<p class="small">{escape(places)}</p>'
        f'<div class="used" style="--until:{100 * until / longest:.3f}%">{_bars(used, longest)}</div>'
        f'<p class="small">{escape(blocks)}</p><div class="blocks">{"".join(map(_block, side.blocks))}</div></section>'
    )


def _request(request: Any, spans: Sequence[Sequence[Any]], text: str, is_finished: bool, longest: float) -> str:
    """Return one request as HTML: its time, and the end of its text."""
    kinds = said(READER_STATES)
    prompt = request.prompt[-SHOWN_PROMPT:] if len(text) < SHORT else ""
    bars = _bars(((start, stop, kinds[kind], "", kind) for start, stop, kind in spans), longest)
    return (
        f'<div class="row"><span class="name{" done" if is_finished else ""}">{request.reader_id + 1}</span><div class="track">{bars}</div>'
        f'<div class="told"><span><span class="own">{escape(prompt)}</span>'
        f'<span class="text">{escape(tail(text))}</span></span></div></div>'
    )


def _bars(spans: Iterable[Sequence[Any]], longest: float) -> str:
    """Return bars of (start, stop, title, style, kind) as HTML."""
    return "".join(
        f'<i class="{"".join(kind)}" title="{escape(title)}" '
        f'style="left:{100 * start / longest:.3f}%;width:{100 * (stop - start) / longest:.3f}%;{style}"></i>'
        for start, stop, title, style, *kind in spans
    )


def _block(holder: int) -> str:
    """Return one block of the KV cache as HTML. holder: number of its request, or a key of KINDS."""
    kind = KINDS.get(holder, "held")
    number = str(holder + 1) if kind == "held" else "=" if kind == "shared" else ""
    return f'<b class="{kind}" title="{escape(_(BLOCKS[kind]))}">{number}</b>'


def drawn_board(servers: Board, titles: Sequence[str], longest: float, colours: Palette) -> Drawing:
    """Return the servers one below the other: each request's time, and the blocks of the KV cache."""
    parts, y = [], 0.0
    for side, title in zip(servers.sides, titles, strict=False):
        parts.append(text(0, y + 18, title, 17, colours.text, bold=True))
        parts.append(text(WIDE, y + 18, f"{side.clock:.2f} s" if side.iterations else "", 15, colours.muted_text, anchor="end"))
        y += 30
        for number, spans in enumerate(side.spans):
            parts.append(text(18, y + 12, str(number + 1), 13, colours.muted_text, anchor="end"))
            parts.append(rect(28, y, WIDE - 28, 14, colours.line, 3))
            for start, stop, kind in spans:
                x, wide = 28 + (WIDE - 28) * start / longest, (WIDE - 28) * (stop - start) / longest
                parts.append(rect(x, y, max(1.0, wide), 14, getattr(colours, STATES.get(kind, "line"))))
            y += 20
        drawn, high = _drawn_blocks(side, y + 8, colours)
        parts.append(drawn)
        y += high + 24
    return Drawing(svg(WIDE, y, *parts), WIDE, y)


def _drawn_blocks(side: SideRows, y: float, colours: Palette) -> tuple[str, float]:
    each, columns = 20, WIDE // 20
    parts = []
    for number, holder in enumerate(side.blocks):
        x, top = each * (number % columns), y + each * (number // columns)
        parts.append(rect(x, top, each - 2, each - 2, getattr(colours, BLOCK_INKS[KINDS.get(holder, "held")]), 3))
        if holder >= 0:
            parts.append(text(x + each / 2 - 1, top + 13, str(holder + 1), 10, colours.text, anchor="middle"))
    return "".join(parts), each * -(-len(side.blocks) // columns) + 8


def board_table(servers: Board) -> pd.DataFrame:
    """Return one row per time span of a request: server, request, kind, start and stop in seconds."""
    rows: list[tuple[Any, ...]] = [
        (index + 1, number + 1, kind, start, stop)
        for index, side in enumerate(servers.sides)
        for number, spans in enumerate(side.spans)
        for start, stop, kind in spans
    ]
    return pd.DataFrame(rows, columns=["server", "request", "kind", "start_seconds", "stop_seconds"])


def tail(text: str) -> str:
    """Return the end of a text, from the beginning of a word.

    >>> tail("The bus was red."), len(tail("One red bus. " * 20)) <= LONGEST_TEXT
    ('The bus was red.', True)
    """
    if len(text) <= LONGEST_TEXT:
        return text
    cut = text[1 - LONGEST_TEXT :]
    _part, space, words = cut.partition(" ")
    return f"…{words if space else cut}"
