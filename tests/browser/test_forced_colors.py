"""Contrast themes of Windows (forced colours): what a colour shows is still visible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

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
    swatches = look(page, ".st-key-odds_legend .stHtml span span")
    assert len(swatches) == 3 and canvas not in swatches
    assert "0px" not in look(page, ".st-key-temperature [role=group] > div > div:empty", "borderTopWidth")


def test_the_verdicts_and_bars_of_speculative_decoding_are_visible(at: Callable[..., Any]) -> None:
    page = at("speculative", forced_colors="active")
    settled(page)
    bars = look(page, ".tv-drafts .bars .q") | look(page, ".tv-drafts .bars .p")
    canvas = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    assert len(bars) == 2 and canvas not in bars
    assert look(page, ".tv-drafts .rejected", "textDecorationLine") == {"line-through"}
