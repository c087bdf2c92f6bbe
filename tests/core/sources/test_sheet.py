"""The sheet for dice: its ranges cover the dice, follow the counts, and every throw leads to a row or to the end."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from core.errors import BadSetting
from core.sources.ngram.ngram import NGram
from core.sources.ngram.sheet import DICE, MOST_ROWS, sheet, sheet_html


@pytest.mark.parametrize("dice", DICE)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_throw_has_one_token_and_leads_on(n: int, dice: str, ngram: Callable[[int], Any]) -> None:
    rows = sheet(ngram(n), dice)
    assert 1 <= len(rows) <= MOST_ROWS
    contexts = {row.context for row in rows}
    for row in rows:
        faces: list[str] = []
        for shown, token, _count in row.followers:
            first, _dash, last = shown.partition("–")
            start = DICE[dice].index(first)
            faces += DICE[dice][start : DICE[dice].index(last or first) + 1]
            if n == 2 and token != "■":
                assert token in contexts, f"{token} has no row"
        assert tuple(faces) == DICE[dice], row
        counts = [count for _shown, _token, count in row.followers]
        assert counts == sorted(counts, reverse=True)


def test_a_worked_sheet() -> None:
    rows = {row.context: row.followers for row in sheet(NGram("a b a b a c", 2), "a ten-sided die")}
    assert rows["a"] == (("0–6", "b", 2), ("7–9", "c", 1)), "two thirds of ten faces are 6.67, which the larger remainder makes 7"


@pytest.mark.parametrize(
    ("dice", "rows"), [("a coin", 60), ("two dice", 0), ("two dice", 61), ("two dice", True), ("", 5), ("two dice", "9")]
)
def test_impossible_sheets_get_one_sentence(dice: str, rows: Any) -> None:
    with pytest.raises(BadSetting):
        sheet(NGram("a b", 2), dice, rows)


def test_the_page_shows_a_hostile_text_as_text() -> None:
    tags: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: Any) -> None:
            tags.append(tag)

    Tags().feed(sheet_html(NGram("<script>alert(1)</script> <img src=x onerror=y> <script>", 2, name="<b>mine")))
    assert not {"script", "img"} & set(tags)
