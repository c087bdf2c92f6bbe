"""The menu and the tabs: few entries, pages in reach by pointer and by keyboard, the open one marked; on a phone, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pages.ui import features
from tests.browser.watching import eventually, settled, turn_to

pytestmark = pytest.mark.browser

MARKED = '[data-testid="{}"][aria-current]'
WILD = "() => document.querySelector('.st-key-temperature input[type=range]')?.value === '1.6'"
TABS = ".st-key-page_tabs a:visible"  # Streamlit draws each link twice, once hidden


def entries(page: Any) -> list[str]:
    """Return the entries of the menu of a wide screen."""
    shown = page.locator('[data-testid="stTopNavLink"]').all_inner_texts()
    page.locator('[data-testid="stTopNavSection"]', has_text="More").click()
    page.locator('[data-testid="stTopNavDropdownLink"]').first.wait_for()
    folded = page.locator('[data-testid="stTopNavDropdownLink"]').all_inner_texts()
    page.keyboard.press("Escape")
    return [name.strip() for name in shown + folded]


def test_a_page_is_reached_by_an_entry_and_a_tab_and_by_keyboard(at: Callable[..., Any]) -> None:
    page = at("glossary")
    assert entries(page) == list(features.GROUPS)
    for group in (*features.SHOWN[:4:3], *features.FOLDED[::9]):
        tabs = features.tabs(group)
        turn_to(page, group)
        place = "/" if tabs[0].path == features.LANDING else f"/{tabs[0].url}"
        page.wait_for_url(lambda url, place=place: url.partition("?")[0].endswith(place))
        settled(page)
        test_id = "stTopNavLink" if group in features.SHOWN else "stTopNavSection"
        page.locator(MARKED.format(test_id), has_text=group if group in features.SHOWN else "More").wait_for()
        assert page.locator(TABS).all_inner_texts() == ([feature.tab or feature.title for feature in tabs] if len(tabs) > 1 else [])
        links = page.locator(f"{TABS}[href]").evaluate_all("links => links.map(link => new URL(link.href).pathname.slice(1))")
        assert links == [feature.url for feature in tabs[1:]]

    turn_to(page, "Watch", "Read")
    page.get_by_role("navigation", name="Watch").wait_for()
    page.locator(f'{TABS}[aria-current="page"]', has_text="Read").wait_for()
    page.locator(f"{TABS}[href]", has_text="Guess").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/guess*")
    page.locator(f'{TABS}[aria-current="page"]', has_text="Guess").wait_for()
    page.locator(MARKED.format("stTopNavLink"), has_text="Watch").wait_for()
    page.go_back()
    page.locator(f'{TABS}[aria-current="page"]', has_text="Read").wait_for()


def test_on_a_phone_no_entry_is_folded(at: Callable[..., Any]) -> None:
    page = at("compare", width=390, height=844)
    page.locator('[data-testid="stExpandSidebarButton"]').click()
    links = page.locator('[data-testid="stSidebarNavLink"]')
    eventually(page, lambda: _equal(links.count(), len(features.GROUPS)))
    assert not page.locator('[data-testid="stSidebarNavViewButton"]').count()
    page.locator(MARKED.format("stSidebarNavLink"), has_text="What if").wait_for()
    links.filter(has_text="What it costs").click()
    page.wait_for_url("**/receipt*")
    page.locator('[data-testid="stSidebar"][data-collapsed="true"]').wait_for(state="attached")  # it would cover the page


def _equal(one: object, other: object) -> None:
    assert one == other


def test_settings_and_prompt_outlast_pages_that_do_not_show_them(visit: Callable[..., Any]) -> None:
    watching = visit("?prompt=One+day")
    page = watching.page
    page.get_by_role("button", name="Wild", exact=True).click()
    page.wait_for_function(WILD)
    watching.steps(1, 2)
    for entry, tab in (("Watch", "Chat"), ("Tour", ""), ("Watch", "")):
        turn_to(page, entry, tab)
        page.wait_for_url({"Chat": "**/chat?*", "Tour": "**/tour?*"}.get(tab or entry, "**/?*"))
    watching.until("steps.length === 2")
    page.wait_for_function(WILD)
    assert page.locator(".st-key-live_prompt textarea").input_value() == "One day"
