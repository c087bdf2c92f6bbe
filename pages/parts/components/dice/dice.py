"""Dice strip, the cumulative distribution from 0 to 1: one piece per surviving token, largest first, and the roll as a marker."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.record.step import Step, TokenDistribution
from core.record.tables import dice_segments
from pages.parts.charts import charts
from pages.parts.layout import palette
from pages.parts.text import numbers, words

HERE = Path(__file__).parent
MOST_PIECES = 24  # what comes behind them is drawn as one piece

_DICE = st.components.v2.component(
    "dice_strip",
    html='<div class="dice"><div class="sky"><div class="marker"></div></div><div class="track"></div><div class="foot"><span>0</span>'
    '<span class="told"></span><span>1</span></div></div>',
    css=(HERE / "dice.css").read_text("utf-8"),
    js=(HERE / "dice.js").read_text("utf-8"),
)


def dice_strip(distribution: TokenDistribution | Step, *, key: str, still: bool = False) -> None:
    """Show what the dice can hit, and where they fell if they have been thrown. still: without movement."""
    segments = dice_segments(distribution)
    pieces = [
        (token_id, "" if token_id < 0 else piece.removeprefix("␣"), round(start, 5), round(end, 5), chosen)
        for token_id, piece, start, end, _, chosen in segments[:MOST_PIECES]
    ]
    if len(segments) > MOST_PIECES:
        pieces.append((-1, "", round(segments[MOST_PIECES][2], 5), 1.0, any(chosen for *_, chosen in segments[MOST_PIECES:])))
    _DICE(
        key=key,
        data={
            "colours": palette.as_data(palette.of(charts.theme())),
            "pieces": pieces,
            "roll": distribution.roll if isinstance(distribution, Step) else None,
            "throw": f"{distribution.index}:{distribution.token_id}:{distribution.roll}" if isinstance(distribution, Step) else "",
            "told": told(distribution),
            "alt": words.DICE_ALT,
            "still": still,
        },
    )


def told(distribution: TokenDistribution | Step) -> str:
    """One line that says what the dice did."""
    if not isinstance(distribution, Step):
        return words.DICE_WAIT_GREEDY if distribution.settings.greedy else words.DICE_WAIT
    if distribution.chosen_by == "forced":
        return words.DICE_FORCED.format(piece=distribution.piece)
    if distribution.roll is None:
        return words.DICE_GREEDY.format(piece=distribution.piece)
    return words.DICE_FELL.format(
        roll=f"{distribution.roll:.3f}", piece=distribution.piece, share=numbers.percent(distribution.sampling_probability)
    )
