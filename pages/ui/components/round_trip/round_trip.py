"""The way between this browser and this server, measured by the browser: there and back for the smallest answer, and one frame drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent
LONGEST = 60.0  # seconds; more is no measurement

_TRIP = st.components.v2.component("round_trip", html="<span hidden></span>", js=(HERE / "round_trip.js").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """Seconds: network, there and back; drawing, from one frame of the browser to the next."""

    network: float
    drawing: float


def round_trip(turn: int, *, key: str) -> RoundTrip | None:
    """What was measured; None as long as nothing is. turn: another number measures anew."""
    found = _TRIP(key=key, data={"turn": turn}, on_measured_change=lambda: None)
    return read(getattr(found, "measured", None))


def read(told: Any) -> RoundTrip | None:
    """What the browser says, if it can be true: it may say anything.

    >>> read({"network": 0.02, "drawing": 0.016}), read({"network": -1, "drawing": 0}), read("soon")
    (RoundTrip(network=0.02, drawing=0.016), None, None)
    """
    values = [told.get(name) for name in ("network", "drawing")] if isinstance(told, dict) else [None]
    if any(isinstance(one, bool) or not isinstance(one, int | float) for one in values):
        return None
    network, drawing = (float(one) for one in values if one is not None)
    sound = all(math.isfinite(one) and 0 <= one <= LONGEST for one in (network, drawing))
    return RoundTrip(network, drawing) if sound else None
