"""The experiments in a real browser: each button does what it promises, and what is said afterwards is what was measured."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.watching import live

pytestmark = pytest.mark.browser


def type_into(page: Any, key: str, text: str) -> None:
    field = page.locator(f".st-key-{key} input, .st-key-{key} textarea").first
    field.fill(text)
    field.press("Tab")


def test_the_second_example_shows_the_same_thing_every_time(at: Callable[..., Any]) -> None:
    told = []
    for _ in range(2):
        page = at("think")
        page.locator(".st-key-think_example_1 button").click()
        page.locator(".st-key-recorded_think").first.wait_for(state="detached")  # the recorded result is drawn until the live one begins
        page.locator(".st-key-think_start button:visible:not([disabled])").first.wait_for()
        page.get_by_text("That is right.").wait_for()
        page.get_by_text("Right would be").wait_for()
        told.append(page.get_by_text("It says").all_inner_texts())
    assert told[0] == told[1]
    assert "155" in told[0][0] and "155" in told[0][1]


def test_an_empty_question_is_refused_in_a_sentence(at: Callable[..., Any]) -> None:
    page = at("think")
    type_into(page, "think_question", "")
    page.locator(".st-key-think_start button").click()
    page.get_by_text("There is no question yet").wait_for()


def test_a_visitors_own_question_is_put_to_their_own_text(at: Callable[..., Any]) -> None:
    page = at("memory")
    page.get_by_text("My own text", exact=True).click()
    type_into(page, "memory_own", "The sun is shining. Tom put the ball under the old bed. " + "A small bird is singing in the tree. " * 6)
    type_into(page, "memory_question", "Where is Tom's ball?")
    type_into(page, "memory_answer", "under the old bed")
    page.get_by_text("Read my text and answer").click()
    page.get_by_text("Where is Tom's ball? The right answer is").wait_for()
    page.get_by_text("lines that are gone").wait_for()
    assert "Lily" not in page.locator("section.stMain, [data-testid=stMain]").first.inner_text()


def test_both_receipts_come_with_a_verdict(at: Callable[..., Any]) -> None:
    page = at("cost")
    page.locator(".st-key-cost_two button").click()
    page.locator(".st-key-recorded_cost_two").wait_for(state="detached")
    page.get_by_text(re.compile("question costs .* times|question takes .* times")).wait_for()


def test_a_race_to_its_end_says_how_well_it_knows(at: Callable[..., Any]) -> None:
    page = at("cache?prompt=Once+upon+a+time", width=390)
    live(page, "cache_start", "race")
    page.get_by_text("r² =").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_price_of_several_tries_is_measured_beside_one(at: Callable[..., Any]) -> None:
    page = at("candidates")
    live(page, "candidates_start", "candidates")
    page.get_by_text("Both measured.").wait_for()
    assert re.search(r"a pass for 8 takes [\d.]+ times", page.get_by_text("Both measured.").inner_text())


def test_the_end_of_the_context_is_one_token_too_many(at: Callable[..., Any]) -> None:
    page = at("context")
    page.locator(".st-key-context_end button").click()
    page.locator(".st-key-recorded_context_end").wait_for(state="detached")
    page.get_by_text("there it ended").wait_for()
    page.get_by_text("And a prompt of 513 tokens").wait_for()
