"""A loop is the same tokens, several times at the end of a text; compared with a search that tries everything."""

from __future__ import annotations

import gzip
import random
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from core import Generation, SamplingSettings, load_model
from core.engine.model import LanguageModel
from core.generation.loops import LEAST, Loop, find

BOOKS = Path(__file__).parents[3] / "core" / "bundled" / "stories" / "books.txt.gz"


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
@pytest.mark.parametrize("least", [0, 1, LEAST, 30])
def test_it_finds_what_trying_every_period_finds(copies: int, least: int) -> None:
    chance = random.Random(copies)
    found = 0
    for _each in range(1000):
        ids = [chance.randrange(3) for _place in range(chance.randrange(60))]
        ids += [chance.randrange(3) for _place in range(chance.randrange(1, 20))] * chance.randrange(1, 6)
        if chance.random() < 0.3:
            ids[chance.randrange(len(ids))] = 9
        wanted = tried(ids, copies, least)
        assert find(ids, copies, least) == wanted
        found += wanted is not None
    assert 100 < found < 990


def steep(kind: str) -> list[int]:
    """2,000 tokens that have many periods to try."""
    chance = random.Random(1)
    ids = {
        "half of them equal": [7 if chance.random() < 0.5 else chance.randrange(2000) for _place in range(2000)],
        "two tokens": [chance.randrange(2) for _place in range(2000)],
        "all equal but one, 12 from the end": [7] * 1988 + [3] + [7] * 11,
        "lines with the same words": [token for _line in range(133) for token in [*range(14), chance.randrange(99)]] + [*range(14)],
        "all equal": [7] * 2000,
    }[kind]
    return [*ids[:-1], 7] if kind == "half of them equal" else ids


@pytest.mark.parametrize(
    "kind", ["half of them equal", "two tokens", "all equal but one, 12 from the end", "lines with the same words", "all equal"]
)
def test_two_thousand_tokens_with_many_possible_periods_are_searched_exactly_and_fast(kind: str) -> None:
    ids = steep(kind)
    assert find(ids) == tried(ids, 3)
    array, began = np.array(ids), process_time()
    for _each in range(200):
        find(array)
    assert (process_time() - began) / 200 < 200e-6, "about 10 to 30 microseconds; trying each period took 500 to 1,800"


def test_edges() -> None:
    assert find([]) is None and find([1]) is None and find([5] * 11) is None
    assert find([7, 5] + [5] * 11) == Loop(1, 12, 1)
    assert find([1, 2, 3, 4, 5, 6] * 2, copies=2) == Loop(6, 2, 0), "half of the text"
    assert find([1, 2, 3, 4] * 2 + [1, 2, 3]) is None, "the third copy is not whole"
    assert find(["a", "b"] * 6) == Loop(2, 6, 0), "the tokens of a server without ids"  # type: ignore[list-item]
    assert find([5] * 3, least=1) == Loop(1, 3, 0) and find([3, 5, 5], copies=2, least=1) == Loop(1, 2, 1)


@pytest.mark.slow
def test_a_thousand_human_texts_do_not_loop_but_for_a_parrot(storyteller: LanguageModel) -> None:
    ids = np.array(storyteller.encode(gzip.decompress(BOOKS.read_bytes()).decode()))
    texts = ids[: len(ids) // 200 * 200].reshape(-1, 200)
    found = {number: find(text[:end]) for number, text in enumerate(texts) for end in range(LEAST, 201) if find(text[:end])}
    assert len(texts) > 1_000
    said = ["".join(storyteller.token(int(token_id)).text for token_id in texts[number]) for number in found]
    assert len(said) == 1 and said[0].count("Pieces of eight! ") >= 3, "in Treasure Island"


def test_a_loop_in_the_prompt_is_none_of_the_run(storyteller: LanguageModel) -> None:
    run = Generation(storyteller, "ha" + " ha" * 40, SamplingSettings(greedy=True), stop_on_loop=2)
    assert find(run.token_ids) is not None and run.loop is None and run.finished is None
    run.step()
    assert run.finished is None


def test_bytes_within_characters_are_tokens_of_a_loop(storyteller: LanguageModel) -> None:
    character = [token_id for token_id in storyteller.encode("𝄞") if not storyteller.token(token_id).special]
    assert [storyteller.token(token_id).raw for token_id in character] == [bytes([byte]) for byte in "𝄞".encode()]
    run = Generation(storyteller, "A", stop_on_loop=3)
    for number in range(13):
        assert run.finished is None
        run.force(character[(number + 3) % 4])  # the text begins with the last byte of a character
        if run.finished:
            break
    assert run.finished == "loop" and run.loop == Loop(4, 3, 0) and len(run.path) == 12


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
