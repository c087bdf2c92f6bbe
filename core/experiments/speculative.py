"""Speculative sampling: a small model drafts several tokens, and the target model checks them all in one pass.

A drafted token is accepted with probability min(1, p / q), where q is the draft's and p the target's probability, both after all sampling
settings (Leviathan et al. 2023, arXiv 2211.17192; Chen et al. 2023, arXiv 2302.01318). At the first rejected token, a token is sampled from
max(0, p - q), normalised to sum to 1, and the later drafted tokens are dropped. If all are accepted, the same pass of the target also gives
the probabilities for one bonus token.

The distribution of texts equals that of the target, although a single run differs from a plain run with the same seed. With greedy
decoding the text equals plain greedy decoding except for rounding, because K + 1 rows are summed in another order than one row.

The gain is measured from the record of a run, and computed by formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from core.batching.batch_server import make_runner
from core.batching.batched_transformers import refuse_unless_plain
from core.batching.block_pool import blocks_for
from core.checked_number import whole_number
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.errors import BadSetting
from core.experiments.shared.claim import Observations
from core.experiments.shared.closeness import sized
from core.experiments.shared.prompt_tokens import prompt_ids
from core.message import Message
from core.sampling import dice
from core.sampling.observation import History
from core.sampling.observe_stages import pick, sampling_probabilities
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can, require
from core.tokens.token_text import ByteJoiner

MOST_DRAFTED = 16
LONGEST = 400  # tokens
LONGEST_NGRAM = 4
ACCEPTED, REJECTED, DROPPED, RECOVERED, BONUS, ENDED = "accepted", "rejected", "dropped", "recovered", "bonus", "ended"
# The attempt number of `dice.roll` for each purpose at a step. A dropped token is drafted again with the same roll, because no accepted
# token depended on that roll. Runs are therefore repeatable, and every decision that counts has a roll of its own.
TOKEN_ROLL, ACCEPT_ROLL, RECOVER_ROLL = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Gain:
    """The figures of a run. acceptance_rate: accepted / judged, without dropped tokens. tokens_per_pass: tokens written per pass of the
    target. expected_per_pass: (1 - a^(K+1)) / (1 - a) for acceptance rate a, computed as if every guess had the same probability.
    speed_up: seconds per token, plain / speculative, both measured without the first pass (the prompt); None before both have two steps.
    """

    passes: int
    written: int
    drafted: int
    accepted: int
    judged: int
    acceptance_rate: float
    tokens_per_pass: float
    expected_per_pass: float
    draft_seconds: float
    verify_seconds: float
    speed_up: float | None


def gain(observations: Sequence[SpeculativeRound | PlainStep], guesses: int) -> Gain:
    """Return the figures so far."""
    rounds = [round_ for round_ in observations if isinstance(round_, SpeculativeRound)]
    plain = [step for step in observations if isinstance(step, PlainStep)]
    accepted = sum(round_.accepted for round_ in rounds)
    drafted = sum(len(round_.drafted) for round_ in rounds)
    judged = accepted + sum(guess.verdict == REJECTED for round_ in rounds for guess in round_.drafted)
    rate = accepted / judged if judged else float("nan")
    written = sum(round_.written for round_ in rounds)
    speed_up = None
    if len(rounds) > 1 and len(plain) > 1:
        mine = sum(round_.seconds for round_ in rounds[1:]) / sum(round_.written for round_ in rounds[1:])
        speed_up = sum(step.seconds for step in plain[1:]) / (len(plain) - 1) / mine
    return Gain(
        passes=len(rounds),
        written=written,
        drafted=drafted,
        accepted=accepted,
        judged=judged,
        acceptance_rate=rate,
        tokens_per_pass=written / len(rounds) if rounds else float("nan"),
        expected_per_pass=expected_tokens(rate, guesses) if judged else float("nan"),
        draft_seconds=sum(round_.draft_seconds for round_ in rounds),
        verify_seconds=sum(round_.verify_seconds for round_ in rounds),
        speed_up=speed_up,
    )


def expected_tokens(acceptance_rate: float, guesses: int) -> float:
    """Return the tokens per pass of the target if every guess has this acceptance rate: 1 + a + a^2 + ... + a^K (Leviathan et al. 2023).

    >>> expected_tokens(0.5, 2), expected_tokens(1.0, 4), expected_tokens(0.0, 4)
    (1.75, 5.0, 1.0)
    """
    return float(sum(acceptance_rate**power for power in range(guesses + 1)))


class Draft(Protocol):
    """A source of guesses for the next token."""

    name: str

    def probabilities(self, ids: Sequence[int], settings: SamplingSettings) -> np.ndarray | None:
        """Return the draft's probabilities after `ids`, float64 [vocabulary], with sum 1; None if it has no guess."""


class Target(Protocol):
    """The model that accepts or rejects drafted tokens."""

    def probabilities(self, ids: Sequence[int], drafted: Sequence[int], settings: SamplingSettings) -> list[np.ndarray]:
        """Return the probabilities after `ids`, after `ids` and the first drafted token, and so on: len(drafted) + 1 arrays, from one
        pass."""


@dataclass(frozen=True, slots=True)
class DraftedToken:
    """A drafted token. p, q: its probability in target and draft, after all settings; roll: accepted if roll x q < p. verdict: see above.

    p is NaN and roll None for a dropped token, because it was not checked.
    """

    token_id: int
    text: str
    p: float
    q: float
    roll: float | None
    verdict: str


@dataclass(frozen=True, slots=True)
class SpeculativeRound:
    """One pass of the target. drafted: the guesses; token_id, text: the token that the target added; kind: recovered or bonus.

    If an accepted token ended the text, the target adds no token: kind is ended and token_id -1. probability: of the added token in the
    distribution it was sampled from. Seconds: measured. written: tokens that this round added to the text.
    """

    index: int
    drafted: tuple[DraftedToken, ...]
    kind: str
    token_id: int
    text: str
    probability: float
    roll: float | None
    draft_seconds: float
    verify_seconds: float
    seconds: float
    written: int
    finished: str | None = None

    @property
    def accepted(self) -> int:
        """Return how many guesses were accepted."""
        return sum(token.verdict == ACCEPTED for token in self.drafted)


@dataclass(frozen=True, slots=True)
class PlainStep:
    """One token of plain decoding: one pass of the target."""

    index: int
    token_id: int
    text: str
    seconds: float
    finished: str | None = None


def judge(
    target: Sequence[np.ndarray], draft: Sequence[np.ndarray], drafted: Sequence[int], rolls: Sequence[float]
) -> tuple[int, np.ndarray]:
    """Return how many drafted tokens are accepted, and the probabilities that the next token is sampled from.

    target: len(drafted) + 1 arrays float64 [vocabulary], draft: len(drafted); rolls: one in [0, 1) per drafted token.

    >>> p, q = np.array([0.5, 0.5]), np.array([1.0, 0.0])
    >>> judge([p, p], [q], [0], [0.3])[0], judge([p, p], [q], [0], [0.7])
    (1, (0, array([0., 1.])))
    """
    for index, token_id in enumerate(drafted):
        p, q = target[index], draft[index]
        if not rolls[index] * q[token_id] < p[token_id]:
            beyond = np.maximum(p - q, 0.0)
            total = beyond.sum()
            return index, beyond / total if total > 0 else p
    return len(drafted), target[len(drafted)]


class Speculation:
    """A text that speculative sampling extends round by round. Raises BadSetting unless guesses is 1 to MOST_DRAFTED."""

    def __init__(
        self, ids: Sequence[int], target: Target, draft: Draft, settings: SamplingSettings, guesses: int = 4, model: Any = None
    ) -> None:
        guesses = whole_number(guesses, Message("The number of drafted tokens"), 1, MOST_DRAFTED)
        self.ids = list(ids)
        self.prompt_length = len(self.ids)
        self.rounds = 0
        self.finished: str | None = None
        self._target, self._draft, self._settings, self._guesses, self._model = target, draft, settings, guesses, model
        self._joiner = ByteJoiner()

    def step(self, most: int = LONGEST) -> SpeculativeRound:
        """Draft tokens, check them and add the accepted ones plus one of the target; at least 1 and at most `most` tokens."""
        began = perf_counter()
        context = self._model.context_length if self._model is not None else 10**9
        drafted, q = self._drafted(min(self._guesses, most - 1, context - len(self.ids) - 1))
        drafted_at = perf_counter()
        p = self._target.probabilities(self.ids, drafted, self._settings)
        verified_at = perf_counter()
        size = len(p[0])
        q = [sized(row, size) for row in q]
        rolls = [self._roll(index, ACCEPT_ROLL) for index in range(len(drafted))]
        accepted, probabilities = judge(p, q, drafted, rolls)
        kind = BONUS if accepted == len(drafted) else RECOVERED
        roll = self._roll(accepted, TOKEN_ROLL if kind == BONUS else RECOVER_ROLL)
        last = pick_by(probabilities, roll)
        ends = self._model.end_token_ids if self._model is not None else frozenset()
        stop = next((index for index, token_id in enumerate(drafted[:accepted]) if token_id in ends), None)
        taken = drafted[:accepted] if stop is None else drafted[: stop + 1]
        written = [*taken, *([last] if stop is None else [])]
        texts = [self._text(token_id) for token_id in written]
        self.ids += written
        if written[-1] in ends:
            self.finished = "end of text"
        elif len(self.ids) >= context:
            self.finished = "context full"
        checked = accepted + 1 if stop is None else min(accepted, stop) + 1
        records = []
        for index, token_id in enumerate(drafted):
            seen = index < checked
            verdict = DROPPED if not seen else ACCEPTED if index < accepted else REJECTED
            text = texts[index] if index < len(taken) else self._lone(token_id)
            chance = float(p[index][token_id]) if seen else float("nan")
            records.append(DraftedToken(token_id, text, chance, float(q[index][token_id]), rolls[index] if seen else None, verdict))
        self.rounds += 1
        return SpeculativeRound(
            index=self.rounds - 1,
            drafted=tuple(records),
            kind=kind if stop is None else ENDED,
            token_id=last if stop is None else -1,
            text=texts[-1] if stop is None else "",
            probability=float(probabilities[last]),
            roll=None if self._settings.greedy else roll,
            draft_seconds=drafted_at - began,
            verify_seconds=verified_at - drafted_at,
            seconds=perf_counter() - began,
            written=len(written),
            finished=self.finished,
        )

    def _drafted(self, count: int) -> tuple[list[int], list[np.ndarray]]:
        """Return at most `count` tokens of the draft, and its probabilities before each of them."""
        drafted: list[int] = []
        q: list[np.ndarray] = []
        while len(drafted) < count:
            guessed = self._draft.probabilities([*self.ids, *drafted], self._settings)
            if guessed is None:
                break
            q.append(guessed)
            drafted.append(pick_by(guessed, self._roll(len(drafted), TOKEN_ROLL)))
        return drafted, q

    def _roll(self, ahead: int, purpose: int) -> float:
        return dice.roll(self._settings.seed, len(self.ids) - self.prompt_length + ahead, purpose)

    def _text(self, token_id: int) -> str:
        if self._model is None:
            return ""
        token = self._model.token(token_id)
        return "" if token.special else self._joiner.add(token.raw)

    def _lone(self, token_id: int) -> str:
        return "" if self._model is None else self._model.token(token_id).text


class ModelTarget:
    """A target that computes the probabilities at several places in one pass. Raises ModelError if its KV cache cannot be cut back."""

    def __init__(self, model: LanguageModel, longest: int) -> None:
        refuse_unless_plain(model)
        self._model = model
        blocks = blocks_for(min(model.context_length, longest))
        self._runner = make_runner(model, blocks)
        self._table = list(range(blocks))
        self._held: list[int] = []
        self._prompt_length = 0  # the length of the first text

    def probabilities(self, ids: Sequence[int], drafted: Sequence[int], settings: SamplingSettings) -> list[np.ndarray]:
        """See `Target`. Computes only the tokens that are not in the cache: the last written token and the drafted ones."""
        text = [*ids, *drafted]
        shared = 0
        for mine, theirs in zip(self._held, text[: len(ids) - 1], strict=False):
            if mine != theirs:
                break
            shared += 1
        part = _Part(text[shared:], shared, self._table)
        engine = self._model.engine
        with engine.lock.acquire():
            logits = self._runner.run([part], every=True)[len(ids) - 1 - shared :]
        self._held = text
        self._prompt_length = self._prompt_length or len(ids)
        rows: list[np.ndarray] = []
        for index, row in enumerate(logits):
            if index and rows[-1][drafted[index - 1]] == 0:  # this token is rejected, and a constraint cannot read on after it
                return rows + [rows[-1]] * (len(logits) - index)
            rows.append(sampling_probabilities(row, settings, History.of(self._model, text[: len(ids) + index], self._prompt_length)))
        return rows


@dataclass(frozen=True, slots=True)
class _Part:
    token_ids: Sequence[int]
    start: int
    block_table: Sequence[int]


class ModelDraft:
    """A draft by a smaller model. Raises BadSetting for another tokenizer than the target's, ModelError for a model on a server."""

    def __init__(self, model: LanguageModel, target: LanguageModel) -> None:
        require(model, Can.NETWORK)
        require(target, Can.NETWORK)
        if model.tokenizer.get_vocab() != target.tokenizer.get_vocab():
            raise BadSetting(
                "{model} and {target} have different tokenizers, so its drafts cannot be checked. Choose a draft "
                "model with the same tokenizer.",
                model=model.name,
                target=target.name,
            )
        self.name = model.name
        self._model = model
        self._cache = KVCache()
        self._prompt_length = 0  # the length of the first text

    def probabilities(self, ids: Sequence[int], settings: SamplingSettings) -> np.ndarray | None:
        """See `Draft`."""
        if len(ids) >= self._model.context_length:
            return None
        self._prompt_length = self._prompt_length or len(ids)
        before = History.of(self._model, ids, self._prompt_length)
        return sampling_probabilities(self._model.engine.forward(before.ids, self._cache).logits.values, settings, before)

    def release(self) -> None:
        """Free the cache."""
        self._cache.clear()


class NgramDraft:
    """A draft without a model (prompt lookup): it guesses the token that followed the newest tokens at their latest earlier occurrence."""

    name = "n-grams"

    def __init__(self, vocabulary_size: int, longest: int = LONGEST_NGRAM) -> None:
        self._size, self._longest = vocabulary_size, longest

    def probabilities(self, ids: Sequence[int], settings: SamplingSettings) -> np.ndarray | None:
        """See `Draft`. Gives probability 1 to the token after the latest earlier place with the longest equal ending; None without one."""
        text = np.asarray(ids)
        places = (text[:-1] == text[-1]).nonzero()[0]  # of the last token, earlier
        if not len(places):
            return None
        for length in range(1, self._longest):  # keep the places where the tokens before are equal as well
            further = places[places >= length]
            further = further[text[further - length] == text[-1 - length]] if length < len(text) - 1 else further[:0]
            if not len(further):
                break
            places = further
        one_hot = np.zeros(self._size)
        one_hot[text[places[-1] + 1]] = 1.0
        return one_hot

    def release(self) -> None:
        """Do nothing: this draft holds no memory."""


def pick_by(probabilities: np.ndarray, roll: float) -> int:
    """Return the token that a roll in [0, 1) selects from float64 probabilities [vocabulary], largest first, equal ones by id."""
    alive = probabilities.nonzero()[0]
    order = alive[(-probabilities[alive]).argsort(kind="stable")]
    ends = probabilities[order].cumsum()
    return int(order[min(int((ends / ends[-1]).searchsorted(roll, "right")), len(order) - 1)])


def speculate(
    target: LanguageModel,
    draft: LanguageModel | None,
    prompt: str,
    settings: SamplingSettings | None = None,
    guesses: int = 4,
    length: int = 64,
) -> Iterator[SpeculativeRound | PlainStep]:
    """Generate `length` tokens twice, by speculation and plainly; the side with the smaller clock runs next.

    draft: a smaller model, None for n-grams. Both sides end early if their text ends. The plain side uses the engine's fastest pass and
    the same `pick`, and records nothing. Raises EmptyPrompt, PromptTooLong, BadSetting, ModelError, NoRoom.
    """
    length = whole_number(length, Message("The length"), 1, LONGEST)
    settings = settings or SamplingSettings()
    ids = prompt_ids(target, prompt)
    guesser = NgramDraft(target.vocabulary_size) if draft is None else ModelDraft(draft, target)
    run = Speculation(ids, ModelTarget(target, len(ids) + length + MOST_DRAFTED), guesser, settings, guesses, target)
    plain = _Plain(target, ids, settings)
    clocks = [0.0, 0.0]
    try:
        while True:
            left = length - (len(run.ids) - len(ids))
            going = [
                side
                for side, on in ((0, left > 0 and not run.finished), (1, plain.written < length and not plain.finished))
                if on
            ]  # fmt: skip
            if not going:
                return
            side = min(going, key=clocks.__getitem__)
            done: SpeculativeRound | PlainStep = run.step(left) if side == 0 else plain.step()
            clocks[side] += done.seconds
            yield done
    finally:
        guesser.release()
        plain.release()


class _Plain:
    """Plain decoding: one pass per token."""

    def __init__(self, model: LanguageModel, ids: Sequence[int], settings: SamplingSettings) -> None:
        self._model, self._ids, self._settings = model, list(ids), settings
        self._cache, self._joiner = KVCache(), ByteJoiner()
        self.written = 0
        self.finished: str | None = None

    def step(self) -> PlainStep:
        began = perf_counter()
        before = History.of(self._model, self._ids, len(self._ids) - self.written)
        token_id = pick(self._model.engine.forward(before.ids, self._cache).logits.values, self._settings, before)
        seconds = perf_counter() - began
        self._ids.append(token_id)
        self.written += 1
        if token_id in self._model.end_token_ids:
            self.finished = "end of text"
        elif len(self._ids) >= self._model.context_length:
            self.finished = "context full"
        token = self._model.token(token_id)
        return PlainStep(self.written - 1, token_id, "" if token.special else self._joiner.add(token.raw), seconds, self.finished)

    def release(self) -> None:
        self._cache.clear()


def verified_in_few_passes(observations: Observations) -> bool:
    figures = gain(observations, 4)
    return figures.acceptance_rate >= 0.8 and figures.tokens_per_pass >= 3
