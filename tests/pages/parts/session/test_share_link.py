"""A link says what was done, and whatever else somebody writes into it is refused."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs

from hypothesis import given
from hypothesis import strategies as st

from core import SamplingSettings
from pages.parts.session import share_link
from pages.parts.session.sampling_controls import CONTROLS, PRESETS, START, preset_of


def turned() -> st.SearchStrategy[SamplingSettings]:
    """Settings as the sliders can stand."""
    return st.builds(
        SamplingSettings,
        temperature=st.sampled_from([0.05, 0.8, 1.0, 1.25, 2.0]),
        top_k=st.integers(0, 200),
        top_p=st.sampled_from([0.05, 0.9, 0.97, 1.0]),
        seed=st.integers(0, 2**31 - 1),
        greedy=st.booleans(),
    )


QUIET = st.text(max_size=60)


@dataclass
class Taken:
    token_id: int
    chosen_by: str
    settings: SamplingSettings = START
    attempt: int = 0


def test_a_way_is_short_and_reads_back() -> None:
    path = [Taken(5, "sampled"), Taken(6, "greedy"), Taken(231, "forced"), Taken(7, "sampled")]
    assert share_link.format_steps(path) == "2.f231.1"  # type: ignore[arg-type]
    assert share_link.parse_steps("2.f231.1") == [None, None, 231, None]


@given(st.lists(st.one_of(st.none(), st.integers(0, 999_999)), max_size=60))
def test_every_way_reads_back_as_it_was_written(way: list[int | None]) -> None:
    path = [Taken(0 if token is None else token, "sampled" if token is None else "forced") for token in way]
    text = share_link.format_steps(path)  # type: ignore[arg-type]
    assert (share_link.parse_steps(text) if text else []) == way


@given(turned(), st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 999_999)), turned(), st.integers(0, 3)), max_size=20))
def test_settings_and_throws_on_the_way_read_back(base: SamplingSettings, way: list[tuple[int | None, SamplingSettings, int]]) -> None:
    path = [Taken(token or 0, "sampled" if token is None else "forced", settings, attempt) for token, settings, attempt in way]
    text = share_link.format_steps(path, base)  # type: ignore[arg-type]
    read, now = [], base
    for entry in (share_link.parse_steps(text) or []) if text else []:
        if isinstance(entry, SamplingSettings):
            now = entry
        else:
            read.append((entry, now))
    rolled = [(share_link.Throw(attempt) if attempt and token is None else token, settings) for token, settings, attempt in way]
    assert read == rolled


def test_settings_on_the_way_are_short() -> None:
    path = [Taken(1, "sampled"), Taken(2, "sampled", SamplingSettings(temperature=1.2, top_p=0.9, top_k=40)), Taken(3, "forced")]
    assert share_link.format_steps(path, START) == "1.st1_2-k40.1.s.f3"  # type: ignore[arg-type]
    for strange in ("sx3", "st99", "st", "s-t1_2-", "stnan", "st1e309", "a", "f", "s" * 400):
        assert share_link.parse_steps(f"2.{strange}") in (None, [None, None, START.__class__(temperature=1.2, top_p=0.9)])


@given(QUIET)
def test_no_text_breaks_the_reading_of_a_way(text: str) -> None:
    way = share_link.parse_steps(text)
    assert way is None or len(way) <= share_link.MOST_STEPS


@given(st.dictionaries(st.sampled_from([c.key for c in CONTROLS] + ["model", "prompt", "steps", "other"]), QUIET))
def test_whatever_a_link_holds_the_values_are_possible(query: dict[str, str]) -> None:
    said = share_link.impossible(query, ["storyteller"])
    assert all(len(text) < 80 for text in said)
    for control in CONTROLS:
        value = share_link.value_of(control, query.get(control.key, ""))
        assert value is None or control.low <= value <= control.high


def test_what_is_as_usual_is_left_out() -> None:
    assert share_link.query("Hello", "storyteller", START, [], "Hello") == "model=storyteller"
    held = parse_qs(share_link.query("Hi & bye", "storyteller", SamplingSettings(greedy=True, seed=4), [], "Hello"))
    assert held["prompt"] == ["Hi & bye"]
    assert held["greedy"] == ["true"]
    assert held["seed"] == ["4"]
    assert held["temperature"] == ["1"]


def test_every_preset_is_recognised_whatever_the_seed() -> None:
    for name, preset in PRESETS.items():
        assert preset_of(SamplingSettings(**{**preset.as_dict(), "seed": 99})) == name
    assert preset_of(SamplingSettings(temperature=1.23)) is None


def test_every_control_starts_within_its_range_and_says_something() -> None:
    for control in CONTROLS:
        assert control.low <= control.start <= control.high
        for value in (control.low, control.start, control.high):
            assert 0 < len(control.effect(value)) <= 45
        assert control.help.endswith(".")
