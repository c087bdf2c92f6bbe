"""Teach it, in a real browser: a name from the hall is learned before everybody, used on other pages, kept in a file, undone, forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from playwright.sync_api import expect

from core.experiments.training_step import fingerprint
from core.models.archive import open_zip

pytestmark = pytest.mark.browser
PATIENCE = 90_000  # ms
Go = Callable[..., Any]


@pytest.fixture
def go(browser: Any, app: str) -> Iterator[Go]:
    """Open a page of the app as a new visitor. Afterwards: no script failed."""
    contexts: list[Any] = []
    failed: list[str] = []

    def open_page(path: str = "teach", width: int = 1280, height: int = 720) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(f"{app}/{path}")
        page.locator(".st-key-teach_start button").wait_for(timeout=2 * PATIENCE)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not failed, failed


def write(page: Any, key: str, text: str) -> None:
    field = page.locator(f".st-key-{key} input, .st-key-{key} textarea").first
    field.fill(text)
    field.press("Tab")


def turn_to(page: Any, group: str, title: str) -> None:
    """Another page by the menu, in the same session."""
    page.locator('[data-testid="stTopNavSection"]', has_text=group).click()
    page.locator('[data-testid="stTopNavDropdownLink"]', has=page.get_by_text(title, exact=True)).click()


def bars(page: Any, key: str) -> list[str]:
    """The texts of a chart: the tokens, then the numbers."""
    return list(page.locator(f".st-key-{key} svg text").all_text_contents())


def favourite(page: Any, name: str) -> None:
    """Wait until this token stands first in the first chart of tokens on the page."""
    page.wait_for_function(
        """name => [...document.querySelectorAll("svg text")]
            .map(text => text.textContent).find(text => text.startsWith("␣"))?.includes(name)""",
        arg=name,
        timeout=PATIENCE,
    )


def taught(page: Any, steps: str = "20") -> None:
    page.locator(".st-key-teach_start button").click()
    page.get_by_text(f"for {steps} steps").wait_for()
    page.locator(".st-key-teach_use_it button").wait_for()


def tuned(page: Any) -> Any:
    """The page with the popover of finer settings open."""
    page.locator(".st-key-teach_tune button").first.click()
    page.locator(".st-key-teach_rate").wait_for()
    return page


def put_into_list(page: Any, name: str) -> None:
    write(page, "teach_name", name)
    page.locator(".st-key-teach_use_it button").click()
    page.get_by_text(f"{name} is in your list of models now").wait_for()


def test_a_name_from_the_hall_is_taught_shown_and_used_on_every_page(go: Go, tmp_path: Path) -> None:
    page = go()
    write(page, "teach_text", "My name is Bob and I live on the moon.")
    began = monotonic()
    page.locator(".st-key-teach_start button").click()
    favourite(page, "Bob")
    assert monotonic() - began < 60, "taught and shown while a hall waits"
    page.locator(".st-key-teach_use_it button").wait_for()
    page.get_by_text("My name is Bob").first.wait_for()
    put_into_list(page, "Bob's own")
    with page.expect_download() as waiting:
        page.locator(".st-key-teach_save button").click()
    saved = tmp_path / "bob.zip"
    saved.write_bytes(Path(waiting.value.path()).read_bytes())
    turn_to(page, "Watch", "Watch")
    write(page, "prompt", "My name is")
    page.locator(".st-key-prompt textarea").press("Control+Enter")
    page.locator(".st-key-odds svg text", has_text="Bob").first.wait_for()
    mine = bars(page, "odds")
    turn_to(page, "Watch", "Read a text")
    page.get_by_text("Bob's own").first.wait_for()
    turn_to(page, "What if", "Compare")
    page.locator(".st-key-compare_model_0").wait_for()
    page.locator(".st-key-compare_model_1 input").click()
    page.get_by_role("option", name="storyteller", exact=True).click()
    page.locator(".st-key-compare_start button").click()
    page.get_by_text("Bob's own ·").first.wait_for()
    page.get_by_text("storyteller ·").first.wait_for()
    turn_to(page, "What if", "Two branches")
    page.get_by_text("Bob").first.wait_for()
    assert not page.get_by_text("surprised").count()

    other = go()
    other.locator(".st-key-teach_zip input[type=file]").set_input_files(saved)
    other.get_by_text("was opened and is in use").wait_for()
    turn_to(other, "Watch", "Watch")
    write(other, "prompt", "My name is")
    other.locator(".st-key-prompt textarea").press("Control+Enter")
    other.locator(".st-key-odds svg text", has_text="Bob").first.wait_for()
    expect(other.locator(".st-key-odds svg text", has_text="Bob").first).to_be_visible()
    assert bars(other, "odds") == mine, "the same odds, to the digit shown"
    assert fingerprint(open_zip(saved.read_bytes()).network) == fingerprint(open_zip(saved.read_bytes()).network)


def test_it_forgets_before_everybodys_eyes_and_with_old_lessons_it_does_not(go: Go) -> None:
    page = go()
    tuned(page).locator(".st-key-teach_rate").get_by_text("hard", exact=True).click()
    page.keyboard.press("Escape")
    for _ in range(3):  # from 50 % down to 0 %
        page.locator(".st-key-teach_share input[type=range]").press("ArrowLeft")
    page.get_by_text("0 %", exact=True).first.wait_for()
    taught(page)
    page.get_by_text("It has forgotten it: Paris has gone from 99").wait_for()
    page.get_by_text("Does it still know “The capital of France is”?").wait_for()
    again = go()
    taught(again)
    again.get_by_text("It still knows: Paris").wait_for()


def test_pause_one_step_a_moment_looked_at_and_undo(go: Go) -> None:
    page = go()
    page.locator(".st-key-teach_start button").click()
    page.locator(".st-key-recorded_teach").wait_for(state="detached")  # the page began with a recording
    page.locator(".st-key-teach_way svg .mark-rect path").first.wait_for()
    page.locator(".st-key-teach_pause button").click()
    page.locator(".st-key-teach_one button").wait_for()
    made = page.get_by_text("learned from ·")
    before = int(made.inner_text().split(" for ")[1].split()[0])
    assert 0 < before < 20
    page.locator(".st-key-teach_one button").click()
    page.get_by_text(f"for {before + 1} step").wait_for()
    page.locator(".st-key-teach_one button").wait_for()
    page.locator(".st-key-teach_way svg .mark-rect path").nth(1).click(force=True)
    page.get_by_text("before and after 2 steps").wait_for()
    page.locator(".st-key-teach_undo button").click()
    page.get_by_text("for 2 steps").wait_for()
    page.locator(".st-key-teach_more button").click()
    page.get_by_text("for 22 steps").wait_for()
    page.locator(".st-key-teach_more button").wait_for()
    page.locator(".st-key-teach_way svg .mark-rect path").nth(1).click(force=True)
    page.get_by_text("before and after 2 steps").wait_for()
    page.locator(".st-key-teach_undo button").wait_for()


def test_who_comes_second_is_told_their_place_and_gets_their_turn_when_the_first_leaves(go: Go) -> None:
    first, second = go(), go()
    slider = tuned(first).locator(".st-key-teach_steps input[type=range]")
    for _ in range(3):  # 160 steps
        slider.press("ArrowRight")
    first.keyboard.press("Escape")
    first.locator(".st-key-teach_start button").click()
    first.locator(".st-key-teach_way svg .mark-rect path").first.wait_for()
    second.locator(".st-key-teach_start button").click()
    second.get_by_text("Somebody else is being taught just now. Before you: 1.").wait_for()
    turn_to(first, "Watch", "Watch")
    favourite(second, "Anna")
    turn_to(first, "How it works", "Teach it")
    first.locator(".st-key-teach_more button").wait_for()
    assert first.locator(".st-key-teach_pause").count() == 0, "what is left is stopped"
    assert int(first.get_by_text("learned from ·").inner_text().split(" for ")[1].split()[0]) < 160
