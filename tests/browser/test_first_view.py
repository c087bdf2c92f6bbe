"""What a first visitor sees of Watch: numbers beside bars, nothing covered, cards that end with their step, pages that begin at the top."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.watching import Watching, press, settled

pytestmark = pytest.mark.browser

Visit = Callable[..., Watching]
BOXES = """nodes => nodes.map(node => {
  const { left, right, top, bottom } = node.getBoundingClientRect();
  return { left, right, top, bottom, text: node.textContent };
})"""
ABOVE = """() => {
  const [dice, player] = [".st-key-dice", '[data-testid="stBottom"]'].map(name => document.querySelector(name).getBoundingClientRect());
  return dice.top + 0.7 * dice.height < player.top;
}"""
FOLLOW = """name => {
  window.places = [];
  const note = () => {
    window.places.push(window.tokenViewerLive.buttons[name].getBoundingClientRect().left);
    requestAnimationFrame(note);
  };
  note();
}"""
IN_VIEW = """() => {
  const found = [];
  const walk = root => root.querySelectorAll("*").forEach(one => {
    if (one.shadowRoot) walk(one.shadowRoot);
    if (one.tabIndex < 0 || !one.matches("a[href], button, input, textarea, select, summary, [role=button]")) return;
    if (!one.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return;
    const box = one.getBoundingClientRect(), above = one.getRootNode().elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (box.width > 1 && above && (one.matches("input") || one.contains(above))) found.push(one.ariaLabel || one.innerText);
  });
  walk(document);
  return found;
}"""
ERRORS = """() => { window.seenErrors = 0; new MutationObserver(() => {
  if (document.body.textContent.includes("Something went wrong")) window.seenErrors += 1;
}).observe(document.body, { childList: true, subtree: true }); }"""
TABS = ".st-key-page_tabs a:visible, .st-key-ways a:visible"  # Streamlit draws each link twice, once hidden
ROW_OF_THE_PROMPT = ".st-key-ask textarea, .st-key-ask select, .st-key-keep button:visible, .st-key-watch_more label:visible"


def numbers_stand_between_tokens_and_bars(page: Any) -> None:
    """At temperature 0.7, "everything else" has a pale bar of 49 %; its number, 10 %, was at the end of that bar."""
    bars, numbers = (page.locator(f".st-key-odds .bar {part}").evaluate_all(BOXES) for part in (".model", ".number"))
    assert len(bars) == len(numbers) == 9 and numbers[-1]["text"].endswith("%")
    assert max(bar["right"] - bar["left"] for bar in bars) == bars[-1]["right"] - bars[-1]["left"]
    for bar, number in zip(bars, numbers, strict=True):
        assert number["right"] < bar["left"] < number["right"] + 20
        assert abs(number["top"] + number["bottom"] - bar["top"] - bar["bottom"]) < 6, "number and bar are in one row"


def nothing_is_cut_on_a_phone(page: Any) -> None:
    """The tabs stand in one row, and the row of the prompt fits."""
    tabs, row = page.locator(TABS).evaluate_all(BOXES), page.locator(ROW_OF_THE_PROMPT).evaluate_all(BOXES)
    assert len(tabs) == 5 and max(box["bottom"] for box in tabs) < 120
    assert len(row) == 4 and all(box["right"] - box["left"] > 40 for box in row)
    assert all(box["left"] >= 0 and box["right"] <= 390 for box in [*tabs, *row])


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(("width", "height"), [(1400, 900), (390, 844)], ids=["screen", "phone"])
def test_text_bars_dice_and_player_are_in_one_look(visit: Visit, width: int, height: int, language: str) -> None:
    watching = visit(f"?temperature=0.7&lang={language}", width=width, height=height)
    page = watching.page
    settled(page)
    numbers_stand_between_tokens_and_bars(page)
    if width == 390:
        nothing_is_cut_on_a_phone(page)
    else:
        assert len(page.evaluate(IN_VIEW)) <= 30, page.evaluate(IN_VIEW)
    watching.press("step", 1)
    settled(page)
    assert page.evaluate(ABOVE), "the strip is above the player"
    if width > 390:
        told, bottom = (page.locator(place).bounding_box() for place in (".st-key-dice .told", '[data-testid="stBottom"]'))
        assert told["y"] + told["height"] <= bottom["y"], "what the dice did can be read"
    box = watching.button("play").bounding_box()
    place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(*place)
    watching.button("pause").wait_for()
    page.wait_for_function(ABOVE)  # until the text needs a further line
    page.mouse.click(*place)  # Pause stands where Play stood
    watching.button("play").wait_for()
    page.locator(".st-key-live_player input").press("ArrowRight")  # it can be reached


def test_the_sentence_at_the_end_of_a_text_moves_no_bar_and_covers_no_dice(visit: Visit) -> None:
    watching = visit("?most_new_tokens=1")
    page = watching.page
    before = page.locator(".st-key-dice").bounding_box()
    watching.press("step", 1)
    page.locator(".lines .ended", has_text="The text has as many tokens as were asked for.").wait_for()
    assert abs(page.locator(".st-key-dice").bounding_box()["y"] - before["y"]) < 6
    assert page.evaluate(ABOVE)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(ABOVE)


def test_cards_end_with_their_step_and_quick_turns_of_play_move_no_button(visit: Visit) -> None:
    """A button that moves between the press and the release of the mouse loses the click."""
    watching = visit()
    page = watching.page
    watching.press("step", 1)
    bar, card = page.locator(".st-key-odds .bar").nth(6), page.locator(".st-key-odds .card")
    bar.hover()
    card.wait_for()
    shown = card.inner_text()
    bar.click()
    watching.until("steps.length === 1 && steps[0].forced")
    page.keyboard.press("ArrowRight")
    watching.until("steps.length === 2")
    assert card.inner_text() != shown, "the card is that of the row as it is now"
    page.mouse.move(700, 20)
    card.wait_for(state="hidden")
    ring = page.evaluate("() => getComputedStyle(document.querySelector('[data-testid=stMain]')).outlineStyle")
    assert ring == "none", "no ring surrounds the whole page"

    slider = page.locator(".st-key-live_player input[type=range]")
    slider.focus()
    for _ in range(2):
        slider.press("ArrowRight")
    settled(page)
    page.evaluate(ERRORS)
    page.evaluate(FOLLOW, "restart")
    for _ in range(3):
        watching.button("play").click()
        watching.button("pause").click()
        watching.button("play").wait_for()
    places = page.evaluate("() => window.places")
    assert len(places) > 10 and max(places) - min(places) < 12, sorted(set(map(round, places)))
    page.mouse.click(1200, 700)  # where nothing stands
    for _ in range(6):
        page.keyboard.press("Space")
        watching.button("pause").wait_for()
        page.keyboard.press("Space")
        watching.button("play").wait_for()
    assert page.evaluate("() => window.seenErrors") == 0


def test_a_page_begins_at_its_top(at: Callable[..., Any]) -> None:
    page = at("gallery")
    main = page.locator('[data-testid="stMain"]')
    main.evaluate("main => main.scrollTo(0, 600)")
    press(page, "gallery_open_certain")
    page.locator("button[data-name=recorded]").wait_for()
    settled(page)
    assert main.evaluate("main => main.scrollTop") == 0
    assert page.locator(".st-key-temperature").count() == 0, "the sidebar shows the settings of the recording"


def test_an_unknown_address_is_said(at: Callable[..., Any]) -> None:
    page = at("nosuchpage")
    page.get_by_text("This app has no page at the address").first.wait_for()
