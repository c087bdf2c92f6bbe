"""A text that is copied from a page is the text itself: with its spaces and line ends, without signs and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from tests.browser.watching import FIND, settled

pytestmark = pytest.mark.browser
TEXT = "The old king sat\nin his  gingerbread house."


def copied(page: Any, part: str) -> str:
    """Select everything in a part of the page, copy it with the keyboard, and return what was copied."""
    page.locator(f"{part} .words").first.wait_for()
    settled(page)
    page.evaluate("part => getSelection().selectAllChildren(document.querySelector(part))", part)
    page.keyboard.press("Control+c")
    return str(page.evaluate("() => navigator.clipboard.readText()"))


def test_a_marked_text_is_copied_with_its_spaces(at: Callable[..., Any]) -> None:
    page = at("is-it-marked")
    part = ".st-key-watermark_marked"
    text = copied(page, part)
    written = page.evaluate(f"part => ({FIND})('words', document.querySelector(part)).places.map(place => place.token.text).join('')", part)
    assert len(written.split()) > 50 and written.strip() in text


@pytest.mark.parametrize(("path", "part"), [("watch", "strip"), ("inside", "inside_chips")])
def test_a_prompt_is_copied_as_it_is(at: Callable[..., Any], path: str, part: str) -> None:
    assert TEXT in copied(at(f"{path}?prompt={quote(TEXT)}"), f".st-key-{part}")
