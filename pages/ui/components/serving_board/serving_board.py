"""Two servers side by side: a timeline and the text of every reader, the slots in use, and the blocks of the notepad."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from core.language import N_, _, said
from pages.ui.charts import charts
from pages.ui.charts.serving_rows import Board, SideRows
from pages.ui.i18n import names, numbers

BLOCKS = {
    "free": N_("free"),
    "known": N_("free, beginning still known"),
    "held": N_("held (the reader's number)"),
    "shared": N_("shared"),
}


HERE = Path(__file__).parent
SHOWN = 150  # characters of a text
OWN = 60  # of them, of the reader's prompt

_BOARD = st.components.v2.component(
    "serving_board",
    html='<div class="board"></div>',
    css=(HERE / "serving_board.css").read_text("utf-8"),
    js=(HERE / "serving_board.js").read_text("utf-8"),
)


def serving_board(
    board: Board, titles: tuple[str, ...], lines: tuple[str, ...], slots: tuple[int, ...], *, key: str, clock: float = 0.0
) -> None:
    """Draw the sides on one scale of time. titles, lines: what each policy is called and does; slots: how many each has.

    clock: how far time has come, seconds, where it was not this app's server that worked.
    """
    longest = max(*(side.clock for side in board.sides), clock, 1e-6)
    blocks = {f"block_{name}": _(told) for name, told in BLOCKS.items()}
    _BOARD(
        key=key,
        data={
            "colours": charts.colours(),
            "longest": longest,
            "scale": numbers.duration(longest),
            "words": {"slots": _("slots in use"), "notepad": _("blocks of the notepad in use:"), **said(names.READER_STATES), **blocks},
            "sides": [_side(board, *entry) for entry in zip(board.sides, titles, lines, slots, strict=True)],
        },
    )


def _side(board: Board, side: SideRows, title: str, line: str, slots: int) -> dict[str, Any]:
    return {
        "title": title,
        "line": line,
        "clock": numbers.duration(side.clock) if side.iterations else "",
        "slots": slots,
        "used": [[round(start, 6), round(stop, 6), rows] for start, stop, rows in side.slots],
        "readers": [
            {
                "name": str(reader.reader_id + 1),
                "spans": [[round(start, 6), round(stop, 6), kind] for start, stop, kind in spans],
                "prompt": reader.prompt[-OWN:],
                "text": text[-SHOWN:],
                "done": done,
            }
            for reader, spans, text, done in zip(board.who, side.spans, side.texts, side.done, strict=True)
        ],
        "blocks": list(side.blocks),
    }
