"""Experiments in a real browser: whatever is touched while one runs, it goes on; and it ends when its visitor has gone."""

from __future__ import annotations

import re
from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest

from tests.browser.conftest import running_app
from tests.browser.watching import Watching

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
LONG = 300  # seconds that an experiment may take on a busy machine
TOUCHES = 12


def touch(page: Any, number: int) -> None:
    """A preset, or a step of a slider: what a visitor plays with while they wait."""
    if number % 2:
        slider = page.locator(".st-key-temperature input[type=range]")
        slider.focus()
        page.keyboard.press("ArrowRight")
    else:
        page.locator(".st-key-preset button").nth(number // 2 % 5).click()


def done(page: Any) -> tuple[int, int]:
    """How far the bar says that it is."""
    found = re.search(r"(\d+) of (\d+)", page.locator('[data-testid="stProgress"]').first.inner_text())
    assert found is not None
    return int(found[1]), int(found[2])


def told(page: Any) -> list[str]:
    """The notices on the page."""
    return list(page.locator('[data-testid="stAlert"]').all_inner_texts())


def test_a_whole_set_goes_on_whatever_is_touched_and_wherever_one_goes(at: Callable[..., Any]) -> None:
    page = at("think")
    page.get_by_text("A whole set").click()
    page.locator(".st-key-think_count button").first.click()
    page.locator(".st-key-think_set_start button").click()
    page.locator(".st-key-think_set_stop button").wait_for()
    reached = 0
    for number in range(TOUCHES):
        touch(page, number)
        page.wait_for_timeout(250)
        now = done(page)[0]
        assert now >= reached and told(page) == []
        reached = now
    page.get_by_text("How it works").first.click()
    page.get_by_role("menuitem", name="Growing up").click()
    page.locator(".st-key-think_count").wait_for(state="detached")
    page.get_by_text("What if", exact=True).first.click()
    page.get_by_role("menuitem", name="Thinking aloud").click()
    page.locator(".st-key-think_set_start button").wait_for(timeout=LONG * 1000)
    assert done(page) == (10, 10), "the view and the count were kept, and nothing is missing"
    assert told(page) == []


@pytest.mark.parametrize(("path", "start"), [("context", "context_start"), ("memory", "memory_all")])
def test_other_experiments_go_on_too(path: str, start: str, at: Callable[..., Any]) -> None:
    page = at(path)
    button = page.locator(f".st-key-{start} button")
    button.click()
    page.wait_for_function(f"() => document.querySelector('.st-key-{start} button')?.disabled")
    for number in range(TOUCHES):
        touch(page, number)
        page.wait_for_timeout(150)
    page.wait_for_function(f"() => document.querySelector('.st-key-{start} button')?.disabled === false", timeout=LONG * 1000)
    # Context begins with a recorded visit to the end of the context, which quotes what is said there.
    assert [said for said in told(page) if not (path == "context" and "reads at most 512" in said)] == []
    if path == "memory":
        page.locator('[data-testid="stDataFrame"]').first.wait_for()
    else:
        page.get_by_text("medians of 5 rounds").wait_for()


def test_an_experiment_ends_when_its_tab_has_been_closed_for_a_while(at: Callable[..., Any]) -> None:
    with running_app(TOKEN_VIEWER_EXPERIMENTS="1", STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL="1") as address:
        first = at("think", address)
        first.get_by_text("A whole set").click()
        first.locator(".st-key-think_count button").last.click()
        first.locator(".st-key-think_set_start button").click()
        first.locator(".st-key-think_set_stop button").wait_for()
        second = at("compare", address)
        second.locator(".st-key-compare_start button").click()
        second.get_by_text("As many experiments are running here").wait_for()
        first.close()
        start, begun = second.locator(".st-key-compare_start button"), second.locator(".st-key-compare_stop button, p.written")
        latest = monotonic() + LONG
        while not begun.count():
            assert monotonic() < latest, "it still runs, for nobody"
            if start.count():
                start.evaluate_all("buttons => buttons[0]?.click()")
            second.wait_for_timeout(1000)


def test_a_text_pasted_beyond_the_longest_is_refused_in_a_sentence_and_the_old_one_comes_back(visit: Visit, app: str) -> None:
    watching = visit(app)
    written = watching.press("step", 1)
    field = watching.page.locator(".st-key-prompt textarea")
    before = field.input_value()
    field.fill("word " * 5000)
    field.press("Control+Enter")
    watching.page.get_by_text("longer than 20,000 characters").wait_for()
    assert watching.page.locator('[data-testid="stAlert"]').count() == 1
    watching.page.locator(".st-key-strip").wait_for(state="detached")
    watching.button("step").click()
    watching.page.wait_for_timeout(500)
    assert watching.page.locator('[data-testid="stAlert"]').count() == 1
    field.fill(before)
    field.press("Control+Enter")
    watching.until("steps.length === 1")
    assert watching.written() == written
