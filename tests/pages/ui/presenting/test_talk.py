"""A running order is a file that may come from anywhere; whatever is in it, it leads to pages of this app or is refused in a sentence."""

from __future__ import annotations

import json
import math
from time import process_time
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import SamplingSettings
from core.errors import BadRecording
from core.experiments.shared import prepared_runs
from core.record.step import TokenDistribution
from pages.ui import features
from pages.ui.presenting import talk, talk_file, tour_texts
from pages.ui.presenting.prepared_talks import TALKS
from pages.ui.presenting.stage_state import doubt
from pages.ui.presenting.talk_file import FORMAT, Stop, Talk


@pytest.mark.parametrize("name", TALKS)
def test_a_prepared_talk_leads_to_pages_that_are_there_and_is_the_same_from_its_file(name: str) -> None:
    known = TALKS[name]
    titles = features.titles()
    for stop in known.stops:
        assert stop.page in titles, stop
        assert stop.say, "a speaker is told what to say"
        assert stop.query.get(talk.RECORDING_PARAMETER, "loop") in {recipe.name for recipe in prepared_runs.PREPARED}
        assert stop.page != "tour" or stop.query["stop"] in tour_texts.STOPS
    assert talk_file.loads(known.dumps()) == known


@pytest.mark.parametrize("before", ["", "/", "https://example.org/", " /app/"])
def test_a_stop_keeps_of_an_address_what_is_this_apps(before: str) -> None:
    stop = talk_file.checked(Stop("Fox", f"{before}stage?prompt=The+fox&seed=4 "))
    assert stop.page == "stage"
    assert stop.query == {"prompt": "The fox", "seed": "4"}


@pytest.mark.parametrize("link", ["nowhere", "../../etc/passwd", "javascript:alert(1)", "http://[", "notes", "talk", "__init__"])
def test_a_stop_that_leads_nowhere_is_refused(link: str) -> None:
    with pytest.raises(BadRecording, match=r"is not a page of this app"):
        talk_file.checked(Stop("Strange", link))


def file_of(stops: object, version: int = 1) -> str:
    """Return a file with these stops."""
    return json.dumps({"format": FORMAT, "version": version, "name": "x", "stops": stops})


STOP = {"title": "a", "link": "stage"}
WRONG = [b"", b"\xff\xfe", "[" * 100_000, "{}", json.dumps({"format": FORMAT}), file_of([STOP], 2), file_of([]), file_of([STOP] * 61)]
WRONG += [json.dumps(json.loads(file_of([STOP])) | {"minutes": minutes}) for minutes in (0, -3, 601, 2.5, "3", True)]
WRONG += [file_of([STOP | other]) for other in ({"words": -1}, {"run": "rm"}, {"link": 7})]


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_is_no_running_order_is_refused_in_a_sentence(text: str | bytes) -> None:
    with pytest.raises(BadRecording, match=r"\.$"):
        talk_file.loads(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner),
        max_leaves=8,
    )
)
def test_whatever_stands_in_a_file_it_is_a_talk_or_refused(content: object) -> None:
    try:
        assert isinstance(talk_file.loads(file_of(content)), Talk)
    except BadRecording as error:
        assert str(error).endswith(".")


HOSTILE = {  # up to 15 MB
    "lists": lambda: b'{"stops": [' + b"[]," * 5_000_000,
    "lists outside": lambda: b"[" + b"[]," * 5_000_000 + b"[]]",
    "names": lambda: b"{" + b",".join(b'"%d":0' % number for number in range(1_000_000)) + b"}",
    "names of a stop": lambda: b'{"stops": [{' + b",".join(b'"%d":0' % number for number in range(1_000_000)) + b"}]}",
    "one text": lambda: b'{"format": "' + b"\\\\" * 7_500_000 + b'"}',
    "numbers": lambda: b'{"stops": [' + b"0," * 7_500_000 + b"0]}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_without_reading_the_whole_of_it(name: str) -> None:
    data = HOSTILE[name]()
    before = process_time()
    with pytest.raises(BadRecording):
        talk_file.loads(data)
    assert process_time() - before < 0.5  # once up to 9 s


def test_the_file_has_the_name_of_the_talk() -> None:
    assert Talk("Ten minutes", ()).file_name == "Ten minutes.json"
    assert Talk("../a:b", ()).file_name == "___a_b.json"


@pytest.mark.parametrize(
    "wrong",
    [
        {"shown": ["x { display: none }"]},
        {"shown": ["a"] * 9},
        {"start": "b, *"},
        {"doubt": -1},
        {"doubt": 1e9},
        {"doubt": "much"},
        {"shown": "receipt"},
        {"acts": ["temperature 9.9"]},
        {"acts": ["temperature 1.0; alert(1)"]},
        {"acts": ["rm"]},
        {"acts": "guess"},
        {"acts": [7]},
        {"acts": ["guess"] * 13},
    ],
)
def test_what_a_stop_shows_is_checked_because_it_becomes_a_style(wrong: dict[str, object]) -> None:
    right = {"title": "One", "link": "cost", "shown": ["receipt"], "start": "cost_two_start", "doubt": 1.0, "acts": ["temperature 0.2"]}
    made = talk_file.loads(file_of([right])).stops[0]
    assert made.shown == ("receipt",) and made.acts == ("temperature 0.2",)
    with pytest.raises(BadRecording):
        talk_file.loads(file_of([right | wrong]))


@pytest.mark.parametrize(
    ("model", "dice", "greedy", "expected"), [(2.0, 1.0, False, 1.0), (2.0, 0.0, True, 2.0), (math.nan, math.nan, False, 99.0)]
)
def test_the_doubt_of_a_step_is_a_number_that_a_browser_can_read(model: float, dice: float, greedy: bool, expected: float) -> None:
    made = SimpleNamespace(model_entropy=model, sampling_entropy=dice, settings=SamplingSettings(greedy=greedy))
    assert doubt(cast(TokenDistribution, made)) == expected


def test_a_stop_with_a_former_name_of_a_page_leads_to_it() -> None:
    stop = talk_file.checked(Stop("Growing", "growing?a=b", shown=("growing_prompt", "chart_growing_lens", "result_teach")))
    assert (stop.link, stop.page) == ("training?a=b", "training")
    assert stop.shown == ("training_prompt", "chart_training_lens", "result_teach")
    assert talk_file.checked(Stop("Many", "many-requests")).page == "batching"
