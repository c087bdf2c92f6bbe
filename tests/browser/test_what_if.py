"""What a visitor does on the What if pages, done in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import running_app
from tests.browser.watching import COLD, PATIENCE

pytestmark = pytest.mark.browser


def until(page: Any, condition: str) -> None:
    """Wait until this holds of `sides`, the words in both columns."""
    find = """() => { const all = root => [...root.querySelectorAll("*")].flatMap(n => [n, ...(n.shadowRoot ? all(n.shadowRoot) : [])]);
      const sides = all(document).filter(n => n.classList.contains("side")).map(n => n.querySelectorAll(".told button").length);
      return %s; }"""
    page.wait_for_function(find % condition, timeout=PATIENCE)


def test_a_whale_is_a_fish_and_is_none(at: Callable[..., Any]) -> None:
    page = at("what_if")
    page.locator(".st-key-what_if_fork_0 button").click()
    page.locator(".planned", has_text="Yes").wait_for()
    for count in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        until(page, f"sides[0] === {count} && sides[1] === {count}")
    told = page.locator(".told")
    assert told.nth(0).inner_text().strip().startswith("Yes")
    assert told.nth(1).inner_text().strip().startswith("No")
    assert "1 in" in page.locator(".foot").nth(0).inner_text()


def test_playing_and_pausing(at: Callable[..., Any]) -> None:
    page = at("what_if", width=390, dark=True)
    page.locator(".st-key-what_if_play button").click()
    until(page, "sides[0] >= 3")
    page.locator(".st-key-what_if_pause button").click()
    page.locator(".st-key-what_if_play button").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_word_is_changed_where_it_stands(at: Callable[..., Any]) -> None:
    page = at("what_if")
    until(page, "sides[0] >= 3 && sides[1] >= 3")  # the page begins with some words on either side
    page.locator(".st-key-what_if_play button").wait_for()
    page.locator(".side.other .told button").nth(1).click()
    page.locator(".st-key-what_if_instead button").first.click()
    until(page, "sides[0] === 0 && sides[1] === 0")
    page.locator(".st-key-what_if_step button").click()
    until(page, "sides[0] === 1 && sides[1] === 1")
    page.locator(".tree .row").nth(2).wait_for()


def test_the_tree_is_walked_folded_named_and_pruned(at: Callable[..., Any]) -> None:
    page = at("what_if")
    until(page, "sides[0] >= 2 && sides[1] >= 2")
    page.locator(".st-key-what_if_play button").wait_for()
    rows = page.locator(".tree .row:not([hidden])")
    rows.nth(1).wait_for()
    rows.nth(0).locator(".text").click()
    page.locator(".tree .row.here").nth(0).wait_for()
    page.wait_for_function("() => true")
    first = rows.nth(0)
    first.hover()
    first.get_by_text("name", exact=True).click()
    first.locator("input").fill("<b>mine</b>")
    first.locator("input").press("Enter")
    page.locator(".badge", has_text="<b>mine</b>").wait_for()
    second = rows.nth(1)
    second.hover()
    second.get_by_text("delete", exact=True).click()
    second.get_by_text("Delete", exact=True).click()
    page.get_by_text("words are deleted").wait_for()
    page.wait_for_function("() => true")
    assert rows.count() <= 2


def test_a_deep_link_to_a_fresh_server(at: Callable[..., Any]) -> None:
    with running_app() as address:
        page = at("what_if?prompt=The+fox+saw", address=address)
        page.locator(".shared", has_text="The fox saw").wait_for(timeout=COLD)


def test_tries_and_columns_come_to_their_end(at: Callable[..., Any]) -> None:
    page = at("compare")
    page.locator(".st-key-compare_start button").click()
    page.locator("p.written").nth(2).wait_for()
    page.locator(".st-key-compare_start button").wait_for()
    page = at("candidates", width=390)
    page.locator(".st-key-candidates_start button").click()
    page.locator(".st-key-candidates_keep button").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
