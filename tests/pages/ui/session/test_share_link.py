"""A link says what was done, and whatever else somebody writes into it is refused."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import SamplingSettings
from core.sampling.settings import SETTINGS
from pages.ui.session import share_link
from pages.ui.session.sampling_controls import START
from pages.ui.session.share_link import Rolled
from tests.pages.ui.session.test_sampling_controls import FULL


def turned() -> st.SearchStrategy[SamplingSettings]:
    """Settings as the sliders can stand."""
    return st.builds(
        SamplingSettings,
        temperature=st.sampled_from([0.05, 0.8, 1.0, 1.25, 2.0]),
        top_k=st.integers(0, 200),
        top_p=st.sampled_from([0.05, 0.9, 0.97, 1.0]),
        min_p=st.sampled_from([0.0, 1e-05, 1 / 3, 0.30000000000000004]),
        seed=st.integers(0, 2**31 - 1),
        greedy=st.booleans(),
    ) | st.just(FULL)


@dataclass
class Taken:
    token_id: int
    chosen_by: str
    attempt: int = 0
    settings: SamplingSettings = START

    @property
    def is_forced(self) -> bool:
        return self.chosen_by in ("forced", "budget")


def test_a_way_is_short_and_reads_back() -> None:
    path = [Taken(5, "sampled"), Taken(6, "greedy"), Taken(231, "forced"), Taken(4095, "sampled"), Taken(64, "sampled", 3)]
    assert share_link.format_steps(path) == "r1FG.f231.r2__.a3.r2BA"  # type: ignore[arg-type]
    assert share_link.parse_steps("r1FG.f231.r2__.a3.r2BA") == [Rolled(5), Rolled(6), 231, Rolled(4095), Rolled(64, 3)]


def test_links_of_old_still_open() -> None:
    assert share_link.parse_steps("2.f231.1") == [None, None, 231, None]


@pytest.mark.parametrize(
    "text", ["r", "r2", "r2A", "r0AA", "r6AAAAAA", "r2A.", "r2ä1", "rAA", "a", "a-1", "f", "r1A r1A", "12345678901", "r1" + "A" * 2001]
)
def test_what_is_no_way_is_refused(text: str) -> None:
    assert share_link.parse_steps(text) is None


rolled = st.builds(Rolled, st.integers(0, 2**30 - 1) | st.integers(0, 5000), st.sampled_from([0, 0, 1, 10**9 - 1]))


@given(st.lists(rolled | st.integers(0, 999_999), max_size=60))
def test_every_way_reads_back_as_it_was_written(way: list[int | Rolled]) -> None:
    path: Any = [Taken(e.token_id, "sampled", e.attempt) if isinstance(e, Rolled) else Taken(e, "forced") for e in way]
    text = share_link.format_steps(path)
    assert (share_link.parse_steps(text) if text else []) == way


@given(turned(), st.lists(st.tuples(st.integers(0, 999_999), st.booleans(), turned(), st.integers(0, 3)), max_size=20))
def test_settings_and_throws_on_the_way_read_back(base: SamplingSettings, way: list[tuple[int, bool, SamplingSettings, int]]) -> None:
    path = [Taken(token, "forced" if forced else "sampled", 0 if forced else attempt, settings) for token, forced, settings, attempt in way]
    text = share_link.format_steps(path, base)  # type: ignore[arg-type]
    read, now = [], base
    for entry in (share_link.parse_steps(text) or []) if text else []:
        if isinstance(entry, SamplingSettings):
            now = entry
        else:
            read.append((entry, now))
    assert read == [(token if forced else Rolled(token, attempt), settings) for token, forced, settings, attempt in way]


def test_what_is_as_usual_is_left_out() -> None:
    assert share_link.query("Hello", "storyteller", START, [], "Hello") == "model=storyteller"
    held = parse_qs(share_link.query("Hi & bye", "storyteller", SamplingSettings(greedy=True, seed=4), [], "Hello"))
    assert held["prompt"] == ["Hi & bye"]
    assert held["greedy"] == ["true"]
    assert held["seed"] == ["4"]
    assert held["temperature"] == ["1"]


def test_a_text_names_its_prompt_whatever_the_app_begins_with() -> None:
    held = parse_qs(share_link.query("Hello", "storyteller", START, [Taken(5, "dice")], "Hello"))  # type: ignore[list-item]
    assert held["prompt"] == ["Hello"] and held["steps"]


LINK = {"temperature": "1.1", "seed": "5", "prompt": "The brave dragon", "steps": "r2FcAN"}


@pytest.mark.parametrize("added", [".", ")", "”", '"', ").", ">", "...", "’,"])
@pytest.mark.parametrize("last", ["steps", "temperature"])
def test_a_link_that_took_a_sign_along_opens_as_it_was_written(added: str, last: str) -> None:
    damaged = LINK | {last: LINK[last] + added}
    assert share_link.repaired(damaged, ["storyteller"]) == (LINK, True)
    assert share_link.repaired(LINK, ["storyteller"]) == (LINK, False)


@pytest.mark.parametrize(
    ("cut", "kept"), [("r2FcA", "r2Fc"), ("r1I.f", "r1I"), ("r1I.r", "r1I"), ("r1I.r2", "r1I"), ("r3AAAAA", "r3AAA"), ("f231.a", "f231")]
)
def test_a_link_that_was_cut_keeps_the_steps_that_can_be_read(cut: str, kept: str) -> None:
    assert share_link.repaired({"steps": cut}, []) == ({"steps": kept}, True)


@pytest.mark.parametrize("steps", ["banana", "", ".", "r9AA", "r", "-" * 400_000])
def test_steps_that_cannot_be_read_stay_as_they_are(steps: str) -> None:
    assert share_link.repaired({"steps": steps}, []) == ({"steps": steps}, False)


KEYS = (
    *("steps", "prompt", "model", "earlier", "stop", "thinking_budget", "thinking_end"),
    *("constraint", "order", "temperature", "lang", "other"),
)


@pytest.mark.parametrize("unit", ["!", " ", "\u00a0", "-", ".", "r1A.", "s.", "x", "9", "[", '["a",'])
def test_no_value_of_a_link_takes_long(unit: str) -> None:
    """40,000 exclamation marks in `steps` held the interpreter for minutes. A message of a browser has 2 MB."""
    text = unit * (1_900_000 // len(unit)) + "a"
    for key in KEYS:
        start = process_time()
        query, _damaged = share_link.repaired(share_link.bounded({key: text}), ["storyteller"])
        share_link.invalid_values(query, ["storyteller"])
        share_link.parse_steps(text)
        assert process_time() - start < 0.5, key
        assert len(query[key]) <= 2 * share_link.LONGEST_CONVERSATION + 1


def test_an_address_of_a_hundred_thousand_values_is_read_as_far_as_a_link_can_go() -> None:
    address = {f"v{number}": "1" for number in range(100_000)} | {"seed": "5"}
    assert len(share_link.bounded(address)) == share_link.MOST_VALUES
    assert share_link.bounded({"seed": "5", "x" * 100: "1"}) == {"seed": "5"}


def test_the_longest_steps_are_read_and_longer_ones_are_refused() -> None:
    for chosen_by in ("sampled", "forced"):
        path: Any = [Taken(999_999_999, chosen_by) for _step in range(share_link.MOST_STEPS)]
        assert len(share_link.parse_steps(share_link.format_steps(path)) or []) == share_link.MOST_STEPS
    assert share_link.parse_steps("a1." * (share_link.LONGEST_STEPS // 3) + "r1A") is None, "too long, whatever is in it"


def test_settings_from_long_texts_are_not_kept() -> None:
    share_link._settings_of.cache_clear()
    nothing = (None,) * len(SETTINGS)
    for number in range(5):
        long = tuple(f"{number}{'1' * 100_000}" if name == "constraint" else None for name in SETTINGS)
        assert share_link.settings_of(long, long) == share_link.settings_of(nothing, nothing)
    assert share_link._settings_of.cache_info().currsize == 1


@given(st.floats(0.05, 2.0), st.floats(0.01, 0.3))
def test_a_number_keeps_all_its_digits(temperature: float, min_p: float) -> None:
    """The steps of a link have settings with all digits. With six in the link itself, its first step had others."""
    settings = SamplingSettings(temperature=temperature, min_p=min_p)
    read = share_link.settings_in(share_link.decoded(share_link.query("a", "m", settings, [], "a"))) or {}
    assert (read.get("temperature"), read.get("min_p")) == (temperature, min_p)
