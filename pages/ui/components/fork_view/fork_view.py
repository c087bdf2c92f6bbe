"""Two branches side by side: what they share stands there once, then it parts. A click on a word forks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from core.language import _
from core.record.step import Step
from pages.ui.charts import charts, palette
from pages.ui.components.roving import with_roving
from pages.ui.i18n import numbers

HERE = Path(__file__).parent

HTML = (
    '<div class="fork"><p class="shared" role="group"></p><svg class="lines" viewBox="0 0 100 40" preserveAspectRatio="none">'
    '<path class="one"></path><path class="other"></path></svg><div class="sides"><section class="side one"><p class="told"></p>'
    '<p class="foot"></p></section><section class="side other"><p class="told"></p><p class="foot"></p></section></div>'
    '<div class="card" hidden></div></div>'
)

_VIEW = st.components.v2.component(
    "fork_view",
    html=HTML,
    css=(HERE / "fork_view.css").read_text("utf-8"),
    js=with_roving(HERE / "fork_view.js"),
)


@dataclass(frozen=True, slots=True)
class Side:
    """One column. steps: its own words; planned: the words it will begin with, while they are not written yet; foot: its end."""

    steps: Sequence[Step]
    planned: str
    foot: str


@dataclass(frozen=True, slots=True)
class Picked:
    """A word that was clicked. side: 0 for what both share, 1 or 2 for a column; index: the step's index."""

    side: int
    index: int


def fork_view(prompt: str, shared: Sequence[Step], sides: tuple[Side, Side], *, key: str, opened: Picked | None = None) -> Picked | None:
    """Draw both branches; returns the word that was just clicked, if any."""
    said = _VIEW(
        key=key,
        data={
            "colours": palette.as_data(palette.of(charts.theme())),
            "prompt": prompt,
            "shared": [_word(step) for step in shared],
            "sides": [{"words": [_word(step) for step in side.steps], "planned": side.planned, "foot": side.foot} for side in sides],
            "first": len(shared),
            "opened": None if opened is None else [opened.side, opened.index],
            "hint": _("click to fork here"),
        },
        on_pick_change=_nothing,
    )
    return picked(said.pick, len(shared), tuple(len(side.steps) for side in sides))


def picked(said: Any, shared: int, lengths: Sequence[int]) -> Picked | None:
    """What the browser sent, if there is such a word."""
    if not isinstance(said, list | tuple) or len(said) != 2 or any(isinstance(x, bool) or not isinstance(x, int) for x in said):
        return None
    side, index = said
    if side not in (0, 1, 2):
        return None
    low, high = (0, shared) if side == 0 else (shared, shared + lengths[side - 1])
    return Picked(side, index) if low <= index < high else None


def _word(step: Step) -> tuple[str, float, bool, str]:
    """Text, depth of its tint from 0 to 1, whether it was put there, and the line on its card."""
    told = _("{share} for the model, rank {rank}").format(share=numbers.percent(step.model_probability), rank=numbers.whole(step.rank))
    return (
        step.text or (step.piece if step.token_id not in _ends(step) else ""),
        round(step.model_probability, 3),
        step.chosen_by == "forced",
        told,
    )


def _ends(step: Step) -> frozenset[int]:
    return getattr(step.vocabulary, "end_token_ids", frozenset())


def _nothing() -> None:
    """The page reads the pick from what is returned."""
