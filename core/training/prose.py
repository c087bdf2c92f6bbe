"""Real prose that the models never read: how well it is foreseen, beside a plain count of five-grams on the same text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerFast

from core.training.exam import Candidate

Ids = NDArray[np.int64]
ORDER = 5
_PRIME = np.int64(1_000_003)


@dataclass(frozen=True, slots=True)
class Foreseen:
    """nats: all the surprise at `tokens` tokens, which stand for `characters` characters."""

    nats: float
    tokens: int
    characters: int

    @property
    def perplexity(self) -> float:
        """exp of the mean surprise per token."""
        return math.exp(self.nats / self.tokens)

    @property
    def bits_per_character(self) -> float:
        """What one character costs: comparable between tokenizers."""
        return self.nats / math.log(2) / self.characters


def windows(tokenizer: PreTrainedTokenizerFast, texts: Iterable[str], length: int = 256, most: int = 200) -> list[list[int]]:
    """Cut the texts into rows of that many tokens, each with the start token; evenly chosen, if there are more than `most`."""
    rows = []
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=False, verbose=False)
        rows += [[tokenizer.bos_token_id, *ids[at : at + length]] for at in range(0, len(ids) - length // 2, length)]
    step = max(1, len(rows) // most)
    return rows[::step][:most]


@torch.inference_mode()
def foresee(candidate: Candidate, rows: Sequence[list[int]]) -> Foreseen:
    """The model's surprise at all tokens of these rows."""
    nats, tokens, characters = 0.0, 0, 0
    for row in rows:
        ids = torch.tensor([row])
        logits = candidate.model(input_ids=ids).logits[0, :-1].float()
        nats += float(torch.nn.functional.cross_entropy(logits, ids[0, 1:], reduction="sum"))
        tokens += len(row) - 1
        characters += len(candidate.tokenizer.decode(row[1:]))
    return Foreseen(nats, tokens, characters)


@torch.inference_mode()
def agreement(teacher: Candidate, student: Candidate, rows: Sequence[list[int]]) -> float:
    """Share of the positions at which both models have the same favourite."""
    same = count = 0
    for row in rows:
        ids = torch.tensor([row[:-1]])
        favourites = [candidate.model(input_ids=ids).logits[0].argmax(-1) for candidate in (teacher, student)]
        same, count = same + int((favourites[0] == favourites[1]).sum()), count + len(row) - 1
    return same / count


def in_one_row(tokenizer: PreTrainedTokenizerFast, texts: Iterable[str]) -> Ids:
    """The tokens of all texts, each text with its start token, one after another."""
    return np.concatenate([np.asarray(tokenizer.encode(text, verbose=False), dtype=np.int64) for text in texts])


def five_grams(tokenizer: PreTrainedTokenizerFast, text: Ids, rows: Sequence[list[int]]) -> Foreseen:
    """The surprise of an interpolated five-gram model (Witten and Bell, 1991) that has counted all of `text`, at the same rows."""
    asked: Ids = np.concatenate([np.asarray(row, dtype=np.int64) for row in rows])
    is_target = np.concatenate([np.arange(len(row)) > 0 for row in rows])
    place = np.concatenate([np.arange(len(row)) for row in rows])
    probability = np.full(len(asked), 1 / len(tokenizer))
    for order in range(1, ORDER + 1):
        contexts, grams = _keys(text, order)
        asked_contexts, asked_grams = _keys(asked, order)
        wanted = np.unique(asked_contexts)
        near = wanted[np.minimum(np.searchsorted(wanted, contexts), len(wanted) - 1)] == contexts
        kinds, first = np.unique(grams[near], return_index=True)
        total = _count(contexts[near], asked_contexts)
        different = _count(contexts[near][first], asked_contexts)
        hits = _count(grams[near], asked_grams)
        del kinds
        better = (hits + different * probability[order - 1 :]) / np.maximum(total + different, 1)
        # A context that was never read, or that reaches over the start of a row, leaves the shorter one in charge.
        known = (total > 0) & (place[order - 1 :] >= order - 1)
        probability[order - 1 :] = np.where(known, better, probability[order - 1 :])
    characters = sum(len(tokenizer.decode(row[1:])) for row in rows)
    return Foreseen(float(-np.log(probability[is_target]).sum()), int(is_target.sum()), characters)


def _keys(ids: Ids, order: int) -> tuple[Ids, Ids]:
    """A number for the `order - 1` tokens before each token, and one for these with the token itself; from the first that has so many."""
    size = len(ids) - order + 1
    context = np.zeros(size, dtype=np.int64)
    with np.errstate(over="ignore"):
        for at in range(order - 1):
            context = (context * _PRIME + ids[at : at + size] + 1) * _PRIME
        return context, (context * _PRIME + ids[order - 1 :] + 1) * _PRIME + 7


def _count(keys: Ids, asked: Ids) -> NDArray[np.float64]:
    """How often each asked key occurs."""
    ordered = np.sort(keys)
    return (np.searchsorted(ordered, asked, "right") - np.searchsorted(ordered, asked, "left")).astype(np.float64)
