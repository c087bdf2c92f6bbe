"""Is a text marked? The score of a watermark, what it costs, how it falls when words change, and how often chance alone reaches it."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from statistics import NormalDist

import numpy as np
import torch

from core.checked_number import whole_number
from core.errors import InputError
from core.experiments.shared.closeness import divergence
from core.experiments.shared.watermark_score import (
    MARKED_BELOW,
    greens,
    score,
    written_ids,
)
from core.generation.generation import Generation, generated
from core.message import Message
from core.sampling.observe_stages import sampling_probabilities
from core.sampling.settings import SamplingSettings
from core.sources.ngram.ngram import STORIES
from core.sources.token_source import TokenSource

RUNS = 40  # of each kind
MOST_TOKENS, MOST_RUNS = 400, 1_000
CERTAIN = 0.99  # probability of the likeliest token above which a step cannot carry a mark
MARKED, UNMARKED, HUMAN, ATTACKED = "marked", "unmarked", "human", "attacked"


@dataclass(frozen=True, slots=True)
class MarkedToken:
    """One token of a run. side: MARKED or UNMARKED. green: see `greens`. surprise: for the model, bits.

    top: largest probability before the mark. lost: Kullback-Leibler divergence of the probabilities after the mark from those before, bits.
    """

    side: str
    token_id: int
    text: str
    green: float | None
    surprise: float
    top: float
    lost: float


@dataclass(frozen=True, slots=True)
class Measured:
    """The score of one whole text. kind: MARKED, UNMARKED (both written by the model), HUMAN (a book excerpt) or ATTACKED.

    changed, words: how many of the words of an attacked text were replaced with words of a book, and how many it has.
    """

    kind: str
    z: float
    p_value: float
    changed: int = 0
    words: int = 0


Observation = MarkedToken | Measured


@cache
def book() -> str:
    """Return human text in the public domain: The Railway Children, Treasure Island and The Wouldbegoods, without some paragraphs."""
    return gzip.decompress(STORIES.with_name("books.txt.gz").read_bytes()).decode()


def human_excerpts(model: TokenSource, length: int, most: int) -> Iterator[list[int]]:
    """Yield at most `most` excerpts of the books, each of `length` tokens, one after the other."""
    ids = written_ids(model, book()[: 12 * length * most])
    for start in range(0, min(len(ids) - length + 1, length * most), length):
        yield ids[start : start + length]


def watch(model: TokenSource, prompt: str, settings: SamplingSettings, length: int = 100, runs: int = RUNS) -> Iterator[Observation]:
    """Write a marked and an unmarked run with the same dice, token by token; then attack the marked one; then score many other texts.

    The other texts are `runs` marked and as many unmarked runs with other seeds (with greedy one of each, because all are equal), and 200
    human excerpts, all of `length` tokens. Raises BadSetting, EmptyPrompt, PromptTooLong.
    """
    length = whole_number(length, Message("The length"), 2, MOST_TOKENS)
    runs = whole_number(runs, Message("The number of runs"), 0, MOST_RUNS)
    ids: list[int] = []
    for token in both_sides(model, prompt, settings, length):
        ids += [token.token_id] if token.side == MARKED else []
        yield token
    yield from attack(model, model.text_of(ids), settings)
    for number in range(1, min(runs, 1 if settings.greedy else runs) + 1):
        for kind in (MARKED, UNMARKED):
            yield measured(kind, model, run_ids(model, prompt, settings, length, kind, number), settings)
    for excerpt in human_excerpts(model, length, 200 if runs else 0):
        yield measured(HUMAN, model, excerpt, settings)


def of_side(settings: SamplingSettings, side: str) -> SamplingSettings:
    """Return the settings of a run: without the watermark unless `side` is MARKED."""
    return settings if side == MARKED else replace(settings, watermark="")


def both_sides(model: TokenSource, prompt: str, settings: SamplingSettings, length: int) -> Iterator[MarkedToken]:
    """Yield the tokens of a marked and of an unmarked run in turns, both with the dice of the settings."""
    runs = {side: Generation(model, prompt, of_side(settings, side), top_n=1) for side in (MARKED, UNMARKED)}
    for _each in range(length):
        for side, run in runs.items():
            if run.finished is None:
                yield _step(model, side, run, settings)
    for run in runs.values():
        run.release()


def _step(model: TokenSource, side: str, run: Generation, settings: SamplingSettings) -> MarkedToken:
    run.next_distribution()
    logits, text = run.forward_before(len(run.path)).logits.values, run.history(settings, len(run.path))
    before, after = (torch.from_numpy(sampling_probabilities(logits, of_side(settings, name), text)) for name in (UNMARKED, side))
    step = run.step()
    green = greens(model, [written.token_id for written in run.path], settings)[-1]
    lost = divergence(after.log()[None], before.log()[None])[0] / math.log(2)
    return MarkedToken(side, step.token_id, step.text, green, step.surprise, float(before.max()), lost)


def run_ids(model: TokenSource, prompt: str, settings: SamplingSettings, length: int, kind: str, number: int) -> list[int]:
    """Return the tokens of run `number`, whose seed follows from that of the settings. kind: MARKED or UNMARKED."""
    seeded = replace(of_side(settings, kind), seed=(settings.seed + number) % 2**31)
    return [step.token_id for step in generated(model, prompt, seeded, length).path]


def measured(kind: str, model: TokenSource, ids: Sequence[int], settings: SamplingSettings, changed: int = 0, words: int = 0) -> Measured:
    """Return the score of a whole text; p-value 1 for one that is too short to be scored."""
    try:
        scored = score(model, ids, settings)
    except InputError:
        return Measured(kind, 0.0, 1.0, changed, words)
    return Measured(kind, scored.z, scored.p_value, changed, words)


def null_of(observations: Sequence[Observation]) -> NormalDist | None:
    """Return the distribution of z over the unmarked runs of the same model and length; None for fewer than ten."""
    values = [observation.z for observation in observations if isinstance(observation, Measured) and observation.kind == UNMARKED]
    return NormalDist.from_samples(values) if len(values) >= 10 and len(set(values)) > 1 else None


def words_of(text: str) -> list[str]:
    """Return the words of a text, each with the white space before it."""
    return re.findall(r"\s+\S*|\S+", text.rstrip())  # never \s*\S+: it reads the blanks of an opened text once for each of them


def edited(words: Sequence[str], places: Sequence[int], act: str = "replace") -> str:
    """Return the text after the words at these places were changed.

    act: "replace" with a word of a book, "delete", or "swap" each with the next word.
    """
    others = words_of(book()[:20_000])
    gaps, left = [word[: len(word) - len(word.lstrip())] for word in words], [word.lstrip() for word in words]
    for index in sorted(set(places) & set(range(len(words)))):
        if act == "swap":
            left[index : index + 2] = reversed(left[index : index + 2])
        else:
            left[index] = others[index % len(others)].lstrip() if act == "replace" else ""
    return "".join(gap + word for gap, word in zip(gaps, left, strict=True) if word)


def attack(model: TokenSource, text: str, settings: SamplingSettings) -> Iterator[Measured]:
    """Yield the score of a text with ever more of its words replaced, in random order, at most 40 steps."""
    words = words_of(text)
    order = Random(settings.seed).sample(range(len(words)), len(words))
    for changed in sorted({round(len(words) * step / 40) for step in range(41)}):
        ids = written_ids(model, edited(words, order[:changed]))
        yield measured(ATTACKED, model, ids, settings, changed, len(words))


def mark_is_found(observations: Sequence[Observation]) -> bool:
    called = {
        kind: [text.p_value < MARKED_BELOW for text in observations if isinstance(text, Measured) and text.kind == kind]
        for kind in (MARKED, UNMARKED, HUMAN, ATTACKED)
    }
    told_apart = np.mean(called[MARKED]) >= 0.9 and not any(called[UNMARKED]) and sum(called[HUMAN]) <= 1
    return bool(told_apart and called[ATTACKED][0] and not called[ATTACKED][-1])
