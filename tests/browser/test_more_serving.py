"""Fewer bits, pupil and teacher, waiting: what a visitor presses there, and whether the numbers on screen go together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.test_serving import LONG

pytestmark = pytest.mark.browser
CELLS = """key => [...document.querySelectorAll(`.st-key-${key} table tbody tr`)].map(
  row => [...row.querySelectorAll("td")].map(cell => cell.textContent.trim()))"""


def press(page: Any, name: str) -> None:
    """Press a button and wait until what it began is over."""
    page.locator(f".st-key-{name}_start button").first.click()
    page.locator(f".st-key-{name}_stop button").first.wait_for(timeout=LONG)
    page.locator(f".st-key-{name}_start button").first.wait_for(timeout=LONG)


def test_fewer_bits_are_smaller_and_further_away(at: Callable[..., Any]) -> None:
    page = at("quantization")
    press(page, "quantization")
    page.locator(".st-key-result_quantization table tbody tr").nth(6).wait_for(timeout=LONG)
    rows = page.evaluate(CELLS, "result_quantization")
    assert [row[0] for row in rows] == ["full precision", "16", "8", "6", "4", "3", "2"]
    sizes = [float(row[1].split()[0]) for row in rows]
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] < sizes[0] / 3
    page.locator(".st-key-result_quantization svg.marks").first.wait_for(timeout=LONG)
    page.locator(".st-key-quantization_notepad button").click()
    page.locator(".st-key-recorded_quantization_notepad").wait_for(state="detached", timeout=LONG)
    page.locator(".st-key-result_quantization_notepad table tbody tr").nth(2).wait_for(timeout=LONG)
    held = page.evaluate(CELLS, "result_quantization_notepad")
    assert [row[0] for row in held] == ["full precision", "8", "4"]


def test_a_pupil_is_judged_and_takes_turns(at: Callable[..., Any]) -> None:
    page = at("pupil", width=390)
    press(page, "pupil")
    page.get_by_text("Same favourite at").wait_for(timeout=LONG)
    page.locator(".st-key-result_pupil table tbody tr").last.wait_for(timeout=LONG)
    rows = {row[0]: row[1:] for row in page.evaluate(CELLS, "result_pupil")}
    large, small = (float(cell.split()[0]) for cell in rows["weights"])
    assert large > 5 * small and all("MB" in cell for cell in rows["weights"])
    press(page, "pupil_cascade")
    page.get_by_text("the multiply-adds of the large one alone").wait_for(timeout=LONG)
    table = page.evaluate(CELLS, "result_pupil_cascade")
    assert [row[1] for row in table[1:]] == ["100\u00a0%", "0\u00a0%"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_way_to_this_browser_is_measured_and_stands_in_the_timeline(at: Callable[..., Any]) -> None:
    page = at("waiting")
    press(page, "waiting")
    page.get_by_text("there and back between this browser and this server").wait_for(timeout=LONG)
    rows = page.evaluate(CELLS, "result_waiting")
    assert [row[0] for row in rows] == ["One at a time", "Continuous batching"]
    page.locator(".st-key-result_waiting svg.marks").first.wait_for(timeout=LONG)
    page.get_by_text("had your whole answer after").wait_for()


@pytest.mark.parametrize(("path", "told"), [("waiting", "had your whole answer after"), ("pupil", "Same favourite at")])
def test_what_it_begins_with_plays_again_and_runs_live(path: str, told: str, at: Callable[..., Any]) -> None:
    page = at(path)
    line = page.locator(f".st-key-recorded_{path}")
    line.get_by_text("A recording.").wait_for(timeout=LONG)
    page.locator(f".st-key-play_{path} button:visible").click(timeout=LONG)
    page.locator(f".st-key-{path}_stop button").first.wait_for(timeout=LONG)
    page.locator(f".st-key-again_{path} button:visible").wait_for(timeout=LONG)  # it is back when the recording is over
    page.get_by_text(told).wait_for(timeout=LONG)
    page.locator(f".st-key-again_{path} button:visible").click(timeout=LONG)
    line.wait_for(state="detached", timeout=LONG)
    page.get_by_text(told).wait_for(timeout=LONG)
