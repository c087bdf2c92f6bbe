"""axe-core over every page, light and dark, wide and narrow: no violation of WCAG 2.2 A or AA that is ours; Streamlit's own are listed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import TimeoutError

from pages.ui.i18n.page_titles import PAGES

pytestmark = pytest.mark.browser
PATIENCE = 60_000  # ms
WIDE = 1400
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
OPTIONS = {
    "runOnly": {"type": "tag", "values": RULES},
    "rules": {"heading-order": {"enabled": True}, "page-has-heading-one": {"enabled": True}},
    "resultTypes": ["violations"],
}
# Rule, a piece of the element's HTML or of its place, and why it cannot be mended from here.
STREAMLITS = (
    (
        "list",
        "stSidebarNavItems",
        "Streamlit puts the groups of its own menu as <div> into the <ul>: its markup, not ours",
    ),
    ("listitem", r"<li class=\"st-emotion-cache", "the same menu: the <li> stand in those <div>"),
)
SIDEWAYS = "Math.max(...[...document.querySelectorAll('[data-testid=stMain], html')].map(node => node.scrollWidth - node.clientWidth))"
PRESSED = {"watch": ("step", "step"), "memory": ("memory_start",), "what_if": ("what_if_step",)}  # so that there is something to judge


PageOf = Callable[..., Any]


@pytest.fixture
def page_of(browser: Any, app: str) -> Iterator[PageOf]:
    """Open a page of the app as a new visitor."""
    contexts: list[Any] = []

    def open_page(name: str, width: int, scheme: str = "light") -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{app}/{'' if name == 'watch' else name}")
        page.locator("h1").first.wait_for(state="attached", timeout=2 * PATIENCE)
        page.wait_for_function("() => window.tokenViewerKeyList && !document.querySelector('[data-testid=stSkeleton]')")
        page.wait_for_timeout(800)  # the layer of explained words follows the page
        return page

    yield open_page
    for context in contexts:
        context.close()


def ours(page: Any) -> list[str]:
    """What axe finds and Streamlit is not to blame for, a line each."""
    found = []
    for violation in Axe().run(page, options=OPTIONS).response["violations"]:
        for node in violation["nodes"]:
            place = f"{node['target']} {node['html'][:300]}"
            if not any(violation["id"] == rule and re.search(sign, place) for rule, sign, _ in STREAMLITS):
                reason = next((check["message"] for kind in ("any", "all", "none") for check in node[kind]), "")
                found.append(f"{violation['id']}: {place[:240]} {reason[:160]}")
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [file.removesuffix(".py") for _, file, *_ in PAGES])
def test_a_page_has_no_violation_of_ours_and_nothing_is_cut_off(name: str, scheme: str, page_of: PageOf) -> None:
    page = page_of(name, WIDE, scheme)
    for key in PRESSED.get(name, ()):
        button = page.locator(f".st-key-{key} button").first
        if button.count():
            button.click()
            page.wait_for_timeout(1_500)
    page.locator('[class*="_stop"] button:visible').first.wait_for(state="detached")  # what still comes is drawn pale for a moment
    found = ours(page)
    for narrow in (390, 700, 320) if scheme == "light" else ():  # colours do not change with the width; 700 is 1400 at a zoom of 200 %
        page.set_viewport_size({"width": narrow, "height": 900})
        try:
            page.wait_for_function(f"() => ({SIDEWAYS}) <= 1", timeout=8_000)  # charts follow the width a moment later
        except TimeoutError:
            found.append(f"the page scrolls {page.evaluate(SIDEWAYS)} pixels sideways at {narrow} pixels")
        if narrow == 390:
            page.wait_for_timeout(800)
            found += ours(page)
    assert not found, "\n".join(found)


def test_movement_is_left_out_where_somebody_asked_for_that(page_of: PageOf) -> None:
    page = page_of("watch", WIDE)
    page.emulate_media(reduced_motion="reduce")
    page.locator(".st-key-step button").first.click()
    page.wait_for_timeout(500)
    moving = "document.getAnimations().filter(one => one.effect.getComputedTiming().duration > 50).length"
    assert page.evaluate(moving) == 0
