"""Waiting as a page: what a browser may send, and one run delivered twice."""

from __future__ import annotations

from typing import Any

import pytest

from pages.ui.components.browser.browser import RoundTrip, read_round_trip
from pages.waiting import WAITING_VIEWS
from tests.pages.apptest import Open, State, press, run_on, said
from tests.tiny_models import some


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


@pytest.mark.slow
@pytest.mark.usefixtures("no_recordings")
@pytest.mark.parametrize("typed", some(["", "zzzzqq", "a, the, and, was", ".*", "x" * 61, "a," * 60, "<b>", "🦊"], {"", "zzzzqq"}))
def test_one_run_delivered_twice(typed: str, open_app: Open, session: State) -> None:
    app = open_app(page="waiting", prompt="Once upon a time")
    app.segmented_control(key="waiting_view").set_value(WAITING_VIEWS[1]).run()
    assert "There is no text to deliver yet. Press Write." in said(app)
    app.text_input(key="compare_words").set_value(typed)
    run_on(press(app, "compare_stream_start"))
    told = said(app)
    assert ("measured" in told) or ("The filter takes up to" in told)
