"""Guesses are held against the same odds that the bars show, and the score is the surprise of what came."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from core.errors import BadGuess
from core.labs import guess


@pytest.fixture(scope="module")
def model() -> Any:
    return load_model("storyteller-mini")


def test_a_guess_has_the_probability_and_rank_of_its_candidate(model: Any) -> None:
    run = Generation(model, "Once upon a time, there was a little", SamplingSettings(temperature=0.5, seed=2), top_n=50)
    candidates = [c for c in run.next_distribution().candidates if c.text.strip().isalpha()][:4]
    judged = guess.judge(run, [c.text.strip() for c in candidates])
    assert [g.rank for g in judged] == [c.rank for c in candidates]
    for known, candidate in zip(judged, candidates, strict=True):
        assert known.token_id == candidate.token_id
        assert known.probability == pytest.approx(candidate.model_probability, rel=1e-5)
    assert run.path == [], "nothing is rolled"


def test_a_word_that_no_list_holds_still_has_its_probability(model: Any) -> None:
    run = Generation(model, "Once upon a time, there was a little", top_n=5)
    listed = {c.token_id for c in run.next_distribution().candidates}
    told = guess.judge(run, ["and"])[0]
    assert told.token_id is not None and told.token_id not in listed
    wide = next(c for c in Generation(model, run.prompt, top_n=1000).next_distribution().candidates if c.token_id == told.token_id)
    assert told.probability == pytest.approx(wide.model_probability, rel=1e-4)
    assert told.rank == wide.rank


def test_a_word_in_pieces_counts_by_its_first_piece_and_says_so(model: Any) -> None:
    told = guess.judge(Generation(model, "Once upon a"), ["Zxqvology"])[0]
    assert not told.whole
    assert told.piece and told.piece.lstrip("␣") != "Zxqvology"


def test_what_came_is_worth_its_surprise_shared_among_the_guesses(model: Any) -> None:
    run = Generation(model, "Once upon a time, there was a little", SamplingSettings(seed=1), top_n=50)
    first, second = (c.text.strip() for c in run.next_distribution().candidates[:2])
    judged = guess.judge(run, [first, second])
    hit = guess.finish(judged, run.force(run.next_distribution().candidates[1].token_id))
    probability = run.path[0].model_probability
    assert hit.hit and hit.points == pytest.approx(-math.log2(probability) / 2)
    assert hit.favourite_points == 0.0
    run.go_to(-1)
    favourite = guess.finish(judged[1:], run.force(run.next_distribution().candidates[0].token_id))
    assert not favourite.hit and favourite.points == 0.0
    assert favourite.favourite_points == pytest.approx(-math.log2(run.path[0].model_probability))


def test_saying_the_same_piece_twice_costs_nothing(model: Any) -> None:
    run = Generation(model, "Once upon a time, there was a little")
    first = run.next_distribution().candidates[0].text.strip()
    twice = guess.finish(guess.judge(run, [first, first + "zzz"]), run.step())
    same = {known.token_id for known in twice.guesses}
    assert twice.points in (0.0, pytest.approx(twice.surprise / len(same)))


def test_a_recording_knows_what_it_lists_without_its_model(model: Any) -> None:
    run = Generation(model, "Once upon a time, there was a little", SamplingSettings(seed=1), top_n=50)
    run.step()
    replay = Recording.loads(Recording.of(run).dumps()).replay()
    wanted = run.path[0].candidates[2]
    told, strange = guess.judge(replay, [wanted.text.strip().upper(), "Zxqvology"])
    assert (told.token_id, told.rank) == (wanted.token_id, 3)
    assert strange.probability is None or not strange.whole


@pytest.mark.parametrize("said", [[], ["", "  "], ["x" * 41], [f"w{i}" for i in range(7)]])
def test_what_is_no_guess_is_refused_in_a_sentence(said: list[str], tiny: Callable[[str], Any]) -> None:
    with pytest.raises(BadGuess, match=r"\.$"):
        guess.judge(Generation(tiny("llama"), "The sea"), said)


def test_hostile_guesses_are_only_words(model: Any) -> None:
    run = Generation(model, "Once upon a")
    assert guess.cleaned(["a\nb\x00c", "a b c"]) == ["a b c"]
    for strange in ("<script>alert(1)</script>", "🦊", "\u202e", "….", "'"):
        assert len(guess.judge(run, [strange])) == 1 if guess.cleaned(["x", strange]) != ["x"] else True
