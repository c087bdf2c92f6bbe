"""Is a text marked? The score of a watermark, what it costs, how it falls when words change, and how often chance alone reaches it.

The null hypothesis is that the text was written without the key. Then a token is on the green list with probability `watermark_gamma`, and
the p-value is the exact binomial one. In a tournament each g-value is 0 or 1 with probability 1/2, and their weighted mean, in which the
first rounds count most (Dathathri et al. 2024), is nearly normal. One key has one set of lists, and frequent pairs of words are in many
texts: the promise "1 in 1,000" holds over all keys, not for the texts of one key.
"""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from random import Random
from statistics import NormalDist

import numpy as np
import torch
from torch.distributions import Binomial

from core.checked_number import shown, whole_number
from core.errors import BadSetting, InputError
from core.experiments.shared.closeness import divergence
from core.generation.generation import Generation, generated
from core.message import Message
from core.sampling.observe_stages import sampling_probabilities
from core.sampling.samplers.watermark import ROUNDS, green_list, tournament
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can, require
from core.sources.ngram.ngram import STORIES
from core.sources.token_source import TokenSource

RUNS = 40  # of each kind
MOST_TOKENS, MOST_RUNS, MOST_SCORED = 400, 1_000, 100_000
CALLED, SURE = 1e-3, 1e-6  # p-values below which a text is called marked
CERTAIN = 0.99  # probability of the likeliest token above which a step cannot carry a mark
MARKED, UNMARKED, HUMAN, ATTACKED = "marked", "unmarked", "human", "attacked"
WEIGHTS = np.linspace(10, 1, ROUNDS) / np.linspace(10, 1, ROUNDS).sum()  # of the rounds of a tournament, as in SynthID's weighted mean


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a text. counted: tokens that `greens` counts. green: how many of them are green, or the sum of weighted mean g-values.

    z: standard deviations above what chance gives. p_value: probability that chance gives as many or more.
    """

    z: float
    p_value: float
    counted: int
    green: float


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


Seen = MarkedToken | Measured


def score(model: TokenSource, token_ids: Sequence[int], settings: SamplingSettings) -> Score:
    """Return the score of a text for the watermark in the settings. Give the text without its prompt and start token.

    Raises BadSetting without a watermark or for ids outside the vocabulary, InputError if no n-gram can be counted.
    """
    return tally(greens(model, token_ids, settings), settings)


def greens(model: TokenSource, token_ids: Sequence[int], settings: SamplingSettings) -> list[float | None]:
    """Return for each token whether it is on the green list, 1 or 0, or its weighted mean g-value; None if it is not counted.

    The first tokens and repeated ones are not counted. A tournament counts each context once, as transformers' detector does. A green list
    counts each pair of tokens once, for any `watermark_context`, because the list follows from the token before alone. transformers'
    detector counts each n-gram of context + 1 tokens once, so from a context of 2 on it can count one pair many times. Raises BadSetting.
    """
    require(model, Can.TOKEN_IDS)
    if not SamplingSettings.checked(settings).watermark:
        raise BadSetting("The settings have no watermark, so there is no key to score with.")
    ids, width = _checked(token_ids, model.vocabulary_size), settings.watermark_context
    early: list[float | None] = [None] * min(width, len(ids))
    if len(ids) <= width:
        return early
    if settings.watermark == "synthid":
        process, text = tournament(settings.watermark_key, width), torch.from_numpy(ids)[None]
        means, fresh = process.compute_g_values(text)[0].numpy() @ WEIGHTS, process.compute_context_repetition_mask(text)[0].tolist()
        return early + [mean if is_fresh else None for mean, is_fresh in zip(means.tolist(), fresh, strict=True)]
    pairs = [*pairwise(ids[width - 1 :].tolist())]
    first = {pair: index for index, pair in reversed([*enumerate(pairs)])}
    lists = (green_list(settings.watermark_key, settings.watermark_gamma, model.vocabulary_size, before) for before, _token in pairs)
    return early + [
        float(green[pair[1]]) if first[pair] == index else None for index, (pair, green) in enumerate(zip(pairs, lists, strict=True))
    ]


def tally(hits: Sequence[float | None], settings: SamplingSettings) -> Score:
    """Return the score of the tokens of a text, given as `greens` returns them. Raises InputError if none is counted."""
    counted = [green for green in hits if green is not None]
    if not counted:
        needed = settings.watermark_context + 1
        raise InputError("The text has {count} tokens. A score needs at least {needed}.", count=len(hits), needed=needed)
    is_list, total, green = settings.watermark == "green", len(counted), math.fsum(counted)
    chance = settings.watermark_gamma if is_list else 0.5
    deviation = math.sqrt(total * chance * (1 - chance) * (1 if is_list else float(WEIGHTS @ WEIGHTS)))
    z = (green - chance * total) / deviation
    return Score(z, binomial_tail(int(green), total, chance) if is_list else NormalDist().cdf(-z), total, int(green) if is_list else green)


def binomial_tail(least: int, total: int, chance: float) -> float:
    """Return the probability of at least `least` successes in `total` trials.

    >>> round(binomial_tail(2, 2, 0.25), 4), binomial_tail(0, 5, 0.5)
    (0.0625, 1.0)
    """
    terms = Binomial(total, torch.tensor(chance, dtype=torch.float64)).log_prob(torch.arange(least, total + 1, dtype=torch.float64))
    return min(1.0, float(terms.exp().sum())) if least > 0 else 1.0


def _checked(token_ids: Sequence[int], size: int) -> np.ndarray:
    """Return the ids, int64. Raises BadSetting."""
    if not isinstance(token_ids, Sequence | np.ndarray) or len(token_ids) > MOST_SCORED:
        raise BadSetting("A score takes at most {most} token ids, not {shown}.", most=MOST_SCORED, shown=shown(token_ids))
    return np.array([whole_number(token_id, Message("A token id"), 0, size - 1) for token_id in token_ids], np.int64)


def written_ids(model: TokenSource, text: str) -> list[int]:
    """Return the token ids of a text without the special tokens. Raises what `tokenize` raises."""
    return [token.token_id for token in model.tokenize(text) if not token.special]


@cache
def book() -> str:
    """Return human text in the public domain: The Railway Children, Treasure Island and The Wouldbegoods, without some paragraphs."""
    return gzip.decompress(STORIES.with_name("books.txt.gz").read_bytes()).decode()


def human_excerpts(model: TokenSource, length: int, most: int) -> Iterator[list[int]]:
    """Yield at most `most` excerpts of the books, each of `length` tokens, one after the other."""
    ids = written_ids(model, book()[: 12 * length * most])
    for start in range(0, min(len(ids) - length + 1, length * most), length):
        yield ids[start : start + length]


def watch(model: TokenSource, prompt: str, settings: SamplingSettings, length: int = 100, runs: int = RUNS) -> Iterator[Seen]:
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
    before, after = (torch.from_numpy(sampling_probabilities(logits, of_side(settings, each), text)) for each in (UNMARKED, side))
    step = run.step()
    own = greens(model, [each.token_id for each in run.path], settings)[-1]
    lost = divergence(after.log()[None], before.log()[None])[0] / math.log(2)
    return MarkedToken(side, step.token_id, step.text, own, step.surprise, float(before.max()), lost)


def run_ids(model: TokenSource, prompt: str, settings: SamplingSettings, length: int, kind: str, number: int) -> list[int]:
    """Return the tokens of run `number`, whose seed follows from that of the settings. kind: MARKED or UNMARKED."""
    own = replace(of_side(settings, kind), seed=(settings.seed + number) % 2**31)
    return [step.token_id for step in generated(model, prompt, own, length).path]


def measured(kind: str, model: TokenSource, ids: Sequence[int], settings: SamplingSettings, changed: int = 0, words: int = 0) -> Measured:
    """Return the score of a whole text; p-value 1 for one that is too short to be scored."""
    try:
        scored = score(model, ids, settings)
    except InputError:
        return Measured(kind, 0.0, 1.0, changed, words)
    return Measured(kind, scored.z, scored.p_value, changed, words)


def null_of(seen: Sequence[Seen]) -> NormalDist | None:
    """Return the distribution of z over the unmarked runs of the same model and length; None for fewer than ten."""
    values = [each.z for each in seen if isinstance(each, Measured) and each.kind == UNMARKED]
    return NormalDist.from_samples(values) if len(values) >= 10 and len(set(values)) > 1 else None


def p_value(scored: Score | Measured, null: NormalDist | None) -> float:
    """Return the probability of this z or more under `null`; without it that of the score, by chance alone."""
    return NormalDist(-null.mean, null.stdev).cdf(-scored.z) if null else scored.p_value


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
