"""The tour as a visitor walks it: from the first stop to the last in each voice, by the keys; what was tried stays."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from pages.ui.presenting import tour_state, tour_voices

pytestmark = pytest.mark.browser
LONG = 90_000  # ms
FAILED = "our fault"


def stands(page: Any, voice: str, stop: str) -> None:
    """This stop is on the screen, its widget with it."""
    told = tour_voices.voice(voice).stops[stop]
    page.get_by_role("heading", name=told.title, exact=True).wait_for(timeout=LONG)
    page.locator(f".st-key-tour_widget_{stop}").wait_for(timeout=LONG)
    assert FAILED not in page.locator('[data-testid="stMain"]').inner_text()


@pytest.mark.parametrize("voice", tour_voices.VOICES)
def test_from_the_first_stop_to_the_last(voice: str, at: Callable[..., Any]) -> None:
    page = at(f"tour?voice={voice}")
    for number, stop in enumerate(tour_state.ORDER):
        stands(page, voice, stop)
        page.wait_for_url(re.compile(f"stop={stop}(&|$)"), timeout=LONG)
        if number < len(tour_state.ORDER) - 1:
            page.keyboard.press("ArrowRight")
    page.get_by_text(
        ("That was the whole way, from a press to the last word. The rest of the app is the same machine with all its knobs.")[:40]
    ).wait_for(timeout=LONG)


def test_what_is_tried_is_noticed_and_stays_when_the_page_is_loaded_again(at: Callable[..., Any]) -> None:
    page = at("tour")
    told = tour_voices.voice("questions").stops
    for count in range(3):
        page.locator(".st-key-tour_one button").click(timeout=LONG)
        page.wait_for_function(f"() => document.querySelectorAll('.st-key-tour_strip').length && {count} >= 0", timeout=LONG)
        page.wait_for_timeout(700)
    page.get_by_text(told["send"].noticed[:40]).wait_for(timeout=LONG)
    page.keyboard.press("ArrowRight")
    stands(page, "questions", "pieces")
    field = page.locator(".st-key-tour_text textarea")
    field.fill("Wilhelmina 🦊")
    page.get_by_text(told["pieces"].noticed[:40]).wait_for(timeout=LONG)
    page.wait_for_url(re.compile(r"done=send\.pieces"), timeout=LONG)
    page.reload()
    stands(page, "questions", "pieces")
    page.get_by_text("tried 2 of 14").wait_for(timeout=LONG)


def test_deeper_and_back_to_the_stop(at: Callable[..., Any]) -> None:
    page = at("tour?stop=notepad&voice=metaphor")
    stands(page, "metaphor", "notepad")
    page.get_by_role("link", name="Go deeper").click(timeout=LONG)
    page.get_by_role("heading", name="Why does it keep notes?").wait_for(timeout=LONG)
    page.get_by_role("link", name=f"Back to the tour, stop {8}").click(timeout=LONG)
    stands(page, "metaphor", "notepad")


def test_it_fits_a_telephone(at: Callable[..., Any]) -> None:
    page = at("tour?stop=dice", width=390)
    stands(page, "questions", "dice")
    page.locator(".st-key-tour_roll button").click(timeout=LONG)
    page.get_by_text("So far:").wait_for(timeout=LONG)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
