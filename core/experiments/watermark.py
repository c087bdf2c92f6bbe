"""Is a text marked? The score of a watermark, what it costs, how it falls when words change, and how often chance alone reaches it.

The null hypothesis is that the text was written without the key. Then each coin of the text falls on green with a known chance: a token is
on the green list with `watermark_gamma`, a g-value of the tournament is 1 with 1/2. The p-value is the exact binomial one. One key has one
set of lists, and frequent pairs of words are in many texts: the promise "1 in 1,000" holds over all keys, not for the texts of one key.
"""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from statistics import NormalDist, fmean, stdev

import numpy as np
import torch

from core.checked_number import shown, whole_number
from core.errors import BadSetting, InputError
from core.generation.generation import Generation
from core.message import Message
from core.sampling.samplers.watermark import ROUNDS, green_list, tournament
from core.sampling.settings import SamplingSettings
from core.sampling.stages import sampling_probabilities
from core.sources.capabilities import Can, require
from core.sources.ngram.ngram import STORIES
from core.sources.token_source import TokenSource

MOST_TOKENS, MOST_RUNS, MOST_SCORED = 400, 1_000, 100_000
CALLED, SURE = 1e-3, 1e-6  # p-values below which a text is called marked
CERTAIN = 0.99  # probability of the likeliest token above which a step cannot carry a mark
MARKED, UNMARKED, HUMAN = "marked", "unmarked", "human"
_WORD = re.compile(r"\s*\S+")


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a text. counted: n-grams, each once. green: coins on green, of `coins` in all: one per n-gram, or one for each g-value.

    z: standard deviations above what chance gives. p_value: probability that chance gives as many or more.
    """

    z: float
    p_value: float
    counted: int
    green: int
    coins: int


@dataclass(frozen=True, slots=True)
class Null:
    """Mean and standard deviation of z over `runs` unmarked runs of the same model and length."""

    mean: float
    deviation: float
    runs: int

    def p_value(self, z: float) -> float:
        """Return the probability of this z or more under a normal distribution with this mean and deviation."""
        return NormalDist(-self.mean, self.deviation).cdf(-z)


@dataclass(frozen=True, slots=True)
class MarkedToken:
    """One token of a run. side: MARKED or UNMARKED. green: its coins on green, None if it is not counted. surprise: for the model, bits.

    top: largest probability before the mark. lost: Kullback-Leibler divergence of the probabilities after the mark from those before, bits.
    """

    side: str
    token_id: int
    text: str
    green: int | None
    surprise: float
    top: float
    lost: float


@dataclass(frozen=True, slots=True)
class Attacked:
    """The score of the marked run after `changed` of its `words` words were replaced with words of a book."""

    changed: int
    words: int
    z: float
    p_value: float


@dataclass(frozen=True, slots=True)
class Measured:
    """The score of one whole text. kind: MARKED, UNMARKED (both written by the model) or HUMAN (a book excerpt)."""

    kind: str
    z: float
    p_value: float


Seen = MarkedToken | Attacked | Measured


def score(model: TokenSource, token_ids: Sequence[int], settings: SamplingSettings) -> Score:
    """Return the score of a text for the watermark in the settings. Give the text without its prompt and start token.

    Raises BadSetting without a watermark or for ids outside the vocabulary, InputError if no n-gram can be counted.
    """
    return tally(coins(model, token_ids, settings), settings)


def coins(model: TokenSource, token_ids: Sequence[int], settings: SamplingSettings) -> list[int | None]:
    """Return how many coins of each token fall on green: None for a token that is not counted (too early, or repeated). Raises BadSetting.

    A green list counts each pair of context and token once, a tournament each context once, as transformers' detectors do.
    """
    require(model, Can.TOKEN_IDS)
    if not SamplingSettings.checked(settings).watermark:
        raise BadSetting("The settings have no watermark, so there is no key to score with.")
    ids = _checked(token_ids, model.vocabulary_size)
    width = settings.watermark_context
    hits: list[int | None] = [None] * min(width, len(ids))
    if len(ids) <= width:
        return hits
    if settings.watermark == "synthid":
        process, text = tournament(settings.watermark_key, width), torch.from_numpy(ids)[None]
        sums, fresh = process.compute_g_values(text)[0].sum(1).tolist(), process.compute_context_repetition_mask(text)[0].tolist()
        return hits + [value if is_fresh else None for value, is_fresh in zip(sums, fresh, strict=True)]
    seen: set[tuple[int, ...]] = set()
    for end in range(width, len(ids)):
        ngram = tuple(ids[end - width : end + 1].tolist())
        green = green_list(settings.watermark_key, settings.watermark_gamma, model.vocabulary_size, ngram[-2])
        hits.append(None if ngram in seen else int(green[ngram[-1]]))
        seen.add(ngram)
    return hits


def tally(hits: Sequence[int | None], settings: SamplingSettings) -> Score:
    """Return the score of the coins of a text. Raises InputError if none is counted."""
    counted = [green for green in hits if green is not None]
    if not counted:
        needed = settings.watermark_context + 1
        raise InputError("The text has {count} tokens. A score needs at least {needed}.", count=len(hits), needed=needed)
    rounds, chance = (ROUNDS, 0.5) if settings.watermark == "synthid" else (1, settings.watermark_gamma)
    green, total = sum(counted), rounds * len(counted)
    z = (green - chance * total) / math.sqrt(total * chance * (1 - chance))
    return Score(z, binomial_tail(green, total, chance), len(counted), green, total)


def binomial_tail(least: int, total: int, chance: float) -> float:
    """Return the probability of at least `least` successes in `total` trials.

    >>> round(binomial_tail(2, 2, 0.25), 4), binomial_tail(0, 5, 0.5)
    (0.0625, 1.0)
    """
    if least <= 0:
        return 1.0
    above = least > chance * total  # the smaller tail is summed, from its largest term on
    count = least if above else least - 1
    log = math.lgamma(total + 1) - math.lgamma(count + 1) - math.lgamma(total - count + 1)
    term, tail, ratio = math.exp(log + count * math.log(chance) + (total - count) * math.log1p(-chance)), 0.0, chance / (1 - chance)
    while 0 <= count <= total and term > 1e-18 * tail:
        tail += term
        term *= (total - count) / (count + 1) * ratio if above else count / (total - count + 1) / ratio
        count += 1 if above else -1
    return min(1.0, tail if above else 1 - tail)


def _checked(token_ids: Sequence[int], size: int) -> np.ndarray:
    """Return the ids, int64. Raises BadSetting."""
    try:
        ids = np.array(token_ids)
        if ids.ndim != 1 or len(ids) > MOST_SCORED or (len(ids) and (ids.dtype.kind not in "iu" or ids.min() < 0 or ids.max() >= size)):
            raise ValueError
    except (ValueError, OverflowError, TypeError) as error:
        sentence = Message("A score takes at most {most} token ids from 0 to {last}, not {shown}.")
        raise BadSetting(sentence.with_values(most=MOST_SCORED, last=size - 1, shown=shown(token_ids))) from error
    return ids.astype(np.int64)


def written_ids(model: TokenSource, text: str) -> list[int]:
    """Return the token ids of a text without the special tokens. Raises what `tokenize` raises."""
    return [token.token_id for token in model.tokenize(text) if not token.special]


@cache
def book() -> str:
    """Return human text in the public domain: The Railway Children, Treasure Island and The Wouldbegoods, without some paragraphs."""
    return gzip.decompress(STORIES.with_name("books.txt.gz").read_bytes()).decode()


def human_excerpts(model: TokenSource, length: int, most: int) -> Iterator[list[int]]:
    """Yield at most `most` excerpts of the books, each of `length` tokens, one after the other."""
    text = book()
    ids = written_ids(model, text[: 12 * length * most])
    for start in range(0, min(len(ids) - length + 1, length * most), length):
        yield ids[start : start + length]


def watch(model: TokenSource, prompt: str, settings: SamplingSettings, length: int = 100, runs: int = 40) -> Iterator[Seen]:
    """Write a marked and an unmarked run with the same dice, token by token; then attack the marked one; then score many other texts.

    The other texts are `runs` marked and as many unmarked runs with other seeds, and 200 human excerpts, all of `length` tokens.
    Raises BadSetting, EmptyPrompt, PromptTooLong.
    """
    length = whole_number(length, Message("The length"), 2, MOST_TOKENS)
    runs = whole_number(runs, Message("The number of runs"), 0, MOST_RUNS)
    ids: list[int] = []
    for token in both_sides(model, prompt, settings, length):
        ids += [token.token_id] if token.side == MARKED else []
        yield token
    yield from attack(model, model.text_of(ids), settings)
    for number in range(1, runs + 1):
        for kind in (MARKED, UNMARKED):
            yield measured(kind, model, run_ids(model, prompt, settings, length, kind, number), settings)
    for excerpt in human_excerpts(model, length, 200 if runs else 0):
        yield measured(HUMAN, model, excerpt, settings)


def unmarked(settings: SamplingSettings) -> SamplingSettings:
    """Return the settings without the watermark."""
    return replace(settings, watermark="")


def both_sides(model: TokenSource, prompt: str, settings: SamplingSettings, length: int) -> Iterator[MarkedToken]:
    """Yield the tokens of a marked and of an unmarked run in turns, both with the dice of the settings."""
    sides = {MARKED: settings, UNMARKED: unmarked(settings)}
    runs = {side: Generation(model, prompt, values, top_n=1) for side, values in sides.items()}
    for _each in range(length):
        for side, run in runs.items():
            if run.finished is None:
                yield _step(model, side, run, settings)
    for run in runs.values():
        run.release()


def _step(model: TokenSource, side: str, run: Generation, settings: SamplingSettings) -> MarkedToken:
    run.next_distribution()
    logits, text = run.forward_before(len(run.path)).logits.values, run.history(settings, len(run.path))
    before = sampling_probabilities(logits, unmarked(settings), text)
    after = sampling_probabilities(logits, settings, text) if side == MARKED else before
    possible = after > 0
    step = run.step()
    lost = float((after[possible] * np.log2(after[possible] / before[possible])).sum())
    own = coins(model, [each.token_id for each in run.path], settings)[-1]
    return MarkedToken(side, step.token_id, step.text, own, step.surprise, float(before.max()), max(0.0, lost))


def run_ids(model: TokenSource, prompt: str, settings: SamplingSettings, length: int, kind: str, number: int) -> list[int]:
    """Return the tokens of run `number`, whose seed follows from that of the settings. kind: MARKED or UNMARKED."""
    own = replace(settings if kind == MARKED else unmarked(settings), seed=(settings.seed + number) % 2**31)
    run = Generation(model, prompt, own, top_n=1)
    ids = [step.token_id for step in run.stream(length)]
    run.release()
    return ids


def measured(kind: str, model: TokenSource, ids: Sequence[int], settings: SamplingSettings) -> Measured:
    """Return the score of a whole text; p-value 1 for one that is too short to be scored."""
    hits = coins(model, ids, settings)
    if all(green is None for green in hits):
        return Measured(kind, 0.0, 1.0)
    scored = tally(hits, settings)
    return Measured(kind, scored.z, scored.p_value)


def null_of(seen: Sequence[Measured]) -> Null | None:
    """Return the null distribution that the unmarked runs show; None for fewer than ten."""
    values = [each.z for each in seen if each.kind == UNMARKED]
    return Null(fmean(values), stdev(values), len(values)) if len(values) >= 10 and stdev(values) > 0 else None


def words_of(text: str) -> list[str]:
    """Return the words of a text, each with the white space before it."""
    return _WORD.findall(text)


def edited(words: Sequence[str], places: Sequence[int], act: str = "replace") -> str:
    """Return the text after the words at these places were changed.

    act: "replace" with a word of a book, "delete", or "swap" each with the next word.
    """
    others, left = words_of(book()[:20_000]), dict(enumerate(words))
    for index in sorted(set(places) & left.keys()):
        if act == "swap" and index + 1 in left:
            left[index], left[index + 1] = left[index + 1], left[index]
        elif act != "swap":
            left[index] = " " + others[index % len(others)].strip() if act == "replace" else ""
    return "".join(left.values()).lstrip()


def attack(model: TokenSource, text: str, settings: SamplingSettings) -> Iterator[Attacked]:
    """Yield the score of a text with ever more of its words replaced, in random order, at most 40 steps."""
    words = words_of(text)
    order = Random(settings.seed).sample(range(len(words)), len(words))
    for changed in sorted({round(len(words) * step / 40) for step in range(41)}):
        scored = measured(MARKED, model, written_ids(model, edited(words, order[:changed])), settings)
        yield Attacked(changed, len(words), scored.z, scored.p_value)
