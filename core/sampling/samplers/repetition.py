"""Samplers against repetition: repetition, presence and frequency penalty, no-repeat n-gram, and DRY."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from core.device import to_device
from core.sampling.observation import History, Processor, window
from core.sampling.samplers.contract import Addition, Sampler

LARGEST_LOG = 88.7228391  # logarithm of the largest float32; a larger penalty would be infinite


def repetition_penalty(scores: np.ndarray, penalty: float, previous_ids: np.ndarray) -> np.ndarray:
    """Return scores as RepetitionPenaltyLogitsProcessor: of tokens in the text, divided by the penalty, or multiplied if below zero.

    >>> repetition_penalty(np.array([3.0, -1.0, 2.0], np.float32), 2.0, np.array([0, 1]))
    array([ 1.5, -2. ,  2. ], dtype=float32)
    """
    try:
        old = scores[previous_ids]
    except IndexError:  # some models accept more token ids than they have logits
        previous_ids = previous_ids[previous_ids < len(scores)]
        old = scores[previous_ids]
    changed, factor = scores.copy(), np.float32(penalty)
    changed[previous_ids] = np.where(old < 0, old * factor, old / factor)
    return changed


class FrequencyPenalty(Sampler):
    """Subtracts the penalty from a token's logit as often as the token occurs: logit - penalty x count.

    >>> from core import SamplingSettings
    >>> written = History(np.array([7, 7, 9]), 0, bytes)
    >>> FrequencyPenalty(SamplingSettings(frequency_penalty=0.5)).at(written)
    Addition(ids=array([7, 9]), amounts=array([-1. , -0.5], dtype=float32))
    """

    stage = "frequency penalty"

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        ids, counts = np.unique(window(history, self.settings, generated_only=True), return_counts=True)
        return Addition(ids, (-self.settings.frequency_penalty * counts).astype(np.float32))


class PresencePenalty(Sampler):
    """Subtracts the penalty from the logit of every token that occurs.

    >>> from core import SamplingSettings
    >>> written = History(np.array([7, 7, 9]), 0, bytes)
    >>> PresencePenalty(SamplingSettings(presence_penalty=0.5)).at(written)
    Addition(ids=array([7, 9]), amounts=array([-0.5, -0.5], dtype=float32))
    """

    stage = "presence penalty"

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        ids = np.unique(window(history, self.settings, generated_only=True))
        return Addition(ids, np.full(len(ids), -self.settings.presence_penalty, np.float32))


class NoRepeatNGram(Sampler):
    """Excludes tokens that would complete an n-gram of prompt and text, as transformers' NoRepeatNGramLogitsProcessor."""

    stage = "no-repeat n-gram"

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        from transformers.generation.logits_process import NoRepeatNGramLogitsProcessor  # slow to import

        process = NoRepeatNGramLogitsProcessor(self.settings.no_repeat_ngram_size)
        return lambda _ids, scores: process(to_device(history.ids, scores.device)[None], scores)


class DRY(Sampler):
    """Subtracts multiplier * base ** (n - allowed length) from tokens that would extend a repetition of n tokens.

    A repetition ends at a sequence breaker, and a token that contains a breaker is never penalised, as in llama.cpp.

    After 1, 2, 3, 9, 1, 2, token 3 would extend the repetition of two tokens: 0.8 x 1.75 ** (2 - 1) = 1.4.

    >>> from core import SamplingSettings
    >>> written = History(np.array([1, 2, 3, 9, 1, 2]), 0, lambda token_id: b"x")
    >>> DRY(SamplingSettings(dry_multiplier=0.8, dry_base=1.75, dry_allowed_length=1)).at(written)
    Addition(ids=array([3]), amounts=array([-1.4], dtype=float32))
    """

    stage = "DRY"

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        settings, ids = self.settings, window(history, self.settings)
        steps = int(LARGEST_LOG / math.log(settings.dry_base)) if settings.dry_base > 1.000001 else 0
        longest = settings.dry_allowed_length + steps  # a longer repetition has the same penalty
        breakers = [text.encode() for text in settings.dry_sequence_breakers]
        lengths = repetitions(ids, longest, settings.dry_allowed_length)
        most = max(lengths.values(), default=0)
        reach = reach_back(ids, history.raw_of, breakers, most)
        if reach < most:
            lengths = repetitions(ids, reach, settings.dry_allowed_length)
        repeats = sorted((i, n) for i, n in lengths.items() if not any(breaker in history.raw_of(i) for breaker in breakers))
        powers = [settings.dry_base ** float(n - settings.dry_allowed_length) for _i, n in repeats]
        with np.errstate(over="ignore"):  # beyond float32, the token is excluded
            amounts = (-settings.dry_multiplier * np.array(powers)).astype(np.float32)
        return Addition(np.array([i for i, _n in repeats], dtype=np.int64), amounts)


def repetitions(ids: np.ndarray, longest: int, allowed: int) -> dict[int, int]:
    """Return for each token the length of the longest end of `ids` that occurs earlier, followed by this token.

    At least `allowed` and at most `longest` tokens long.

    >>> repetitions(np.array([1, 2, 3, 3, 2, 3, 9, 1, 2, 3]), 10, 1)
    {3: 3, 2: 1, 9: 2}
    """
    ends = (ids[:-1] == ids[-1]).nonzero()[0] if len(ids) else ids  # where the last token occurs earlier
    length_of: dict[int, int] = {}
    length = 1
    while len(ends) and longest >= allowed:
        if length >= allowed:
            length_of |= dict.fromkeys(ids[ends + 1].tolist(), length)
        if length >= longest:
            break
        ends = ends[ends >= length]
        ends = ends[ids[ends - length] == ids[len(ids) - 1 - length]]
        length += 1
    return length_of


def reach_back(ids: np.ndarray, raw_of: Callable[[int], bytes], breakers: Sequence[bytes], most: int) -> int:
    """Return how many tokens follow the last sequence breaker, at most `most`."""
    longest = max(map(len, breakers), default=1)
    following = b""  # the first bytes after the token that is read
    lengths: list[int] = []  # bytes per token, from the last token on
    for count, token_id in enumerate(ids[::-1].tolist()):
        near = raw_of(token_id) + following
        lengths.append(len(near) - len(following))
        end = max((near.rfind(breaker) + len(breaker) for breaker in breakers if breaker in near), default=0)
        if end:
            index = count
            while end > lengths[index]:  # the breaker ends in a later token
                end -= lengths[index]
                index -= 1
            return min(index, most)
        if count >= most + longest:
            break
        following = near[: longest - 1]
    return min(len(ids), most)
