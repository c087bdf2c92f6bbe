"""Dice strip, the cumulative distribution from 0 to 1: one piece per surviving token, largest first, and the roll as a marker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from core.language import _
from core.record.step import Step, TokenDistribution
from core.record.tables import dice_segments
from pages.ui.charts import charts, palette
from pages.ui.components.script import with_shared
from pages.ui.i18n import numbers

HERE = Path(__file__).parent
MOST_PIECES = 24  # single tokens; those behind them are too narrow to be told apart

HTML = (
    '<div class="dice"><div class="sky"><div class="marker"></div></div><div class="track"></div><div class="ground">'
    '<div class="spot" hidden></div></div><div class="foot"><span>0</span><span class="told"></span><span>1</span></div></div>'
)

_DICE = st.components.v2.component(
    "dice_strip",
    html=HTML,
    css=(HERE / "dice.css").read_text("utf-8"),
    js=with_shared(HERE / "dice.js"),
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the strip, from `start` to `end`: one token, or (token_id -1) many that lie side by side, of which none was taken."""

    token_id: int
    label: str
    start: float
    end: float
    chosen: bool = False


def strip_pieces(distribution: TokenDistribution | Step) -> list[Piece]:
    """The strip as it is drawn: the largest tokens and the one that was taken singly, each where it truly lies; all others in bundles."""
    pieces: list[Piece] = []
    singles = 0
    for token_id, piece, start, end, _share, chosen in dice_segments(distribution):
        if token_id >= 0 and (chosen or singles < MOST_PIECES):
            singles += not chosen
            pieces.append(Piece(token_id, piece.removeprefix("␣"), start, end, chosen))
        elif pieces and pieces[-1].token_id < 0:
            pieces[-1] = Piece(-1, _("many small pieces"), pieces[-1].start, end)
        else:
            pieces.append(Piece(-1, _("many small pieces"), start, end))
    return pieces


def dice_strip(distribution: TokenDistribution | Step, *, key: str, still: bool = False) -> None:
    """Show what the dice can hit, and where they fell if they have been thrown. still: without movement."""
    _DICE(key=key, data=strip_data(distribution, still, charts.theme()))


def strip_data(distribution: TokenDistribution | Step, still: bool = False, theme: str = "light") -> dict[str, Any]:
    """The strip as the browser gets it."""
    return {
        "colours": palette.as_data(palette.of(theme)),
        "pieces": [_drawn(piece) for piece in strip_pieces(distribution)],
        "roll": distribution.roll if isinstance(distribution, Step) else None,
        "roll_text": "" if not isinstance(distribution, Step) or distribution.roll is None else numbers.roll(distribution.roll),
        "throw": f"{distribution.index}:{distribution.token_id}:{distribution.roll}" if isinstance(distribution, Step) else "",
        "told": told(distribution),
        "alt": _("A strip from 0 to 1, cut into one piece per token that is still in the game; the marker shows where the dice fell."),
        "still": still,
    }


def _drawn(piece: Piece) -> tuple[int, str, float, float, bool, str]:
    return piece.token_id, piece.label, round(piece.start, 7), round(piece.end, 7), piece.chosen, numbers.chance(piece.end - piece.start)


def told(distribution: TokenDistribution | Step) -> str:
    """One line that says what the dice did."""
    if not isinstance(distribution, Step):
        return (
            _("greedy: the favourite is taken, no dice")
            if distribution.settings.greedy
            else _("wide pieces are easier to hit; one number between 0 and 1 decides")
        )
    if distribution.chosen_by == "forced":
        return _("you chose “{piece}”; no dice were thrown").format(piece=distribution.piece)
    if distribution.roll is None:
        return _("greedy took the favourite, “{piece}”").format(piece=distribution.piece)
    return _("the dice fell on {roll}: “{piece}” had {share} of the strip").format(
        roll=numbers.roll(distribution.roll), piece=distribution.piece, share=numbers.chance(distribution.sampling_probability)
    )
