"""The page of fewer bits: all of them run to their end, one part at a time too, and nothing hostile breaks it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from core.labs.quantization import BITS
from pages.parts.charts import serving_charts
from tests.pages.test_cache import run_on, said


def test_rounding_to_the_end(open_app: Callable[..., AppTest], session: Callable[[AppTest], Any]) -> None:
    app = open_app(page="quantization.py", model="storyteller-mini", prompt="Once upon a time")
    app.button(key="quantization_start").click().run()
    run_on(app, 200)
    assert not app.exception
    found = session(app).results["quantization"].seen
    assert [one.bits for one in found] == list(BITS) and found[0].mean_kl < found[3].mean_kl < found[-1].mean_kl
    assert "full precision and 4 bits" in said(app) and "of the weights are rounded" in said(app)
    app.segmented_control(key="quantization_bits").set_value(2).run()
    assert not app.exception and "full precision and 2 bits" in said(app)
    app.button(key="quantization_parts").click().run()
    run_on(app, 200)
    assert not app.exception and len(session(app).results["quantization_parts"].seen) == 2 * 3 + 1


def test_the_notepad_in_fewer_bits(open_app: Callable[..., AppTest], session: Callable[[AppTest], Any]) -> None:
    app = open_app(page="quantization.py", model="storyteller-mini", prompt="Once upon a time")
    app.button(key="quantization_notepad").click().run()
    run_on(app, 200)
    assert not app.exception and (
        "| bits a number | note\u00adpad | diver\u00adgence (KL, nats) | favour\u00adites kept | perplex\u00adity |"
    ) in said(app)
    assert [one.bits for one in session(app).results["quantization_notepad"].seen] == [8, 4]


def test_the_notepad_is_there_from_the_beginning(open_app: Callable[..., AppTest]) -> None:
    app = open_app(page="quantization.py")
    assert (
        not app.exception
        and ("| bits a number | note\u00adpad | diver\u00adgence (KL, nats) | favour\u00adites kept | perplex\u00adity |") in said(app)
        and "Press the button: the weights stay as they are, and keys and values are kept at 8 and at 4 bits." not in said(app)
    )


def test_a_hostile_prompt(open_app: Callable[..., AppTest]) -> None:
    app = open_app(page="quantization.py", model="storyteller-mini", prompt="word " * 900)
    app.button(key="quantization_start").click().run()
    run_on(app)
    assert not app.exception and "Shorten it" in said(app)


def test_every_chart_renders_in_both_themes() -> None:
    for theme in ("light", "dark"):
        assert serving_charts.two_bars(theme, 8)["layer"] and serving_charts.part_heat(theme, 8)["layer"]
