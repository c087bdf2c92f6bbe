"""The page about waiting: one request under both policies, the curve, a hostile prompt, and a browser that says anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from pages.ui.components.round_trip.round_trip import RoundTrip, read
from tests.pages.apptest import said


def test_it_begins_with_a_timeline_and_a_curve(open_app: Callable[..., AppTest]) -> None:
    app = open_app(page="waiting.py")
    told = said(app)
    assert not app.exception and "had your whole answer after" in told and "of the load:" in told
    assert (
        "Press the button: the same crowd comes twice, to a server that takes one at a time and to one that batches continuously."
    ) not in told and (
        f"Press the button: {16} short requests, first each alone, then all of them at three loads, under both policies."
    ) not in told


def test_a_browser_may_say_anything() -> None:
    assert read({"network": 0.02, "drawing": 0.016, "turn": 0}) == RoundTrip(0.02, 0.016)
    hostile: tuple[Any, ...] = (
        None,
        "x",
        3,
        [],
        {},
        {"network": "1", "drawing": 0},
        {"network": True, "drawing": 1},
        {"network": 1e300, "drawing": 0},
    )
    for told in (*hostile, {"network": float("nan"), "drawing": 0.1}, {"network": -0.1, "drawing": 0.1}):
        assert read(told) is None
