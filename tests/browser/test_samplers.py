"""The dialog of all samplers: a stage is moved, the bars change, and the link brings the same order to another browser."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest

from core.sampling.settings import ORDERS
from tests.browser.watching import Watching, all_samplers, eventually, settled

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]


def listed(watching: Watching) -> list[str]:
    """The stages of the dialog, in their order."""
    return watching.page.evaluate("""() => {
      const find = node => [...node.querySelectorAll('*')].flatMap(one =>
        one.shadowRoot ? find(one.shadowRoot) : one.dataset?.stage ? [one] : []);
      return find(document).map(one => one.dataset.stage);
    }""")


def test_a_stage_is_moved_the_bars_change_and_the_link_keeps_the_order(visit: Visit) -> None:
    watching = visit("?temperature=1.8&min_p=0.1&top_p=0.6&prompt=Once+upon+a+time")
    page = watching.page
    before = watching.seen()["bars"]
    all_samplers(page)
    page.locator("[data-stage]").first.wait_for()
    assert listed(watching) == list(ORDERS["transformers"])
    page.locator('[data-stage="temperature"]').focus()
    for moved in range(1, 3):
        page.keyboard.press("Alt+ArrowDown")
        eventually(page, partial(_assert_moved, watching, moved))
        settled(page)
    page.keyboard.press("Escape")
    settled(page)
    eventually(page, lambda: _assert_other(watching, before))
    page.locator(".st-key-chip_order").first.wait_for()
    eventually(page, lambda: _assert_in_address(page.url))
    other = visit(f"?{urlsplit(page.url).query}")
    eventually(other.page, lambda: _assert_same(other, watching.seen()["bars"]))
    all_samplers(other.page)
    other.page.locator("[data-stage]").first.wait_for()
    _assert_moved(other)
    other.page.locator(".st-key-engine_transformers button").click()
    eventually(other.page, lambda: _assert_listed(other, ORDERS["transformers"]))
    other.page.keyboard.press("Escape")
    eventually(other.page, lambda: _assert_same(other, before))


def _assert_listed(watching: Watching, order: tuple[str, ...]) -> None:
    assert listed(watching) == list(order)


def _assert_moved(watching: Watching, places: int = 2) -> None:
    names = listed(watching)
    assert names.index("temperature") == ORDERS["transformers"].index("temperature") + places


def _assert_other(watching: Watching, bars: list[str]) -> None:
    assert watching.seen()["bars"] != bars


def _assert_same(watching: Watching, bars: list[str]) -> None:
    assert watching.seen()["bars"] == bars


def _assert_in_address(url: str) -> None:
    assert "order" in parse_qs(urlsplit(url).query)
