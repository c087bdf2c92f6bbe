"""Guesses get the probabilities that the bars show, and the score is the surprise of the token that came."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings
from core.errors import InputError
from core.experiments.shared import guessing_game


@pytest.fixture(scope="module")
def model(tiny: Any) -> Any:
    return tiny("large")


def words(run: Generation) -> list[Any]:
    """The candidates that are a space and letters, the likeliest first."""
    return [c for c in run.next_distribution().candidates if c.text[:1] == " " and c.text[1:].isalpha() and c.text.isascii()]


def test_a_guess_has_the_probability_and_rank_of_its_candidate(model: Any) -> None:
    run = Generation(model, "Once upon a time, there was a little", SamplingSettings(temperature=0.5, seed=2), top_n=400)
    candidates = words(run)[:4]
    judged = guessing_game.judge(run, [c.text.strip() for c in candidates])
    assert [g.rank for g in judged] == [c.rank for c in candidates]
    for known, candidate in zip(judged, candidates, strict=True):
        assert known.token_id == candidate.token_id
        assert known.probability == pytest.approx(candidate.model_probability, rel=1e-5)
    assert run.path == [], "nothing is rolled"


def test_a_word_that_no_list_holds_still_has_its_probability(model: Any) -> None:
    run = Generation(model, "Once upon a time, there was a little", top_n=5)
    listed = {c.token_id for c in run.next_distribution().candidates}
    wide = words(Generation(model, run.prompt, top_n=400))[4]
    told = guessing_game.judge(run, [wide.text.strip()])[0]
    assert told.token_id == wide.token_id and told.token_id not in listed
    assert told.probability == pytest.approx(wide.model_probability, rel=1e-4)
    assert told.rank == wide.rank


def test_a_word_in_pieces_counts_by_its_first_piece_and_says_so(model: Any) -> None:
    told = guessing_game.judge(Generation(model, "Once upon a"), ["Zxqvology"])[0]
    assert not told.whole
    assert told.piece and told.piece.lstrip("␣") != "Zxqvology"


def test_what_came_is_worth_its_surprise_shared_among_the_guesses(model: Any) -> None:
    run = Generation(model, "Once upon a time, there was a little", SamplingSettings(seed=1), top_n=400)
    first, second = words(run)[:2]
    favourite = run.next_distribution().candidates[0].token_id
    judged = guessing_game.judge(run, [first.text.strip(), second.text.strip()])
    hit = guessing_game.finish(judged, run.force(second))
    assert hit.hit and hit.points == pytest.approx(-math.log2(second.model_probability) / 2)
    assert hit.favourite_points == 0.0
    run.go_to(-1)
    missed = guessing_game.finish(judged, run.force(favourite))
    assert (missed.hit, missed.points) == (favourite in (first.token_id, second.token_id), missed.points)
    assert missed.favourite_points == pytest.approx(-math.log2(run.path[0].model_probability))


def test_a_recording_knows_what_it_lists_without_its_model(model: Any) -> None:
    run = Generation(model, "Once upon a time, there was a little", SamplingSettings(seed=1), top_n=400)
    wanted = words(run)[0]
    run.step()
    replay = Recording.loads(Recording.of(run).dumps()).replay()
    told, strange = guessing_game.judge(replay, [wanted.text.strip(), "Zxqvology"])
    assert (told.token_id, told.rank) == (wanted.token_id, wanted.rank)
    assert strange.probability is None or not strange.whole


@pytest.mark.parametrize("said", [[], ["", "  "], ["x" * 41], [f"w{i}" for i in range(7)]])
def test_what_is_no_guess_is_refused_in_a_sentence(said: list[str], tiny: Callable[[str], Any]) -> None:
    with pytest.raises(InputError, match=r"\.$"):
        guessing_game.judge(Generation(tiny("llama"), "The sea"), said)


def test_hostile_guesses_are_only_words(model: Any) -> None:
    run = Generation(model, "Once upon a")
    assert guessing_game.cleaned(["a\nb\x00c", "a b c"]) == ["a b c"]
    for strange in ("<script>alert(1)</script>", "🦊", "\u202e", "….", "'"):
        assert len(guessing_game.judge(run, [strange])) == 1 if guessing_game.cleaned(["x", strange]) != ["x"] else True


def test_capital_letters_do_not_decide(model: Any) -> None:
    """ "Queen" got no points where "queen" came."""
    run = Generation(model, "Once upon a time, there was a little", SamplingSettings(seed=1), top_n=400)
    wanted = words(run)[0]
    guesses = guessing_game.judge(run, [wanted.text.strip().swapcase()])
    assert guessing_game.finish(guesses, run.force(wanted.token_id)).hit
