"""The page about waiting: one request under both policies, the curve, a hostile prompt, and a browser that says anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.labs.waiting import LOADS, LoadPoint
from pages.parts.charts import waiting_charts
from pages.parts.components.round_trip.round_trip import RoundTrip, read
from tests.pages.test_cache import run_on, said


@pytest.mark.usefixtures("no_recordings")
def test_one_request_among_many(open_app: Callable[..., AppTest], session: Callable[[AppTest], Any]) -> None:
    app = open_app(page="waiting.py", model="storyteller-mini", prompt="Once upon a time")
    assert not app.exception and (
        "Press the button: the same crowd comes twice, to a server that takes one at a time and to one that batches continuously."
    ) in said(app)
    app.segmented_control(key="waiting_length").set_value(8).run()
    app.button(key="waiting_start").click().run()
    run_on(app, 200)
    assert not app.exception
    last = {one.policy: one for one in session(app).results["waiting"].seen}
    assert all(one.finished and len(one.token_times) <= 8 for one in last.values()) and len(last) == 2
    assert "had your whole answer after" in said(
        app
    ) and "Network and drawing are measured by your browser, which has not told them yet." in said(app)


def test_the_curve_to_its_end(open_app: Callable[..., AppTest], session: Callable[[AppTest], Any]) -> None:
    app = open_app(page="waiting.py", model="storyteller-mini")
    app.button(key="waiting_curve_start").click().run()
    run_on(app, 300)
    assert not app.exception and "of the load:" in said(app) and "computed" in said(app)
    points = [one for one in session(app).results["waiting_curve"].seen if isinstance(one, LoadPoint)]
    assert [one.load for one in points[::2]] == list(LOADS)


def test_it_begins_with_a_timeline_and_a_curve(open_app: Callable[..., AppTest]) -> None:
    app = open_app(page="waiting.py")
    told = said(app)
    assert not app.exception and "had your whole answer after" in told and "of the load:" in told
    assert (
        "Press the button: the same crowd comes twice, to a server that takes one at a time and to one that batches continuously."
    ) not in told and (
        f"Press the button: {16} short requests, first each alone, then all of them at three loads, under both policies."
    ) not in told


def test_a_hostile_prompt(open_app: Callable[..., AppTest]) -> None:
    app = open_app(page="waiting.py", model="storyteller-mini", prompt="word " * 900)
    app.button(key="waiting_start").click().run()
    run_on(app)
    assert not app.exception and "Shorten it" in said(app)


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


def test_every_chart_renders_in_both_themes() -> None:
    for theme in ("light", "dark"):
        assert waiting_charts.timeline(theme)["layer"] and waiting_charts.load_curve(theme)["layer"]
