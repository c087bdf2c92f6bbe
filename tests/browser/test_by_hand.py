"""An n-gram model in the browser: counted, its steps drawn, its counts in the card of a bar, its sheet printed on one page of paper."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from core import load_model
from core.sources.ngram.sheet import sheet
from tests.browser.watching import Watching, download, press, settled

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
At = Callable[..., Any]
TEXT = "the cat sat. the cat ran. the cat sat. the dog ran."
LINK = f"?model=ngram:3&prompt={quote('Once upon a time')}&seed=4"


def test_a_text_is_counted_and_its_sheet_is_one_page_of_paper(at: At, browser: Any) -> None:
    page = at("by_hand?prompt=the")  # the name of the file: on a server without a visitor yet, an address can be unknown
    page.locator(".st-key-by_hand_text textarea").fill(TEXT)
    page.locator(".st-key-by_hand_text textarea").blur()
    settled(page)
    press(page, "by_hand_count")
    page.get_by_text("is used on every page").wait_for()
    saved = download(page, page.get_by_role("button", name="Save the sheet")).read_text("utf-8")
    assert "<b>11–53</b> cat" in saved, "the cat three times of four: 27 of 36 throws"
    paper = browser.new_page()
    paper.set_content(load_sheet("ngram:2"))
    printed = paper.pdf(format="A4", prefer_css_page_size=True)
    paper.close()
    assert len(re.findall(rb"/Type\s*/Page[^s]", printed)) == 1


def load_sheet(name: str) -> str:
    from core.sources.ngram.sheet import sheet_html

    model: Any = load_model(name)
    assert len(sheet(model)) > 50
    return sheet_html(model)


def test_the_card_of_a_bar_says_its_counts(visit: Visit) -> None:
    watching = visit(LINK)
    watching.press("step", 1)
    page = watching.page
    page.locator(".st-key-odds .bar").first.hover()
    assert re.search(r"followed .+ \d+ of \d+ times", page.locator(".st-key-odds .card").inner_text())


@pytest.mark.parametrize("address", ["stage", "two-branches"])
def test_pages_that_draw_its_steps_in_the_browser_use_it(at: At, address: str) -> None:
    told = at(f"{address}{LINK}").locator("body").inner_text()
    assert "Something went wrong" not in told and "makes no forward passes" not in told and "cannot be used" not in told
