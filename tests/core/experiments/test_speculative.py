"""Speculative decoding: the text is the target's whatever the draft guesses, every guess is recorded, and impossible input is refused."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from core import Generation, SamplingSettings
from core.errors import BadSetting
from core.experiments.speculative import (
    ACCEPTED,
    BONUS,
    DROPPED,
    ENDED,
    RECOVERED,
    REJECTED,
    NgramDraft,
    PlainStep,
    Speculation,
    SpeculativeRound,
    gain,
    judge,
    speculate,
)
from core.sampling.observe_stages import sampling_probabilities
from tests.core.experiments.impossible import TEXT, refused
from tests.core.plain import chi_square, chi_square_limit
from tests.core.sampling.chains import text_of
from tests.tiny_models import FULL_ATTENTION, some

SMALL = 6  # tokens of the table models' vocabulary
RUNS = 20_000


class Table:
    """A model as a table: odds for the next token by the last two, the same for everybody who asks."""

    name = "table"

    def __init__(self, seed: int, sharpness: float) -> None:
        self._odds = np.random.default_rng(seed).dirichlet(np.full(SMALL, sharpness), (SMALL, SMALL))

    def of(self, ids: Sequence[int]) -> np.ndarray:
        odds: np.ndarray = self._odds[ids[-2], ids[-1]]
        return odds

    def guess(self, ids: Sequence[int], settings: SamplingSettings) -> np.ndarray:
        return self.of(ids)


class AsDraft(Table):
    def probabilities(self, ids: Sequence[int], settings: SamplingSettings) -> np.ndarray | None:
        return self.of(ids)


class AsTarget(Table):
    def probabilities(self, ids: Sequence[int], drafted: Sequence[int], settings: SamplingSettings) -> list[np.ndarray]:
        text = [*ids, *drafted]
        return [self.of(text[: len(ids) + place]) for place in range(len(drafted) + 1)]


@pytest.mark.parametrize(("guesses", "runs"), [(1, RUNS // 4), pytest.param(3, RUNS, marks=pytest.mark.exhaustive)])
def test_the_first_three_tokens_have_the_targets_own_odds(guesses: int, runs: int) -> None:
    target, draft = AsTarget(1, 0.6), AsDraft(2, 0.6)
    counts: Counter[tuple[int, ...]] = Counter()
    kinds: Counter[str] = Counter()
    for seed in range(runs):
        run = Speculation([0, 1], target, draft, SamplingSettings(seed=seed), guesses)
        while len(run.ids) < 5:
            kinds[run.step().kind] += 1
        counts[tuple(run.ids[2:5])] += 1
    odds = {
        (a, b, c): float(target.of([0, 1])[a] * target.of([1, a])[b] * target.of([a, b])[c])
        for a in range(SMALL)
        for b in range(SMALL)
        for c in range(SMALL)
    }
    cells = list(odds)
    seen = np.array([counts[cell] for cell in cells])
    statistic, degrees = chi_square(seen, np.array([odds[cell] for cell in cells]))
    assert statistic < chi_square_limit(degrees) and kinds[BONUS] > 500 and kinds[RECOVERED] > 500
    wrong = [float(draft.of([0, 1])[a] * draft.of([1, a])[b] * draft.of([a, b])[c]) for a, b, c in cells]
    assert chi_square(seen, np.array(wrong))[0] > 3 * chi_square_limit(degrees)  # the test can tell the draft from the target


def test_a_worked_example() -> None:
    p, q = np.array([0.2, 0.5, 0.3]), np.array([0.6, 0.3, 0.1])
    assert judge([p, p], [q], [0], [0.33])[0] == 1  # 0.2 / 0.6
    place, odds = judge([p, p], [q], [0], [0.34])
    assert place == 0 and odds == pytest.approx([0, 0.5, 0.5])  # 0.5 - 0.3 and 0.3 - 0.1, made to sum to 1
    assert judge([p, p, p], [q, q], [1, 0], [0.99, 0.99])[0] == 1
    assert judge([p], [], [], [])[1] is p


@pytest.mark.parametrize("architecture", some(FULL_ATTENTION))
def test_greedy_is_greedy_token_for_token(architecture: str, tiny: Any) -> None:
    model = tiny(architecture)
    seen = list(speculate(model, model, "Once upon a time", SamplingSettings(greedy=True), 3, 20))
    rounds = [one for one in seen if isinstance(one, SpeculativeRound)]
    plain = [one.token_id for one in seen if isinstance(one, PlainStep)]
    run = Generation(model, "Once upon a time", SamplingSettings(greedy=True), top_n=1)
    while len(run.path) < len(plain):
        run.step()
    written = [token for one in rounds for token in tokens(one)]
    assert plain == [step.token_id for step in run.path] == written
    assert all(guess.verdict == ACCEPTED for one in rounds for guess in one.drafted), "its own guesses are its own choices"
    assert gain(seen, 3).acceptance_rate == 1.0


def test_an_end_among_the_accepted_ends_the_text_and_nothing_is_added(tiny: Any) -> None:
    model = tiny("llama")
    plain = [one.token_id for one in speculate(model, model, "Once", SamplingSettings(greedy=True), 4, 8) if isinstance(one, PlainStep)]
    assert plain[2] not in plain[:2]
    ends, model.end_token_ids = model.end_token_ids, frozenset({plain[2]})
    try:
        seen = list(speculate(model, model, "Once", SamplingSettings(greedy=True), 4, 8))
    finally:
        model.end_token_ids = ends
    (one,) = (one for one in seen if isinstance(one, SpeculativeRound))
    assert (one.kind, one.token_id, one.text, one.written, one.finished) == (ENDED, -1, "", 3, "end of text")
    assert [guess.verdict for guess in one.drafted] == [ACCEPTED, ACCEPTED, ACCEPTED, DROPPED]
    assert one.drafted[3].roll is None and tokens(one) == plain[:3] == [step.token_id for step in seen if isinstance(step, PlainStep)]


def tokens(one: SpeculativeRound) -> list[int]:
    """What a round wrote."""
    return [guess.token_id for guess in one.drafted if guess.verdict == ACCEPTED] + ([one.token_id] if one.token_id >= 0 else [])


@pytest.fixture(scope="module")
def pair(tiny: Any) -> tuple[Any, Any]:
    """A target and a draft that often, but not always, agree."""
    return tiny("large"), tiny("small")


def test_a_pair_writes_greedily_what_the_target_writes(pair: tuple[Any, Any]) -> None:
    target, draft = pair
    for guesser in (draft, None):
        seen = list(speculate(target, guesser, "Once upon a time, there was a little fox who", SamplingSettings(greedy=True), 4, 48))
        written = [token for one in seen if isinstance(one, SpeculativeRound) for token in tokens(one)]
        assert written == [one.token_id for one in seen if isinstance(one, PlainStep)]
        assert len(written) == 48 or (len(written) > 5 and written[-1] in target.end_token_ids)


def test_a_constraint_holds_whatever_the_draft_guesses(pair: tuple[Any, Any]) -> None:
    """n-grams guess tokens that the constraint does not allow, which are rejected."""
    target, draft = pair
    settings = SamplingSettings(greedy=True, constraint="regex:( the sea){2,6} and( the sea){4}")
    for guesser in (draft, None):
        seen = list(speculate(target, guesser, "the sea the sea and the sea looked", settings, 4, 60))
        written = [token for one in seen if isinstance(one, SpeculativeRound) for token in tokens(one)]
        assert written == [one.token_id for one in seen if isinstance(one, PlainStep)]
        assert target.text_of(written).replace(" the sea", "") == " and"


def three_tokens(target: Any, draft: Any, runs: int) -> tuple[float, float]:
    """Pearson's statistic of the first three tokens of so many speculated runs against the target's own odds, and its limit."""
    ids = target.encode("Once upon a time, there was a")
    settings = SamplingSettings(temperature=1.0, top_k=3)

    class Kept:
        """Asks the models once per text, so that thousands of runs cost what their different texts cost."""

        name = "kept"

        def __init__(self, model: Any) -> None:
            self.model, self.known = model, {}  # type: ignore[var-annotated]

        def of(self, text: Sequence[int]) -> np.ndarray:
            key = tuple(text)
            if key not in self.known:
                before = np.array(text, dtype=np.int64)
                logits = self.model.engine.forward(before).logits.values
                self.known[key] = sampling_probabilities(logits, settings, text_of(before))
            found: np.ndarray = self.known[key]
            return found

    class KeptTarget(Kept):
        def probabilities(self, ids: Sequence[int], drafted: Sequence[int], settings: SamplingSettings) -> list[np.ndarray]:
            return [self.of([*ids, *drafted[:place]]) for place in range(len(drafted) + 1)]

    class KeptDraft(Kept):
        def probabilities(self, ids: Sequence[int], settings: SamplingSettings) -> np.ndarray | None:
            return self.of(ids)

    own, guesser = KeptTarget(target), KeptDraft(draft)
    counts: Counter[tuple[int, ...]] = Counter()
    for seed in range(runs):
        run = Speculation(ids, own, guesser, SamplingSettings(temperature=1.0, top_k=3, seed=seed), 2)
        while len(run.ids) < len(ids) + 3:
            run.step(len(ids) + 3 - len(run.ids))
        counts[tuple(run.ids[len(ids) :])] += 1
    odds: dict[tuple[int, ...], float] = {}
    for a in own.of(ids).nonzero()[0].tolist():
        for b in own.of([*ids, a]).nonzero()[0].tolist():
            for c in own.of([*ids, a, b]).nonzero()[0].tolist():
                odds[(a, b, c)] = float(own.of(ids)[a] * own.of([*ids, a])[b] * own.of([*ids, a, b])[c])
    assert sum(odds.values()) == pytest.approx(1)
    statistic, degrees = chi_square(np.array([counts[cell] for cell in odds]), np.array(list(odds.values())))
    return statistic, chi_square_limit(degrees)


@pytest.mark.exhaustive
def test_a_pair_has_the_targets_probabilities(pair: tuple[Any, Any]) -> None:
    statistic, limit = three_tokens(*pair, RUNS // 4)  # all of them: python -m tests.benchmarks.serving --distribution 20000
    assert statistic < limit


def test_every_guess_has_its_record(pair: tuple[Any, Any]) -> None:
    target, draft = pair
    settings = SamplingSettings(temperature=1.3, seed=5)
    seen = list(speculate(target, draft, "The old king", settings, 4, 60))
    rounds = [one for one in seen if isinstance(one, SpeculativeRound)]
    assert {guess.verdict for one in rounds for guess in one.drafted} == {ACCEPTED, REJECTED, DROPPED}
    for one in rounds:
        verdicts = [guess.verdict for guess in one.drafted]
        assert verdicts == sorted(verdicts, key=[ACCEPTED, REJECTED, DROPPED].index)
        for guess in one.drafted:
            if guess.verdict == DROPPED:
                assert guess.roll is None and math.isnan(guess.p)
            else:
                assert guess.roll is not None and (guess.roll * guess.q < guess.p) == (guess.verdict == ACCEPTED) and 0 < guess.q <= 1
        assert one.kind == (ENDED if one.token_id < 0 else RECOVERED if REJECTED in verdicts else BONUS)
        assert one.written == one.accepted + (one.token_id >= 0) and one.seconds >= one.verify_seconds + one.draft_seconds - 1e-6
    told = gain(seen, 4)
    assert told.written == sum(one.written for one in rounds) and told.passes == len(rounds)
    ended = rounds[-1].kind == ENDED or tokens(rounds[-1])[-1] in target.end_token_ids
    assert told.written == 60 or (10 < told.written < 60 and ended)
    assert told.drafted == sum(len(one.drafted) for one in rounds) and told.accepted == sum(one.accepted for one in rounds)
    assert told.tokens_per_pass == pytest.approx(told.written / told.passes) and told.speed_up is not None and told.speed_up > 0


def test_ngrams_guess_what_stood_there_the_last_time() -> None:
    draft = NgramDraft(50)
    settings = SamplingSettings()

    def guess(ids: list[int]) -> int | None:
        odds = draft.probabilities(ids, settings)
        return None if odds is None else int(odds.argmax())

    assert guess([1, 2, 3, 9, 1, 2, 3]) == 9
    assert guess([1, 2, 7, 5, 2, 8, 1, 2]) == 7  # two words that match beat one that stood there later
    assert guess([2, 7, 2, 8, 2]) == 8  # the latest of equals
    assert guess([1, 2, 3]) is None and guess([4]) is None


def test_models_with_different_tokens_are_not_combined(tiny: Any) -> None:
    refused(lambda: speculate(tiny("gpt2"), tiny("llama"), TEXT), BadSetting)
