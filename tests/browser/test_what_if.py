"""Two branches: step, play and pause both, change a word, walk the tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.drawn import Drawn
from tests.browser.watching import press, settled, type_into

pytestmark = pytest.mark.browser
At = Callable[..., Any]


def until(page: Any, condition: str) -> None:
    """Wait until this holds of `sides`, the numbers of tokens on both sides."""
    find = """() => { const all = root => [...root.querySelectorAll("*")].flatMap(n => [n, ...(n.shadowRoot ? all(n.shadowRoot) : [])]);
      const sides = [1, 2].map(side => document.querySelector(`.st-key-what_if_view_${side}`)).map(strip =>
        strip ? all(strip).filter(n => n.role === "button").length : -1);
      return %s; }"""
    page.wait_for_function(find % condition)


def branches(page: Any) -> list[str]:
    """Return the texts of both branches."""
    return ["".join(Drawn(page, f".st-key-what_if_view_{side}").texts("[role=button]")) for side in (1, 2)]


def test_an_example_is_stepped_by_keys_played_and_paused(at: At) -> None:
    page = at("what_if", width=390)
    press(page, "what_if_fork_0")
    until(page, "sides[0] === 0 && sides[1] === 0")
    for count in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        until(page, f"sides[0] === {count} && sides[1] === {count}")
    told = branches(page)
    assert told[0].replace("␣", "").startswith("Yes") and told[1].replace("␣", "").startswith("No")
    press(page, "what_if_play")
    until(page, "sides[0] >= 5")
    press(page, "what_if_pause")
    page.locator(".st-key-what_if_play button").wait_for()


def test_a_word_is_changed_and_both_ways_come_again(at: At) -> None:
    page = at("what_if?prompt=The+old+king")
    for count in (1, 2):
        press(page, "what_if_step")
        until(page, f"sides[0] >= {count}")
    page.locator(".st-key-what_if_view_2 [role=button]").nth(1).click()
    type_into(page, "what_if_text", " dragon")
    page.locator(".st-key-what_if_instead, [data-testid=stMain]").get_by_role("button", name="Fork here").first.click()
    page.locator(".planned", has_text="dragon").wait_for()
    texts = []
    for _ in range(2):
        for count in (1, 2, 3):
            press(page, "what_if_step")
            until(page, f"sides[1] === {count}")
        texts.append(branches(page))
        press(page, "what_if_again")
        until(page, "sides[1] === 0")
    assert texts[0] == texts[1], "the same words come again"
    assert "dragon" in texts[0][1]


def test_the_tree_is_walked_named_and_pruned(at: At) -> None:
    page = at("what_if")
    until(page, "sides[0] >= 2 && sides[1] >= 2")
    settled(page)
    rows = page.locator(".tree .row:not([hidden])")
    rows.nth(0).locator(".text").click()
    page.locator(".tree .row.here").first.wait_for()
    first = rows.nth(0)
    first.hover()
    first.get_by_text("name", exact=True).click()
    first.locator("input").fill("<b>mine</b>")
    first.locator("input").press("Enter")
    page.locator(".badge", has_text="<b>mine</b>").wait_for()
    before = rows.count()
    second = rows.nth(1)
    second.hover()
    second.get_by_text("delete", exact=True).click()
    second.get_by_text("Delete", exact=True).click()
    page.wait_for_function(f"() => document.querySelector('[data-testid=stMain]') && {before} > 0")
    page.locator("[data-testid=stAlert], [data-testid=stToast]").first.wait_for()
