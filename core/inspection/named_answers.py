"""The probability that a text goes on with given words, exactly: a sum over all ways to tokenize them.

A way is a sequence of tokens whose bytes begin with the words. Its probability is the product of its tokens' probabilities; only its last
token may reach beyond the words. The ways exclude each other, so their sum is the probability of the words. The likeliest ways are followed
first. What was not followed has a known total, so the result has an exact bound.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import torch

from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.errors import BadSetting
from core.sources.capabilities import Can, require

MOST_ANSWERS = 12
LONGEST_ANSWER = 80  # characters
MOST_PASSES = 48  # forward passes for one answer
NEGLIGIBLE = 1e-6  # of the probability found; less than this is not followed


@dataclass(frozen=True, slots=True)
class NamedAnswer:
    """The probability of an answer.

    probability: of all ways that were followed. at_most: with those that were not. ways: how many end in the probability.
    tokens: the likeliest way as (token, probability of the token after those before it).
    """

    text: str
    probability: float
    at_most: float
    ways: int
    tokens: tuple[tuple[str, float], ...]


class Spellings:
    """The tokens of a vocabulary by their bytes, without special tokens."""

    def __init__(self, model: LanguageModel) -> None:
        pairs = [(token.raw, token.token_id) for token in map(model.token, range(model.vocabulary_size)) if token.raw and not token.special]
        pairs.sort()
        self._raws = [raw for raw, _token_id in pairs]
        self._ids = np.array([token_id for _raw, token_id in pairs], dtype=np.int64)

    def beginning_with(self, raw: bytes) -> np.ndarray:
        """Return the ids of the tokens whose bytes begin with these."""
        above = raw + b"\xff" * 64
        return self._ids[bisect_left(self._raws, raw) : bisect_left(self._raws, above)]

    def within(self, raw: bytes) -> list[tuple[int, int]]:
        """Return id and length of the tokens that are a shorter beginning of these bytes."""
        beginnings = []
        for length in range(1, len(raw)):
            first = bisect_left(self._raws, raw[:length])
            while first < len(self._raws) and self._raws[first] == raw[:length]:
                beginnings.append((int(self._ids[first]), length))
                first += 1
        return beginnings


_SPELLINGS: WeakKeyDictionary[LanguageModel, Spellings] = WeakKeyDictionary()


def spellings(model: LanguageModel) -> Spellings:
    """Return the spellings of a model's tokens, made once per model."""
    table = _SPELLINGS.get(model)
    if table is None:
        table = _SPELLINGS[model] = Spellings(model)
    return table


def named_answers(model: LanguageModel, token_ids: Sequence[int], answers: Sequence[str]) -> list[NamedAnswer]:
    """Return the probability that the text after these tokens goes on with each answer, by the model's own probabilities.

    Raises BadSetting for no, too many or too long answers, ModelError for a model on a server.
    """
    _must_be_here(model)
    if not 1 <= len(answers) <= MOST_ANSWERS:
        raise BadSetting("Name 1 to {most} answers, not {count}.", most=MOST_ANSWERS, count=len(answers))
    if any(not answer or len(answer) > LONGEST_ANSWER for answer in answers):
        raise BadSetting("An answer has 1 to {most} characters.", most=LONGEST_ANSWER)
    cache = KVCache()
    try:
        return [_answer(model, list(token_ids), text, cache) for text in answers]
    finally:
        cache.clear()


def _must_be_here(model: LanguageModel) -> None:
    require(model, Can.ALL_TOKENS)


def _answer(model: LanguageModel, ids: list[int], text: str, cache: KVCache) -> NamedAnswer:
    """Follow the likeliest ways first. A waiting way is (-probability, its tokens, their probabilities, the bytes that are missing)."""
    table = spellings(model)
    waiting: list[tuple[float, tuple[int, ...], tuple[float, ...], bytes]] = [(-1.0, (), (), text.encode("utf-8", "replace"))]
    probability, ways, passes = 0.0, 0, 0
    best: tuple[float, tuple[int, ...], tuple[float, ...]] = (0.0, (), ())
    while waiting and passes < MOST_PASSES and (not passes or -waiting[0][0] > NEGLIGIBLE * probability):
        reached, tokens, probabilities, missing = heapq.heappop(waiting)
        if len(ids) + len(tokens) > model.context_length:
            heapq.heappush(waiting, (reached, tokens, probabilities, missing))
            break
        logits = model.engine.forward([*ids, *tokens], cache).logits.values
        p = torch.softmax(logits.double().cpu(), 0).numpy()
        passes += 1
        ends = table.beginning_with(missing)
        if len(ends):
            probability -= reached * float(p[ends].sum())
            ways += len(ends)
            last = int(ends[p[ends].argmax()])
            best = max(best, (-reached * float(p[last]), (*tokens, last), (*probabilities, float(p[last]))))
        for token_id, length in table.within(missing):
            heapq.heappush(
                waiting, (reached * float(p[token_id]), (*tokens, token_id), (*probabilities, float(p[token_id])), missing[length:])
            )
    rest = -sum(way[0] for way in waiting)
    likeliest = tuple((model.piece(token_id), share) for token_id, share in zip(best[1], best[2], strict=True))
    return NamedAnswer(text, probability, min(1.0, probability + rest), ways, likeliest)


def search(model: LanguageModel, token_ids: Sequence[int], text: str, most: int = 20) -> list[tuple[int, str, int, float]]:
    """Return the tokens of the next step that contain this text, likeliest first: id, piece, rank (1 = likeliest) and probability.

    Upper and lower case are the same. Raises ModelError for a model on a server.
    """
    _must_be_here(model)
    wanted = text.casefold().replace("␣", " ")
    logits = model.engine.forward(list(token_ids)).logits.values.double().cpu()
    p, order = torch.softmax(logits, 0).numpy(), torch.argsort(logits, descending=True, stable=True).tolist()
    matches = []
    for rank, token_id in enumerate(order, start=1):
        token = model.token(token_id)
        if wanted in token.raw.decode("utf-8", "replace").casefold():
            matches.append((token_id, token.piece, rank, float(p[token_id])))
            if len(matches) >= most:
                break
    return matches
