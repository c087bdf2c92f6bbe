"""The page about waiting: one request under both policies, the curve, a hostile prompt, and a browser that says anything."""

from __future__ import annotations

from typing import Any

from pages.ui.components.browser.browser import RoundTrip, read_round_trip


def test_a_browser_may_say_anything() -> None:
    assert read_round_trip({"network": 0.02, "drawing": 0.016, "turn": 0}) == RoundTrip(0.02, 0.016)
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
        assert read_round_trip(told) is None
