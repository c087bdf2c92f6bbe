"""The keyboard and what the page says about itself: keys go where they are wanted, nothing plays by itself, nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.watching import Watching

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
PATIENCE = 60_000  # ms


def test_keys_go_where_they_are_wanted(visit: Visit, app: str) -> None:
    watching = visit(app)
    page = watching.page
    page.locator(".st-key-preset_Creative button").click()
    page.wait_for_function("() => location.search.includes('temperature=1.1')", timeout=PATIENCE)
    page.keyboard.press("ArrowRight")
    watching.until("steps.length === 1", PATIENCE)
    field = page.locator(".st-key-prompt textarea")
    field.click()
    field.press("End")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowLeft")
    assert field.input_value().endswith(" ")
    assert page.locator(".st-key-pause").count() == 0
    page.keyboard.press("Escape")
    page.locator("h2").first.click(position={"x": 4, "y": 4})  # beside the words that the glossary explains
    page.locator(".st-key-temperature input[type=range]").focus()
    page.keyboard.press("Space")
    watching.button("pause").wait_for(timeout=PATIENCE)
    page.keyboard.press("Space")
    watching.button("play").wait_for(timeout=PATIENCE)
    watching.button("back").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    before = len(watching.written())
    page.keyboard.press("Space")
    watching.until(f"steps.length === {before - 1}", PATIENCE)
    assert page.locator(".st-key-pause").count() == 0, "Space pressed the button that was reached by keyboard"


def test_an_example_can_be_undone_and_the_dice_can_be_thrown_anew(visit: Visit, app: str) -> None:
    watching = visit(f"{app}/?temperature=1.5&top_p=1")
    for count in (1, 2, 3):
        watching.press("step", count)
    written = watching.written()
    watching.page.locator(".st-key-ask").get_by_role("button", name="A diary").click()
    watching.until("steps.length === 0", PATIENCE)
    watching.page.locator(".st-key-bring_back button").first.click()
    watching.until("steps.length === 3", PATIENCE)
    assert watching.written() == written
    watching.button("new_dice").click()
    watching.until("steps.length === 0", PATIENCE)
    watching.page.wait_for_function("() => new URLSearchParams(location.search).get('seed') !== null", timeout=PATIENCE)


def test_play_ends_with_the_page_and_the_menu_says_where_one_is(visit: Visit, app: str) -> None:
    watching = visit(app)
    page = watching.page
    page.locator('[data-testid="stTopNavSection"][aria-current]', has_text="Watch").wait_for()
    watching.button("play").click()
    watching.until("steps.length >= 2", PATIENCE)
    page.get_by_text("How it works").first.click()
    page.get_by_role("menuitem", name="Growing up").click()
    page.locator('[data-testid="stTopNavSection"][aria-current]', has_text="How it works").wait_for(timeout=PATIENCE)
    page.locator(".st-key-rests_temperature").wait_for(timeout=PATIENCE)
    page.go_back()
    watching.until("steps.length >= 2", PATIENCE)
    watching.button("play").wait_for(timeout=PATIENCE)
    count = len(watching.written())
    page.wait_for_timeout(1_500)
    assert len(watching.written()) == count


def test_s_leads_onto_the_stage_from_any_page(at: Callable[..., Any]) -> None:
    page = at("cost")
    page.wait_for_function("() => window.tokenViewerKeys && document.querySelector('.st-key-stage_way a')", timeout=PATIENCE)
    page.keyboard.press("s")
    page.wait_for_url("**/stage", timeout=PATIENCE)
