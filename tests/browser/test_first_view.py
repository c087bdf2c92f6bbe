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
COVERED = """() => [...document.querySelectorAll('[class*="st-key-chart_"] > [class*="st-key-save_"] button')].flatMap(button => {
  const own = button.getBoundingClientRect();
  const chart = button.closest('[class*="st-key-chart_"]');
  const marks = [...chart.querySelectorAll('[data-testid="stVegaLiteChart"] svg g.role-mark > *')];
  return marks.filter(mark => {
    const box = mark.getBoundingClientRect();
    return box.width > 0 && box.left < own.right && box.right > own.left && box.top < own.bottom && box.bottom > own.top;
  }).map(mark => mark.textContent || mark.getAttribute("d"));
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


@pytest.mark.parametrize("width", [1400, 390])
def test_a_number_stands_between_its_token_and_its_bars(visit: Visit, width: int) -> None:
    """At temperature 0.7, "everything else" has a pale bar of 49 %; its number, 10 %, was at the end of that bar."""
    page = visit("?temperature=0.7", width=width).page
    bars, numbers = (page.locator(f".st-key-odds .bar {part}").evaluate_all(BOXES) for part in (".model", ".number"))
    assert len(bars) == len(numbers) == 9 and numbers[-1]["text"].endswith("%")
    assert max(bar["right"] - bar["left"] for bar in bars) == bars[-1]["right"] - bars[-1]["left"]
    for bar, number in zip(bars, numbers, strict=True):
        assert number["right"] < bar["left"] < number["right"] + 20
        assert abs(number["top"] + number["bottom"] - bar["top"] - bar["bottom"]) < 6, "number and bar are in one row"


def test_the_card_of_a_clicked_bar_ends_with_its_step(visit: Visit) -> None:
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


@pytest.mark.parametrize("path", ["inside", "batching", "cache"])
def test_on_a_phone_the_menu_of_a_chart_covers_no_mark(at: Callable[..., Any], path: str) -> None:
    page = at(path, width=390, height=844, has_touch=True, is_mobile=True)
    page.locator('[data-testid="stVegaLiteChart"] svg').first.wait_for()
    settled(page)
    assert page.evaluate(COVERED) == []


@pytest.mark.parametrize(("width", "height", "query"), [(1400, 900, "?lang=de"), (1400, 900, ""), (390, 844, ""), (390, 844, "?lang=de")])
def test_text_bars_dice_and_player_are_in_one_look(visit: Visit, width: int, height: int, query: str) -> None:
    watching = visit(query, width=width, height=height)

    watching.press("step", 1)
    settled(watching.page)
    assert watching.page.evaluate(ABOVE), "the strip is above the player"
    watching.button("play").click()
    watching.button("pause").wait_for()
    watching.page.wait_for_function(ABOVE)  # until the text needs a further line
    watching.page.locator(".st-key-live_player input").press("ArrowRight")  # it can be reached


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


def test_the_buttons_stay_in_their_places_while_play_becomes_pause(visit: Visit) -> None:
    """A button that moves between the press and the release of the mouse loses the click."""
    watching = visit()
    settled(watching.page)
    watching.page.evaluate(FOLLOW, "restart")
    for _ in range(3):
        watching.button("play").click()
        watching.button("pause").click()
        watching.button("play").wait_for()
    places = watching.page.evaluate("() => window.places")
    assert len(places) > 10 and max(places) - min(places) < 12, sorted(set(map(round, places)))


def test_play_and_pause_in_quick_turns_show_no_error(visit: Visit) -> None:
    watching = visit()
    page = watching.page
    slider = page.locator(".st-key-live_player input[type=range]")
    slider.focus()
    for _ in range(2):
        slider.press("ArrowRight")
    settled(page)
    page.evaluate(
        """() => { window.seenErrors = 0; new MutationObserver(() => {
          if (document.body.textContent.includes("Something went wrong")) window.seenErrors += 1;
        }).observe(document.body, { childList: true, subtree: true }); }"""
    )
    page.mouse.click(1200, 700)  # where nothing stands
    for _ in range(6):
        page.keyboard.press("Space")
        watching.button("pause").wait_for()
        page.keyboard.press("Space")
        watching.button("play").wait_for()
    assert page.evaluate("() => window.seenErrors") == 0


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


def test_at_most_thirty_controls_are_in_view_before_the_first_step(visit: Visit) -> None:
    page = visit(width=1400, height=900).page
    settled(page)
    assert len(page.evaluate(IN_VIEW)) <= 30, page.evaluate(IN_VIEW)
