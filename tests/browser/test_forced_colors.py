"""Contrast themes of Windows (forced colours): what a colour shows is still visible. And a system that turns dark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.palette import DARK
from tests.browser.watching import Watching, settled

pytestmark = pytest.mark.browser


def look(page: Any, selector: str, name: str = "backgroundColor") -> set[str]:
    """Return the computed values of a CSS property of all elements that match."""
    return set(page.locator(selector).evaluate_all("(nodes, name) => nodes.map(node => getComputedStyle(node)[name])", name))


def test_dice_tints_legend_and_sliders_are_visible(visit: Callable[..., Watching]) -> None:
    watching = visit("?temperature=1.5&top_p=1&seed=3", forced_colors="active")
    page = watching.page
    watching.steps(1, 3)
    canvas = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    assert canvas not in look(page, ".st-key-dice .part.chosen")
    assert "0px" not in look(page, ".st-key-dice .track", "borderTopWidth")
    assert len(look(page, ".st-key-strip .token[role=button]:not(.accent)") | {canvas}) == 3, "each of two tokens has its own tint"
    assert "none" not in look(page, ".st-key-strip .legend i", "backgroundImage")
    swatches = look(page, ".st-key-odds .entries i")
    assert len(swatches) == 3 and canvas not in swatches
    assert "0px" not in look(page, ".st-key-temperature [role=group] > div > div:empty", "borderTopWidth")


def test_a_switch_is_drawn_and_shows_whether_it_is_on(at: Callable[..., Any]) -> None:
    page = at("watch", forced_colors="active")
    track = ".st-key-watch_more label > span + div"
    canvas = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    assert "0px" not in look(page, track, "borderTopWidth") and canvas not in look(page, f"{track} > div")
    off = look(page, track)
    page.locator(".st-key-watch_more label").first.click()
    settled(page)
    assert look(page, track) != off


def test_a_page_follows_a_system_that_turns_dark_while_it_is_open(at: Callable[..., Any]) -> None:
    page = at("glossary")
    logo = page.locator('img[src^="data:image/svg"]').first
    before = logo.get_attribute("src")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"getComputedStyle(document.documentElement).getPropertyValue('--tv-muted-text').trim() === '{DARK.muted_text}'")
    page.wait_for_function("before => document.querySelector('img[src^=\"data:image/svg\"]').src !== before", arg=before)


def test_the_verdicts_and_bars_of_speculative_decoding_are_visible(at: Callable[..., Any]) -> None:
    page = at("speculative", forced_colors="active")
    settled(page)
    bars = look(page, ".tv-drafts .bars .q") | look(page, ".tv-drafts .bars .p")
    canvas = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    assert len(bars) == 2 and canvas not in bars
    assert look(page, ".tv-drafts .rejected", "textDecorationLine") == {"line-through"}
