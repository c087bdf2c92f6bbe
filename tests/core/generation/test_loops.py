"""A loop is the same tokens, several times at the end of a text; compared with a search that tries everything."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from core import Generation, SamplingSettings, load_model
from core.engine.model import LanguageModel
from core.errors import BadSetting
from core.generation.loops import LEAST, Loop, find

STORIES = Path(__file__).parents[3] / "core" / "bundled" / "stories" / "stories.txt"


@pytest.fixture(scope="module")
def storyteller() -> LanguageModel:
    return load_model("storyteller", device="cpu")


def tried(ids: Sequence[int], copies: int, least: int = LEAST) -> Loop | None:
    """The same by trying every period."""
    for period in range(1, len(ids) // copies + 1):
        count = 1
        while (count + 1) * period <= len(ids) and ids[-(count + 1) * period :][:period] == ids[-period:]:
            count += 1
        if count >= copies and count * period >= least:
            return Loop(period, count, len(ids) - count * period)
    return None


@pytest.mark.parametrize("copies", [2, 3, 4])
def test_it_finds_what_trying_every_period_finds(copies: int) -> None:
    chance = random.Random(copies)
    found = 0
    for _each in range(2000):
        ids = [chance.randrange(3) for _place in range(chance.randrange(30))]
        ids += [chance.randrange(3) for _place in range(chance.randrange(1, 9))] * chance.randrange(1, 6)
        wanted = tried(ids, copies)
        assert find(ids, copies) == wanted
        found += wanted is not None
    assert 200 < found < 1900


def test_edges() -> None:
    assert find([]) is None and find([1]) is None and find([5] * 11) is None
    assert find([7, 5] + [5] * 11) == Loop(1, 12, 1)
    assert find([1, 2, 3, 4, 5, 6] * 2, copies=2) == Loop(6, 2, 0), "half of the text"
    assert find([1, 2, 3, 4] * 2 + [1, 2, 3]) is None, "the third copy is not whole"
    assert find(["a", "b"] * 6) == Loop(2, 6, 0), "the tokens of a server without ids"  # type: ignore[list-item]
    assert find([5] * 3, least=1) == Loop(1, 3, 0)


def test_stories_do_not_loop(storyteller: LanguageModel) -> None:
    ids = list(storyteller.encode(STORIES.read_text("utf-8")[:60_000]))
    assert len(ids) > 10_000
    assert [place for place in range(200, len(ids), 5) if find(ids[place - 200 : place])] == []


def test_a_run_stops_on_a_loop_and_says_so(storyteller: LanguageModel) -> None:
    greedy = SamplingSettings(greedy=True)
    run = Generation(storyteller, "Knock knock", greedy, stop_on_loop=3)
    steps = list(run.stream(200))
    loop = run.loop
    assert run.finished == "loop" and loop is not None and loop.copies == 3
    copies = [[step.token_id for step in steps[loop.start + number * loop.period :][: loop.period]] for number in range(3)]
    assert copies[0] == copies[1] == copies[2]
    run.go_to(-1)
    assert run.finished is None and run.loop is None, "one token before, the third copy is not whole"
    run.stop_at()
    assert len(list(run.stream(20))) == 20 and run.finished is None
    assert run.stops["stop_on_loop"] == 0


@pytest.mark.parametrize("copies", [1, -1, 101, 2.5, "3", None, True])
def test_impossible_numbers_of_copies_are_refused(storyteller: LanguageModel, copies: object) -> None:
    with pytest.raises(BadSetting):
        Generation(storyteller, "The fox", stop_on_loop=copies)  # type: ignore[arg-type]
