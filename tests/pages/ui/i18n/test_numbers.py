"""Numbers read as people say them, and nothing that is there is shown as zero."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import message
from pages.ui.i18n import numbers

PERCENT = {
    0: "0 %",
    1: "100 %",
    0.4132: "41 %",
    0.0618: "6.2 %",
    0.0003: "0.03 %",
    1e-12: "< 0.00001 %",
    0.9951: "99.5 %",
    0.9999: "> 99.9 %",
}
CHANCE = {0.0001: "0.01 %", 0.00003123: "1 in 32,000", 1.4e-8: "1 in 71 million", 1e-15: "< 1 in a trillion", 0.0: "0 %", 0.3: "30 %"}
SIZE = {0: "0 B", 860: "860 B", 86_123: "86 KB", 4.21e6: "4.2 MB", 999_600: "1 MB", 2.5e13: "25 TB"}
DURATION = {0.0004: "0.4 ms", 0.0384: "38 ms", 1.234: "1.2 s", 0.9996: "1 s", 180: "3 min"}
COUNT = {47: "47", 12_345: "12,345", 5_712_000: "5.7 million", 8.03e9: "8 billion"}


@pytest.mark.parametrize("kind", ["percent", "chance", "size", "duration", "count"])
def test_a_number_is_written_as_people_say_it(kind: str) -> None:
    cases: dict[float, str] = globals()[kind.upper()]
    assert {number: getattr(numbers, kind)(number).replace("\u00a0", " ") for number in cases} == cases


def test_what_is_no_number_is_a_dash() -> None:
    assert {numbers.percent(math.nan), numbers.percent(None), numbers.chance(math.nan), numbers.bits(math.inf)} == {"–"}


@given(st.floats(min_value=1e-300, max_value=1, exclude_max=True))
def test_what_is_there_is_never_zero_and_what_is_not_all_is_never_all(share: float) -> None:
    text = numbers.percent(share)
    assert any(digit in text for digit in "123456789")
    assert "0.00\u00a0" not in text
    if share < 0.99999:
        assert not text.startswith("100")


@given(st.floats(min_value=0.0000002, max_value=0.999))
def test_a_percentage_is_right_to_two_figures(share: float) -> None:
    shown = float(numbers.percent(share).rstrip("%").replace("\u00a0", "").lstrip("<>"))
    assert shown == pytest.approx(share * 100, rel=0.051)


def test_a_perplexity_is_rounded_once() -> None:
    """1,486.55 was rounded to 1,486.5 first, and then down to 1,486."""
    assert [numbers.perplexity(value) for value in (31.48, 99.94, 1486.5499, 1486.55)] == ["31.5", "99.9", "1,487", "1,487"]


def test_a_number_that_is_not_known_is_said() -> None:
    assert numbers.count(math.nan) == numbers.size(math.nan) == "not known for this architecture"
    assert numbers.decimal(math.nan, 1) == "–"


@pytest.mark.parametrize("share", [0.0, 1e-9, 0.0003, 0.0618, 0.38, 0.87, 0.995, 0.9992, 1.0])
def test_the_app_and_its_files_write_a_percentage_in_one_way(share: float) -> None:
    assert numbers.percent(share).replace("\u00a0", " ") == message.percent(share)
