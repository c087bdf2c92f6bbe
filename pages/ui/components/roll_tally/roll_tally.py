"""Resampling tally: one step rolled many times beside its bars. The text does not change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from core.generation.resample import resample
from core.language import N_, _, current, said
from core.record.step import Step, TokenDistribution
from pages.ui.charts import charts, palette

TALLY = {
    "hundred": N_("Roll 100 times"),
    "thousand": N_("Roll 1,000 times"),
    "sweep": N_("Sweep away"),
    "count": N_("{n} rolls"),
    "before": N_("Colour: what to expect. Dark: what came. The line: how far luck usually reaches."),
    "told": N_("{within} of {all} came as close as luck usually allows. The more rolls, the closer."),
}


HERE = Path(__file__).parent
ROWS = 8  # tokens with a bar of their own; the others share one
READY = 3_000  # rolls that are sent along

HTML = (
    '<div class="tally"><div class="row"><button type="button"></button><button type="button"></button>'
    '<button type="button" class="quiet" hidden></button><span class="count" role="status"></span></div>'
    '<div class="sky"><canvas></canvas></div><div class="grid"></div><div class="told"></div></div>'
)

_TALLY = st.components.v2.component(
    "dice_tally",
    html=HTML,
    css=(HERE / "roll_tally.css").read_text("utf-8"),
    js=(HERE / "roll_tally.js").read_text("utf-8"),
)


def dice_tally(distribution: TokenDistribution | Step, *, key: str) -> None:
    """Show the bars of the dice with the tally below each."""
    _TALLY(key=key, data={"colours": palette.as_data(palette.of(charts.theme())), **tally_data(distribution)})


def tally_data(distribution: TokenDistribution | Step) -> dict[str, Any]:
    """Rows (name, expected share, kind), and for each roll its number and the row it hits."""
    alive = sorted((c for c in distribution.candidates if c.dice_start is not None), key=lambda c: c.dice_start or 0.0)[:ROWS]
    taken = distribution.token_id if isinstance(distribution, Step) else None
    rows = [(c.piece, c.sampling_probability, "taken" if c.token_id == taken else "") for c in alive]
    rest = 1.0 - sum(share for _id, share, _seen in rows)
    if rest > 1e-6:
        rows.append((_("everything else"), rest, "rest"))
    place = {c.token_id: i for i, c in enumerate(alive)}
    thrown = resample(distribution, READY)
    return {
        "rows": rows,
        "rolls": [round(number, 4) for number in thrown.rolls.tolist()],
        "picks": [place.get(i, len(rows) - 1) for i in thrown.token_ids.tolist()],
        "step": f"{distribution.index}:{distribution.position}:{hash((distribution.settings, tuple(distribution.token_ids.tolist())))}",
        "language": current(),
        "words": said(TALLY),
    }
