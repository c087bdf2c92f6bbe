"""Everything that a click can do, a key can; keys go where they are wanted; what happens is announced; terms are explained."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin

import pytest

from tests.browser.accessibility import STRAYS
from tests.browser.watching import Watching, press, settled

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
FOCUSED = """() => {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  const { name = null, step = null } = node.dataset ?? {};
  return { name, step, said: node.ariaLabel ?? node.textContent, title: node.className };
}"""
HEARD = """() => {
  window.heard = [];
  const find = root => { for (const node of root.querySelectorAll("*")) {
    if (node.getAttribute("role") === "status" && node.classList.contains("announcer")) return node;
    const inner = node.shadowRoot && find(node.shadowRoot); if (inner) return inner; } };
  const said = find(document);
  new MutationObserver(() => window.heard.push(said.textContent)).observe(said, { childList: true, characterData: true, subtree: true });
  return said.getAttribute("aria-live");
}"""


def tab_to(page: Any, wanted: Callable[[dict[str, Any]], bool], most: int = 200) -> dict[str, Any]:
    """Press Tab until this has the focus."""
    settled(page)  # a rerun that replaces the focused element sends the focus back to the start
    for _ in range(most):
        page.keyboard.press("Tab")
        found: dict[str, Any] = page.evaluate(FOCUSED)
        if wanted(found):
            return found
    raise AssertionError("Tab never came there")


def test_bars_and_words_are_reached_by_keyboard_and_each_step_is_announced(visit: Visit) -> None:
    watching = visit()
    page = watching.page
    assert page.evaluate(HEARD) == "polite"
    watching.press("step", 1)
    page.wait_for_function("() => window.heard.length > 0 && window.heard.at(-1).endsWith('choice.')")
    tab_to(page, lambda found: "% for the model" in (found["said"] or ""))
    assert page.locator(".st-key-odds .bar:focus-visible").evaluate("bar => getComputedStyle(bar).outlineStyle") == "solid"
    for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    told = page.evaluate(FOCUSED)["said"]
    if watching.written()[0].lstrip("␣") == told.split(",")[0]:
        page.keyboard.press("ArrowUp")
        told = page.evaluate(FOCUSED)["said"]
    page.keyboard.press("Enter")
    watching.until("steps.length === 1 && steps[0].forced")
    assert watching.written()[0].lstrip("␣") == told.split(",")[0]
    assert "for the model" in page.evaluate(FOCUSED)["said"], "the focus stays among the bars"

    watching.steps(2, 4)
    assert tab_to(page, lambda found: found["step"] is not None)["step"] == "3", "the newest word"
    card = page.locator(".st-key-strip .card")
    assert card.is_visible() and "rank" in card.inner_text(), "its card shows on focus"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(FOCUSED)["step"] == "1"
    assert len(watching.written()) == 4, "arrows walk here and play nothing"
    page.keyboard.press("Enter")
    watching.until('seen.title[0].includes("2")')
    assert page.evaluate(FOCUSED)["step"] == "1", "the focus stays"
    page.keyboard.press("Escape")
    assert not card.is_visible()
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED)["step"] is None, "one stop for all words"


def test_the_link_to_the_content_leads_to_the_main_button_and_of_many_quick_presses_each_is_done_once(visit: Visit) -> None:
    watching = visit()
    page = watching.page
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => ({FOCUSED})().name === 'step'")
    page.keyboard.press("Enter")
    watching.until("steps.length === 1")
    click = "window.tokenViewerLive.buttons.step.click()"
    page.evaluate(f"() => [0, 60, 120, 180, 240].forEach(after => setTimeout(() => {click}, after))")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    watching.until("steps.length === 9")
    watching.stays("steps.length === 9")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    watching.until("steps.length === 7")
    written = watching.written()
    page.locator(".st-key-live_prompt select").select_option(label="A diary")
    watching.until("steps.length === 0")
    press(page, "bring_back")
    watching.until("steps.length === 7")
    assert watching.written() == written, "an example can be undone"
    watching.press("restart", 0)
    for _turn in range(3):  # a press that is lost or done twice changes the length of the text
        for key in ["ArrowRight"] * 9 + ["ArrowLeft"] * 8:
            page.keyboard.press(key)
    page.wait_for_function("() => window.tokenViewerLive.done === window.tokenViewerLive.connection.number")
    watching.stays("steps.length === 3")


def test_keys_go_where_they_are_wanted_and_a_question_mark_lists_those_of_the_page(visit: Visit) -> None:
    watching = visit()
    page = watching.page
    press(page, "preset_Creative")
    page.wait_for_function("() => location.search.includes('temperature=1.1')")
    page.keyboard.press("ArrowRight")
    watching.until("steps.length === 1")
    told = watching.until("seen.told.includes('the dice fell on')")["told"]
    page.keyboard.press("r")
    watching.until(f"steps.length === 1 && seen.told !== {json.dumps(told)}")  # the same token may come again, with another throw
    field = page.locator(".st-key-live_prompt textarea")
    field.click()
    field.press("End")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowLeft")
    assert field.input_value().endswith(" ")
    assert not watching.button("pause").is_visible()
    page.keyboard.press("Escape")
    page.locator("h2").first.click(position={"x": 4, "y": 4})  # beside the words that the glossary explains
    page.locator(".st-key-temperature input[type=range]").focus()
    page.keyboard.press("Space")
    watching.button("pause").wait_for()
    page.keyboard.press("Space")
    watching.button("play").wait_for()
    watching.button("back").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    before = len(watching.written())
    page.keyboard.press("Space")
    watching.until(f"steps.length === {before - 1}")
    assert not watching.button("pause").is_visible(), "Space pressed the button that was reached by keyboard"
    watching.button("new_dice").click()
    watching.until("steps.length === 0")
    page.wait_for_function("() => new URLSearchParams(location.search).get('seed') !== null")

    watching.button("step").focus()
    page.keyboard.press("?")
    listed = page.locator(".st-key-keys dialog")
    listed.wait_for()
    keys = listed.inner_text()
    page.keyboard.press("Escape")
    listed.wait_for(state="hidden")
    assert page.evaluate(FOCUSED)["name"] == "step", "the focus is where it was"
    field.focus()
    page.keyboard.type("?")
    assert "?" in field.input_value() and not listed.is_visible()
    page.goto(urljoin(page.url, "/cost"))
    page.wait_for_function("() => window.tokenViewerKeys && document.querySelector('.st-key-stage_way a')")
    page.keyboard.press("?")
    listed.wait_for()
    assert len(listed.inner_text()) < len(keys), "another page has other keys"
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.wait_for_url("**/stage**")


def test_a_term_is_explained_by_mouse_key_and_thumb_and_only_where_it_stands(visit: Visit) -> None:
    watching = visit()
    watching.press("step", 1)
    page = watching.page
    settled(page)  # a rerun marks the terms again
    term = page.locator('.tv-term[aria-label*="emperature"]').first
    term.wait_for(state="attached")
    page.wait_for_function(f"() => document.querySelectorAll('.tv-term').length > 3 && ({STRAYS})() === 0")
    card = page.locator(".tv-card")
    term.hover()
    card.wait_for()
    page.mouse.move(1395, 895)  # where no text comes to lie under it
    card.wait_for(state="hidden")
    before = tab_to(page, lambda found: "tv-term" in found["title"])["said"]
    card.wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(FOCUSED)["said"] != before or page.locator(".tv-term").count() < 3
    page.keyboard.press("Escape")
    card.wait_for(state="hidden")
    page.locator('[data-testid="stMain"] .tv-term[aria-label="KV cache"]').first.click()
    card.get_by_role("button").first.click()
    page.wait_for_url("**/cache**")
    page.locator(".st-key-cache_start button").wait_for()
