"""Everything that a click can do, a key can; what happens is said; words of the field are explained where they stand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from tests.browser.watching import Watching

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
PATIENCE = 60_000  # ms
FOCUSED = """() => {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return { step: node.dataset?.step ?? null, said: node.ariaLabel ?? node.textContent, title: node.className };
}"""


def tab_to(page: Any, wanted: Callable[[dict[str, Any]], bool], most: int = 80) -> dict[str, Any]:
    """Press Tab until this has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        found: dict[str, Any] = page.evaluate(FOCUSED)
        if wanted(found):
            return found
    raise AssertionError("Tab never came there")


def test_words_are_one_tab_stop_arrows_walk_and_enter_opens(visit: Visit, app: str) -> None:
    watching = visit(app)
    for count in (1, 2, 3, 4):
        watching.press("step", count)
    page = watching.page
    first = tab_to(page, lambda found: found["step"] is not None)
    assert first["step"] == "3", "the newest word"
    card = page.locator(".st-key-strip .card")
    assert card.is_visible() and "rank" in card.inner_text(), "its card shows on focus"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(FOCUSED)["step"] == "1"
    assert len(watching.written()) == 4, "arrows walk here and play nothing"
    page.keyboard.press("Enter")
    watching.until('seen.title[0].includes("2")', PATIENCE)
    assert page.evaluate(FOCUSED)["step"] == "1", "the focus stays"
    page.keyboard.press("Escape")
    assert not card.is_visible()
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED)["step"] is None, "one stop for all words"


def test_bars_are_reached_and_taken_by_keyboard(visit: Visit, app: str) -> None:
    watching = visit(app)
    watching.press("step", 1)
    page = watching.page
    found = tab_to(page, lambda found: "percent for the model" in (found["said"] or ""))
    assert "percent" in found["said"]
    ring = page.locator(".st-key-odds_keys .ring")
    ring.wait_for()  # one sees which bar
    for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    told = page.evaluate(FOCUSED)["said"]
    if told.endswith("taken"):
        page.keyboard.press("ArrowUp")
        told = page.evaluate(FOCUSED)["said"]
    page.keyboard.press("Enter")
    watching.until("steps.length === 1 && steps[0].forced", PATIENCE)
    assert watching.written()[0].lstrip("␣") == told.split(",")[0]
    assert "for the model" in page.evaluate(FOCUSED)["said"], "the focus stays among the bars"


def test_each_step_is_said_politely_and_at_most_once_a_second(visit: Visit, app: str) -> None:
    watching = visit(app)
    page = watching.page
    page.evaluate("""() => {
      window.heard = [];
      const find = root => { for (const node of root.querySelectorAll("*")) {
        if (node.getAttribute("role") === "status" && node.classList.contains("said")) return node;
        const inner = node.shadowRoot && find(node.shadowRoot); if (inner) return inner; } };
      const said = find(document);
      window.polite = said.getAttribute("aria-live");
      const heard = new MutationObserver(() => window.heard.push([performance.now(), said.textContent]));
      heard.observe(said, { childList: true, characterData: true, subtree: true });
    }""")
    assert page.evaluate("window.polite") == "polite"
    watching.press("step", 1)
    page.wait_for_function("() => window.heard.length > 0")
    assert page.evaluate("window.heard.at(-1)[1]").endswith("choice.")
    page.evaluate("window.heard.length = 0")
    watching.button("play").click()
    watching.until("steps.length >= 15", PATIENCE)
    times = [time for time, _ in page.evaluate("window.heard")]
    assert len(times) >= 2
    assert all(later - earlier > 950 for earlier, later in pairwise(times))


def test_a_question_mark_lists_the_keys_of_this_page(visit: Visit, app: str) -> None:
    watching = visit(app)
    page = watching.page
    watching.button("step").focus()
    page.keyboard.press("?")
    listed = page.locator(".st-key-key_list dialog")
    listed.wait_for()
    assert "one step back" in listed.inner_text() and "play or pause" in listed.inner_text()
    page.keyboard.press("Escape")
    listed.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.closest('.st-key-step') !== null"), "the focus is where it was"
    field = page.locator(".st-key-prompt textarea")
    field.focus()
    page.keyboard.type("Who?")
    assert (not listed.is_visible() and field.input_value().endswith("Who?")) or "Who?" in field.input_value()
    page.goto(f"{app}/read")
    page.locator("h1").first.wait_for(timeout=PATIENCE)
    page.locator(".tv-term").first.wait_for(state="attached", timeout=PATIENCE)
    page.keyboard.press("?")
    listed.wait_for()
    assert "play or pause" not in listed.inner_text()


def test_a_word_of_the_field_is_explained_by_mouse_key_and_thumb(visit: Visit, app: str) -> None:
    watching = visit(app)
    page = watching.page
    term = page.locator('.tv-term[aria-label*="emperature"]').first
    term.wait_for(state="attached", timeout=PATIENCE)
    card = page.locator(".tv-card")
    term.hover()
    card.get_by_text("Temperature stretches or flattens the odds").wait_for()
    page.mouse.move(700, 500)
    card.wait_for(state="hidden")
    found = tab_to(page, lambda found: "tv-term" in found["title"])
    card.wait_for()
    assert found["said"]
    before = page.evaluate(FOCUSED)["said"]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(FOCUSED)["said"] != before or page.locator(".tv-term").count() < 3
    page.keyboard.press("Escape")
    card.wait_for(state="hidden")
    cache = page.locator('[data-testid="stMain"] .tv-term', has_text="").and_(page.locator('[aria-label="KV cache"]')).first
    cache.click()
    card.get_by_role("button", name="See it happen: Cache race").click()
    page.locator(".st-key-cache_start button").wait_for(timeout=PATIENCE)
    assert watching.page.url.split("?")[0].endswith("/cache")


STRAYS = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement.closest(".tv-heard, .st-key-unseen, script, style") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const seen = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) seen.push([box, node.data]);
  }
  return [...document.querySelectorAll(".tv-term")].filter((term) => {
    const { left, top, width, height } = term.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    return !seen.some(([box, text]) =>
      box.left - 3 < x && x < box.right + 3 && box.top - 3 < y && y < box.bottom + 3 && text.includes(term.ariaLabel));
  }).map((term) => term.ariaLabel);
}"""


def test_no_word_is_explained_where_none_is_to_be_seen(visit: Visit, app: str) -> None:
    """A chart's numbers are said to those who hear the page; once a dotted line stood beside the chart, under a word nobody saw."""
    watching = visit(app)
    for count in (1, 2, 3):
        watching.press("step", count)
    page = watching.page
    page.locator(".tv-term").first.wait_for(state="attached", timeout=PATIENCE)
    page.locator(".tv-heard").first.wait_for(state="attached", timeout=PATIENCE)
    page.wait_for_timeout(4000)  # the words are looked for 0.6 s after a change
    assert page.locator(".tv-term").count() > 3
    assert page.evaluate(STRAYS) == []


def test_arabic_runs_from_right_to_left(visit: Visit, app: str) -> None:
    watching = visit(f"{app}/?prompt=%D9%85%D8%B1%D8%AD%D8%A8%D8%A7+%D8%A8%D9%83")
    words = watching.page.locator(".st-key-strip .words")
    assert words.get_attribute("dir") == "rtl"
    boxes = [watching.page.locator(".st-key-strip .token.prompt").nth(i).bounding_box() for i in (2, 8)]
    assert boxes[0]["x"] > boxes[1]["x"] or boxes[0]["y"] < boxes[1]["y"]
    english = visit(app)
    assert english.page.locator(".st-key-strip .words").get_attribute("dir") == "ltr"
