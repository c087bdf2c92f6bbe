"""Experiments as visitors treat them: settings are touched while they run, they are stopped, refused, asked other questions."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from core.experiments.shared.result_file import RecordedExperiment
from pages.ui.experiments import stored_results
from tests.browser import observed
from tests.browser.drawn import Drawn, plainly
from tests.browser.watching import download, eventually, press, settled, turn_to, type_into

pytestmark = pytest.mark.browser
At = Callable[..., Any]
PROMPT = "The old king"
AND_AGAIN = """async button => {  // press it, and, as a component that reports its size does, ask for another run before that one is over
  document.querySelector(button).click();
  await new Promise(done => setTimeout(done, 30));
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "r", code: "KeyR", keyCode: 82, which: 82, bubbles: true}));
}"""


def rolled(page: Any, total: int) -> None:
    """Assert that the bars count so many rolls."""
    assert sum(Drawn(page, ".st-key-inside_tally").pairs("text", "row", "count").values()) == total


def touch(page: Any, number: int) -> None:
    """Change the kind of the sums, or the seed: what a visitor does while they wait."""
    if number % 2:
        page.locator(".st-key-seed input").focus()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
    else:
        page.locator(".st-key-think_kind button").nth(number // 2 % 2).click()


def done(page: Any) -> int:
    """Return how many of the questions are answered."""
    found = re.search(r"(\d+) of (\d+)", page.locator('[data-testid="stProgress"]').first.inner_text())
    assert found is not None
    return int(found[1])


def test_a_set_goes_on_whatever_is_touched_and_wherever_the_visitor_goes(at: At) -> None:
    page = at("think")
    page.locator(".st-key-think_view button").nth(1).click()
    page.locator(".st-key-think_count button").first.click()
    settled(page)
    press(page, "think_set_start")
    page.locator(".st-key-think_set_stop button").wait_for()
    page.locator('[data-testid="stProgress"]', has_text="of 10 questions").first.wait_for()  # not the recorded result any more
    reached = 0
    for number in range(4):
        touch(page, number)
        now = done(page)
        assert now >= reached and page.locator('[data-testid="stAlert"]').count() == 0
        reached = now
    turn_to(page, "How it learns")
    page.locator(".st-key-think_count").wait_for(state="detached")
    turn_to(page, "What if", "Thinking aloud")
    page.locator(".st-key-think_set_start button").wait_for(timeout=120_000)
    assert done(page) == 10, "the view and the count were kept, and nothing is missing"
    kept = RecordedExperiment.loads(
        download(page, page.locator(".st-key-keep_think_set button:visible").first).read_bytes(), stored_results.files()
    )
    drawn = Drawn(page, ".st-key-result_think_set, .st-key-result_think_set_outdated")  # another kind of sums was chosen meanwhile
    eventually(page, lambda: observed.DRAWN["think_set"](drawn, kept))


def test_a_press_is_not_lost_when_the_page_is_run_again_at_this_moment(at: At) -> None:
    page = at("waiting")
    page.locator(".st-key-recorded_waiting").wait_for()
    page.evaluate(AND_AGAIN, ".st-key-waiting_start button")
    page.locator(".st-key-recorded_waiting").wait_for(state="detached")


def test_ones_own_text_is_asked(at: At) -> None:
    page = at("memory")
    page.get_by_text("My own text", exact=True).click()
    type_into(page, "memory_own", "The sun is shining. Tom put the ball under the old bed. " + "A small bird is singing in the tree. " * 6)
    type_into(page, "memory_question", "Where is Tom's ball?")
    type_into(page, "memory_answer", "under the old bed")
    press(page, "memory_start")
    page.locator(".st-key-result_memory", has_text="Where is Tom's ball?").wait_for()
    told = Drawn(page, ".st-key-result_memory").texts("span")
    assert "Tom" in told and "Lily" not in told


def test_a_word_of_a_text_opens_and_a_pasted_text_is_read_letter_by_letter(at: At) -> None:
    page = at("read")
    strip = page.locator(".st-key-read_strip_one")
    strip.locator(".token").nth(4).click()
    card = strip.locator(".card")
    card.wait_for()
    first = card.inner_text()
    page.keyboard.press("ArrowRight")
    assert card.inner_text() != first
    page.keyboard.press("Escape")
    field = page.locator(".st-key-read_text textarea")
    field.fill("The *bear* <b>met</b> a fox.")
    field.press("Control+Enter")
    page.locator(".st-key-read_strip_one .words", has_text="</b>").wait_for()
    assert plainly("".join(Drawn(page, ".st-key-read_strip_one").texts(".token"))).endswith(plainly("The*bear*<b>met</b>afox."))


def test_twelve_presses_beside_a_running_experiment_count_twelve(at: At) -> None:
    page = at("compare?seed=0")
    page.locator(".st-key-compare_length button").last.click()
    settled(page)
    press(page, "compare_start")
    page.locator(".st-key-compare_stop button").wait_for()
    more = page.locator(".st-key-seed [data-testid=stNumberInputStepUp]")
    for _press in range(12):
        more.click(delay=15)
    page.wait_for_url("**seed=12**")
    assert page.locator(".st-key-seed input").input_value() == "12"


def test_the_dice_of_inside_fall_and_pieces_form_while_one_types(at: At) -> None:
    page = at("inside?prompt=The+bear&steps=2&seed=3&temperature=1.5&top_p=1")
    tally = page.locator(".st-key-inside_tally")
    for number, total in ((100, 100), (1000, 1100)):
        tally.locator("button", has_text=f"{number:,}").first.click()
        eventually(page, partial(rolled, page, total))
    field = page.locator(".st-key-inside_text textarea")
    field.fill("A fox 🦊!")
    chips = page.locator(".st-key-inside_chips")
    chips.locator(".token", has_text="fox").wait_for()
    assert chips.locator(".stacked").first.get_attribute("data-below").isdigit()
    contents = page.locator(".st-key-inside_contents").get_by_role("link")
    assert contents.count() == 7
    contents.last.click()
    page.wait_for_function("""() => [...document.querySelectorAll('h2, h3')].at(-1).getBoundingClientRect().top < innerHeight""")
    assert "prompt=The" in page.url and "steps=r2" in page.url, "the text is still in the address"


def test_a_click_on_a_bar_chooses_the_second_token(at: At) -> None:
    page = at("why?prompt=The+sun+is+hot+and+snow+is&why=This%2C+not+that")
    bars = page.locator(".st-key-why_two_bars_given .bar:visible")
    bars.nth(2).wait_for()
    piece = bars.nth(2).locator(".label").inner_text().strip()
    bars.nth(2).click()
    page.locator(".st-key-why_against input").wait_for()
    page.wait_for_function("piece => document.querySelector('.st-key-why_against input').value.endsWith(piece)", arg=piece)
