"""A vote: its options come from the model's own distribution, and its scores equal sums done by hand."""

from __future__ import annotations

import math
from random import Random

import pytest

from core import Generation, SamplingSettings, load_model
from core.experiments.shared import audience_vote
from core.experiments.shared.audience_vote import Option, OwnWord, Question, VoteRound


@pytest.fixture(scope="module")
def run() -> Generation:
    return Generation(load_model("storyteller-mini"), "Once upon a time, there was a little", SamplingSettings(seed=3), top_n=50)


@pytest.mark.parametrize("seed", range(5))
def test_the_options_have_the_likeliest_tokens_and_less_likely_words_in_another_order(run: Generation, seed: int) -> None:
    seen = run.next_distribution()
    options = audience_vote.options(seen, Random(seed))
    ranks = {candidate.key: candidate.rank for candidate in seen.candidates}
    assert 4 <= len(options) <= 6
    assert sorted(ranks[option.key] for option in options)[0] == 1
    assert sum(ranks[option.key] >= audience_vote.FIRST_LESS_LIKELY for option in options) >= 1
    assert len({option.label.casefold() for option in options}) == len(options)
    for option in options:
        candidate = next(candidate for candidate in seen.candidates if candidate.key == option.key)
        assert option.probability == candidate.model_probability
    assert len({tuple(option.key for option in audience_vote.options(seen, Random(other))) for other in range(6)}) > 1


OPTIONS = (Option(1, "dog", 0.5), Option(2, "cat", 0.25), Option(3, "tax", 0.05))


def three(votes: tuple[int, ...], came: int, own: int = 0) -> VoteRound:
    """Return a round on three options with the model's probabilities 0.5, 0.25 and 0.05."""
    return VoteRound(OPTIONS, votes, (OwnWord("ship", own),) if own else (), came)


def test_a_round_by_hand() -> None:
    counted = three((3, 12, 1), came=2)
    assert counted.voters == 16 and counted.favourite is not None
    assert counted.favourite.label == "cat" and counted.model_favourite.label == "dog"
    audience, model = counted.bits or (0.0, 0.0)
    assert audience == pytest.approx(-math.log2(13 / 19)) and model == pytest.approx(-math.log2(0.25 / 0.8))


def test_an_option_without_a_vote_has_a_finite_score_and_a_token_that_was_no_option_has_none() -> None:
    assert three((4, 0, 0), came=3).bits is not None and (three((4, 0, 0), came=3).bits or (0,))[0] == pytest.approx(-math.log2(1 / 7))
    assert three((4, 0, 0), came=77).bits is None
    assert three((0, 0, 0), came=1).bits is None and three((0, 0, 0), came=1).favourite is None


def test_own_words_count_as_choices_of_the_audience() -> None:
    counted = VoteRound(OPTIONS, (1, 0, 0), (OwnWord("dragon", 3, 9, 0.1), OwnWord("pond", 1)), came=1)
    assert counted.voters == 5 and counted.favourite is not None and counted.favourite.label == "dragon"
    assert counted.bits == pytest.approx((-math.log2(2 / 10), -math.log2(0.5 / 0.9)))
    took_own = VoteRound(OPTIONS, (1, 0, 0), (OwnWord("dragon", 3, 9, 0.1),), came=9)
    assert took_own.bits == pytest.approx((-math.log2(4 / 8), -math.log2(0.1 / 0.9)))
    assert audience_vote.score([counted, took_own]).hits == 1
    assert three((2, 0, 0), came=1, own=2).favourite == OPTIONS[0], "a tie goes to an option"


@pytest.mark.parametrize(
    ("text", "option"),
    [("Don't", 0), ("don’t!", 0), ("“DONʼT”", 0), ("cafe\u0301", 1), ("»Café« …", 1), (".", 2), ("café.", 1), ("do", "do")],
)
def test_the_same_word_in_another_spelling_is_the_same_option(text: str, option: int | str) -> None:
    asked = Question(1, "", (Option(1, "don't", 0.5), Option(2, "café", 0.25), Option(3, ".", 0.05)), 0, None)
    assert asked.vote_of(text) == option


def test_the_same_own_word_in_another_spelling_is_counted_together_and_joiners_stay() -> None:
    asked = Question(1, "", OPTIONS, 0, None)
    for phone, text in enumerate(["Zoë’s", "zoë's!", "Zoë’s", "Zoe\u0308's", "می\u200cخواهم", "ship?!"]):
        asked.votes[str(phone)] = asked.vote_of(text)
    assert asked.words() == [("zoë's", 4), ("می\u200cخواهم", 1), ("ship", 1)]
    assert [word.label for word in asked.own_words()] == ["Zoë’s", "می\u200cخواهم", "ship"]


def test_scores_over_rounds_leave_out_the_rounds_without_votes() -> None:
    rounds = [three((3, 1, 0), came=1), three((0, 4, 0), came=1), three((0, 0, 0), came=1), three((0, 1, 0), came=77)]
    total = audience_vote.score(rounds)
    assert (total.rounds, total.agreed, total.hits, total.scored) == (3, 1, 1, 2)
    assert total.audience_bits == pytest.approx((-math.log2(4 / 7) - math.log2(1 / 7)) / 2)
    assert total.model_bits == pytest.approx(-math.log2(0.5 / 0.8))
    assert math.isnan(audience_vote.score([]).audience_bits)


def test_a_tie_goes_to_the_option_that_stands_first() -> None:
    favourite = three((0, 2, 2), came=1).favourite
    assert favourite is not None and favourite.label == "cat"
