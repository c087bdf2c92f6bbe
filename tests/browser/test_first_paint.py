"""What stands in the window before Streamlit's own code: the page's heading and result, in its language; and that it goes in time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

import pytest

from pages.parts.layout import first_paint_pages
from pages.parts.runtime.first_paint import kept

pytestmark = pytest.mark.browser
LONG = 90_000  # ms
CODE = "**/static/js/index.*.js"


def in_sight(page: Any) -> str:
    """All text in the shadow tree of the first paint, which is closed to scripts; "" when there is none."""

    def texts(node: dict[str, Any], inside: bool) -> Iterator[str]:
        if inside and node["nodeType"] == 3 and node.get("nodeValue"):
            yield node["nodeValue"]
        if node.get("localName") != "style":
            for child in (*node.get("shadowRoots", ()), *node.get("children", ())):
                yield from texts(child, inside or "shadowRootType" in child)

    def found(node: dict[str, Any]) -> dict[str, Any] | None:
        if "first-paint" in node.get("attributes", ()):
            return node
        return next((hit for child in node.get("children", ()) if (hit := found(child))), None)

    root = page.context.new_cdp_session(page).send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
    host = found(root)
    return "" if host is None else " ".join(" ".join(texts(host, False)).split())


def words(html: str) -> str:
    """The text of what was written down."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


@pytest.mark.parametrize("path", sorted(first_paint_pages.PARTS))
def test_a_page_says_something_before_any_script_has_come(path: str, app: str, browser: Any) -> None:
    for code, locale, width in (("en", "en-GB", 1400), ("de", "de-DE", 390)):
        context = browser.new_context(locale=locale, viewport={"width": width, "height": 800}, java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{app}/{path}", wait_until="domcontentloaded")
        assert in_sight(page).replace(" ", "") == words(kept(code)[path]["html"]).replace(" ", "")
        assert page.title().startswith(kept(code)[path]["title"])
        context.close()


def test_it_fills_the_window_in_both_themes(app: str, browser: Any) -> None:
    seen = {}
    for theme, width in (("light", 1400), ("dark", 1400), ("light", 390), ("dark", 390)):
        context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 700})
        page = context.new_page()
        page.route(CODE, lambda route: route.abort())
        page.goto(f"{app}/batching")
        box = page.evaluate(
            "(({x, y, width, height}) => [x, y, width, height])(document.getElementById('first-paint').getBoundingClientRect())"
        )
        assert box == [0, 0, width, 700]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        seen[theme, width] = page.screenshot()
        context.close()
    assert len(set(seen.values())) == 4


def test_it_keeps_to_the_theme_that_was_chosen_in_the_menu(app: str, browser: Any) -> None:
    context = browser.new_context(color_scheme="light", viewport={"width": 1400, "height": 700})
    page = context.new_page()
    page.goto(f"{app}/compare")
    page.wait_for_selector("#first-paint", state="detached", timeout=LONG)
    page.locator('[data-testid="stMainMenu"] button').first.click()
    page.locator("text=Dark").first.click()
    page.wait_for_function("JSON.stringify(localStorage).includes('Dark')")
    page.route(CODE, lambda route: route.abort())
    page.reload()
    assert page.locator("#first-paint").get_attribute("data-theme") == "dark"
    page.goto(f"{app}/batching")
    assert page.locator("#first-paint").get_attribute("data-theme") is None, "the choice is this page's own"
    context.close()


def test_it_is_gone_when_the_page_is_drawn_and_not_before(at: Callable[..., Any], app: str) -> None:
    page = at("compare")
    page.wait_for_selector("#first-paint", state="detached", timeout=LONG)
    assert page.locator('[data-testid="stApp"]').get_attribute("data-test-script-state") == "notRunning"
    assert page.locator("h1").first.inner_text().startswith(kept("en")["compare"]["title"])
    page.get_by_role("button", name="Write again").wait_for()
    page.goto(f"{app}/?prompt=The%20moon")
    assert page.locator("#first-paint").count() == 0, "another text than the one that was written down"


def test_charts_are_there_when_it_goes(app: str, new_page: Callable[..., Any]) -> None:
    page = new_page(f"{app}/watch")
    page.wait_for_selector("#first-paint", state="detached", timeout=LONG)
    charts = page.locator('[data-testid="stVegaLiteChart"]')
    assert charts.count() > 0
    assert charts.locator("canvas, svg").count() >= charts.count()


@pytest.mark.parametrize("how", ["press", "key"])
def test_whoever_presses_something_sees_the_page_as_far_as_it_is(how: str, app: str, browser: Any) -> None:
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.route(CODE, lambda route: route.abort())
    page.goto(f"{app}/compare")
    assert page.locator("#first-paint").count() == 1
    if how == "press":
        page.mouse.click(700, 400)
    else:
        page.keyboard.press("Tab")
    page.wait_for_selector("#first-paint", state="detached", timeout=5_000)
    context.close()
