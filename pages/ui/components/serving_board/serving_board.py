"""Serving board: one or two servers on one time scale, each with its requests, slots and KV blocks."""

from __future__ import annotations

from typing import Any

from pages.ui.charts.serving_rows import Board, SideRows
from pages.ui.components.register import component
from pages.ui.i18n import names, numbers
from pages.ui.i18n.language import N_, _, said

BLOCKS = {"free": N_("free"), "known": N_("free, prefix still cached"), "held": N_("held (number of the request)"), "shared": N_("shared")}
LONGEST_TEXT = 150  # characters
LONGEST_PROMPT = 60  # characters

_BOARD = component("serving_board", '<div class="board"></div>')


def serving_board(
    board: Board, titles: tuple[str, ...], lines: tuple[str, ...], slots: tuple[int, ...], *, key: str, clock: float = 0.0
) -> None:
    """Draw the servers. titles, lines: name and description of each policy; slots: how many requests each runs at once.

    clock: end of the time scale in seconds, for a server whose iterations are not known.
    """
    longest = max(*(side.clock for side in board.sides), clock, 1e-6)
    blocks = {f"block_{name}": text for name, text in said(BLOCKS).items()}
    _BOARD(
        key=key,
        data={
            "longest": longest,
            "scale": numbers.duration(longest),
            "words": {"slots": _("slots in use"), "notepad": _("blocks of the KV cache in use:"), **said(names.READER_STATES), **blocks},
            "sides": [_side(board, *entry) for entry in zip(board.sides, titles, lines, slots, strict=True)],
        },
    )


def _side(board: Board, side: SideRows, title: str, line: str, slots: int) -> dict[str, Any]:
    """Return one server as the browser gets it."""
    return {
        "title": title,
        "line": line,
        "clock": numbers.duration(side.clock) if side.iterations else "",
        "slots": slots,
        "used": [[round(start, 6), round(stop, 6), rows] for start, stop, rows in side.slots],
        "requests": [
            {
                "name": str(request.reader_id + 1),
                "spans": [[round(start, 6), round(stop, 6), kind] for start, stop, kind in spans],
                "prompt": request.prompt[-LONGEST_PROMPT:],
                "text": text[-LONGEST_TEXT:],
                "done": done,
            }
            for request, spans, text, done in zip(board.who, side.spans, side.texts, side.done, strict=True)
        ],
        "blocks": list(side.blocks),
    }
