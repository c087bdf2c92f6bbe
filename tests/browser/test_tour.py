"""The tour: from the first stop to the last by the keys, every stop with its widget; what was tried is kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from pages.ui.presenting import tour_texts
from tests.browser.drawn import MARKS
from tests.browser.watching import press

pytestmark = pytest.mark.browser
At = Callable[..., Any]
WORDS = "[data-testid=stHtml] span, .told button, .token, .part, .bar, .row, td, input, textarea, [data-testid=stMetricValue]"


def stands(page: Any, voice: str, stop: str) -> None:
    """Wait until this stop is on the screen, and marks, words or cells in its widget."""
    told = tour_texts.voice(voice).stops[stop]
    page.get_by_role("heading", name=told.title, exact=True).wait_for()
    page.locator(f".st-key-tour_widget_{stop}").locator(f"svg .role-mark path, {WORDS}").first.wait_for()
    assert page.locator(".st-key-tour_widget_" + stop + " [data-testid=stException]").count() == 0
    assert not any(mark["broken"] for mark in page.evaluate(MARKS, f".st-key-tour_widget_{stop}"))


def test_from_the_first_stop_to_the_last(at: At) -> None:
    page = at("tour?voice=questions")
    for number, stop in enumerate(tour_texts.ORDER):
        stands(page, "questions", stop)
        page.wait_for_url(re.compile(f"stop={stop}(&|$)"))
        if number < len(tour_texts.ORDER) - 1:
            page.keyboard.press("ArrowRight")


def test_what_is_tried_is_noticed_and_kept_and_a_deeper_page_leads_back(at: At) -> None:
    page = at("tour?voice=metaphor", width=390)
    told = tour_texts.voice("metaphor").stops
    for count in range(3):
        before = page.locator(".st-key-tour_strip .token").count()
        press(page, "tour_one")
        page.locator(".st-key-tour_strip .token").nth(before).wait_for()
        assert count < 3
    page.get_by_text(told["send"].noticed[:40]).wait_for()
    page.keyboard.press("ArrowRight")
    stands(page, "metaphor", "pieces")
    page.locator(".st-key-tour_text textarea").fill("Wilhelmina 🦊")
    page.get_by_text(told["pieces"].noticed[:40]).wait_for()
    page.wait_for_url(re.compile(r"done=send\.pieces"))
    page.reload()
    stands(page, "metaphor", "pieces")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator('[data-testid=stMain] a[href*="inside"]:visible').first.click()
    page.wait_for_url("**/inside**")
    page.locator('[data-testid=stMain] a[href*="tour"]:visible').first.click()
    stands(page, "metaphor", "pieces")
