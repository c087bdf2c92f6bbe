"""Teach it: a name is learned before everybody, used on Watch, kept in a file, undone; a second visitor waits for their turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.browser.drawn import Drawn
from tests.browser.watching import COLD, download, eventually, live, press, settled, turn_to, type_into

pytestmark = pytest.mark.browser
At = Callable[..., Any]


def favourite(page: Any, name: str) -> None:
    """Wait until this token is the first one in the first chart of tokens on the page."""
    page.wait_for_function(
        """name => [...document.querySelectorAll("svg text")]
            .map(text => text.textContent).find(text => text.startsWith("␣"))?.includes(name)""",
        arg=name,
        timeout=120_000,
    )


def bars_on_watch(page: Any) -> list[str]:
    """Return the texts of the bars on Watch after "My name is", once Bob is among them."""
    turn_to(page, "Watch")
    page.locator(".st-key-live_prompt textarea").fill("My name is")
    page.locator(".st-key-live_prompt textarea").press("Enter")
    page.locator(".st-key-odds .bar", has_text="Bob").first.wait_for()
    return list(page.locator(".st-key-odds .bar:visible :is(.label, .number, .note)").all_text_contents())


def steps_learned(page: Any) -> int:
    """Return after how many steps of learning the result on screen is."""
    return int(page.get_by_text("gradient norm").inner_text().split(" for ")[1].split()[0])


def test_a_name_is_taught_used_on_watch_and_kept_in_a_file(at: At, tmp_path: Path) -> None:
    page = at("teach")
    page.locator(".st-key-teach_text textarea").first.fill("My name is Bob and I live on the moon.")
    press(page, "teach_start")  # no pause: the text leaves the field with the very click
    favourite(page, "Bob")
    page.locator(".st-key-teach_use_it button").wait_for(timeout=COLD)
    type_into(page, "teach_name", "Bob's own")
    press(page, "teach_use_it")
    page.get_by_text("Bob's own was added to your models").wait_for()
    saved = download(page, page.locator(".st-key-teach_save button")).rename(tmp_path / "bob.zip")
    mine = bars_on_watch(page)
    turn_to(page, "What if", "Compare")
    page.locator(".st-key-compare_model_1 input").click()
    page.get_by_role("option", name="Storyteller", exact=True).click()
    live(page, "compare_start", "compare")
    texts = [Drawn(page, ".st-key-result_compare").texts(f".st-key-compare_text_{number} span") for number in (0, 1)]
    assert texts[0] != texts[1], "the taught model and the original"

    assert page.evaluate("() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"), (
        "the browser asks before it closes"
    )
    other = at("teach")
    assert other.evaluate("() => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))")
    other.locator(".st-key-teach_zip input[type=file]").set_input_files(saved)
    other.get_by_text("is open and in use").wait_for()
    assert bars_on_watch(other) == mine, "the same probabilities, to the digit shown"


def test_pause_one_step_a_moment_looked_at_and_undo(at: At) -> None:
    page = at("teach")
    press(page, "teach_start")
    page.locator(".st-key-recorded_teach").wait_for(state="detached")
    moments = page.locator(".st-key-teach_way svg .mark-rect path")
    page.get_by_text("gradient norm").wait_for()
    press(page, "teach_pause")
    page.locator(".st-key-teach_one button").wait_for()
    before = steps_learned(page)
    assert 0 < before < 20
    press(page, "teach_one")

    def learned(count: int) -> Callable[[], None]:
        def check() -> None:
            assert steps_learned(page) == count

        return check

    eventually(page, learned(before + 1))
    page.locator(".st-key-teach_one button").wait_for()
    drawn = Drawn(page, ".st-key-teach_way")
    first, second = drawn.marks("rect", "index")[:2]

    def looked_at(index: int) -> None:
        assert {one for one, picked in drawn.pairs("rect", "index", "picked").items() if picked} == {index}

    settled(page)  # a click on a chart that is drawn again is lost
    moments.nth(1).click(force=True)
    eventually(page, partial(looked_at, second))
    page.locator(".st-key-teach_moment input[type=range]").press("ArrowLeft")
    eventually(page, partial(looked_at, first))
    settled(page)
    moments.nth(1).click(force=True)  # the moment that was clicked last
    eventually(page, partial(looked_at, second))
    press(page, "teach_undo")
    eventually(page, learned(second))


@pytest.mark.exhaustive
def test_a_second_visitor_is_told_their_place_and_gets_their_turn_when_the_first_leaves(at: At) -> None:
    first, second = at("teach"), at("teach")
    press(first, "teach_tune")
    slider = first.locator(".st-key-teach_steps input[type=range]")
    for _ in range(3):  # 160 steps
        slider.press("ArrowRight")
    first.keyboard.press("Escape")
    press(first, "teach_start")
    first.locator(".st-key-teach_pause button").wait_for()
    first.locator(".st-key-teach_way svg .mark-rect path").first.wait_for()
    press(second, "teach_start")
    second.get_by_text("Trainings before yours: 1.").wait_for()
    turn_to(first, "Watch")
    favourite(second, "Anna")
    turn_to(first, "How it learns", "Teach it")
    first.locator(".st-key-teach_more button").wait_for()
    assert first.locator(".st-key-teach_pause").count() == 0, "what is left is stopped"
    assert steps_learned(first) < 160


def test_a_newborn_learns_the_text_that_was_just_typed_until_it_is_stopped(at: At) -> None:
    page = at("training")
    page.locator(".st-key-training_view button").nth(1).click()
    page.locator(".st-key-newborn_text textarea").first.fill("Zebulon sat on a wall. " * 40)
    press(page, "newborn_start")
    page.locator(".st-key-made_newborn", has_text="Zebulon").wait_for()
    drawn = Drawn(page, ".st-key-result_newborn")
    eventually(page, lambda: drawn.marks("symbol", "value"), 60)
    press(page, "newborn_stop")
    page.locator(".st-key-newborn_start button").wait_for()
    eventually(page, lambda: drawn.marks("symbol", "value"))
