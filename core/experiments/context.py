"""Context length against time to first token and time per token; and what happens at the end of the context window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import TYPE_CHECKING

import numpy as np

from core.costs.formulas import multiply_adds, pass_multiply_adds
from core.engine.kv_cache.kv_cache import KVCache
from core.errors import BadSetting, EmptyPrompt, PromptTooLong
from core.experiments.cache_race import next_token
from core.generation.generation import Generation
from core.language import _, written
from core.settings import SamplingSettings

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

MOST_LENGTHS, MOST_REPEATS = 24, 25
DECODED = 3  # further tokens timed behind each prompt


@dataclass(frozen=True, slots=True)
class Spread:
    """Several measurements of the same thing, in seconds: the median, the middle half (low to high), the fastest and the slowest."""

    median: float
    low: float
    high: float
    fastest: float
    slowest: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Spread:
        """The spread of at least one measurement."""
        low, middle, high = quantiles(seconds, method="inclusive") if len(seconds) > 1 else [seconds[0]] * 3
        return cls(middle, low, high, min(seconds), max(seconds))


@dataclass(frozen=True, slots=True)
class LengthPoint:
    """One prompt length: measured time to read it (prefill) and of one token behind it (decode); computed work of both.

    repeats: how often it has been measured so far. done, total: how far the whole experiment has come, in measurements.
    """

    length: int
    prefill: Spread
    decode: Spread
    repeats: int
    prefill_multiply_adds: int
    decode_multiply_adds: int
    done: int
    total: int


def longest_prompt(model: LanguageModel) -> int:
    """Tokens of the longest prompt that can be timed: behind it, every further token needs a place, and so does the one it predicts."""
    return max(0, model.context_length - DECODED - 1)


def lengths_for(model: LanguageModel, points: int = 8) -> list[int]:
    """Prompt lengths from short to as long as the model allows, each about as much longer as the one before."""
    longest = max(1, min(longest_prompt(model), 4096))
    spaced = np.geomspace(min(8, longest), longest, max(2, min(points, MOST_LENGTHS)))
    return sorted({round(length) for length in spaced})


def measure(model: LanguageModel, prompt: str, lengths: Sequence[int], repeats: int = 5) -> Iterator[LengthPoint]:
    """Time every length `repeats` times, after one pass that does not count. The text is the prompt, said again until it is long enough.

    It goes round all lengths once, then once more, and so on: whatever else keeps the machine busy is shared by all of them. After every
    measurement there is a LengthPoint with all that is known of its length.

    Raises BadSetting, EmptyPrompt, PromptTooLong.
    """
    if isinstance(repeats, bool) or not isinstance(repeats, int) or not 1 <= repeats <= MOST_REPEATS:
        raise BadSetting(
            _("Each length can be measured 1 to {most} times, not {repeats}.").format(most=MOST_REPEATS, repeats=str(repeats)[:20])
        )
    if not 1 <= len(lengths) <= MOST_LENGTHS or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in lengths):
        raise BadSetting(_("Give 1 to {most} lengths, each at least one token.").format(most=MOST_LENGTHS))
    if max(lengths) > longest_prompt(model):
        raise PromptTooLong(
            _(
                "{model} reads at most {most} tokens; with {decoded} more to be timed and a place "
                "for the next, {longest_prompt} is the longest prompt."
            ).format(
                model=model.name,
                most=written(model.context_length),
                decoded=DECODED,
                longest_prompt=written(longest_prompt(model)),
            )
        )
    ids = model.encode(prompt) if prompt else []
    if not ids:
        raise EmptyPrompt(_("There is no text to read. Write a few words first."))
    text = np.resize(np.array(ids, dtype=np.int64), max(lengths) + DECODED)
    model.engine.forward(text[: min(lengths)], KVCache())
    prefills: dict[int, list[float]] = {length: [] for length in lengths}
    decodes: dict[int, list[float]] = {length: [] for length in lengths}
    for done, length in enumerate(list(lengths) * repeats, 1):
        cache = KVCache()
        prefills[length].append(model.engine.forward(text[:length], cache).seconds)
        decodes[length] += [model.engine.forward(text[: length + more], cache).seconds for more in range(1, DECODED + 1)]
        cache.clear()
        yield LengthPoint(
            length=length,
            prefill=Spread.of(prefills[length]),
            decode=Spread.of(decodes[length]),
            repeats=len(prefills[length]),
            prefill_multiply_adds=pass_multiply_adds(model.shape, length),
            decode_multiply_adds=multiply_adds(model.shape, length + 1),
            done=done,
            total=len(lengths) * repeats,
        )


@dataclass(frozen=True, slots=True)
class LimitReached:
    """The end of a context, reached for real. read: tokens of the prompt; written: tokens there was room for; ended: why no more came.

    passed_over: how often the model would have ended its text earlier, and its next best token was taken instead. offered: tokens of a
    prompt that is too long by as little as the tokenizer can cut, one as a rule; refused: the sentence that it gets.
    """

    read: int
    written: int
    text: str
    ended: str
    passed_over: int
    offered: int
    refused: str


def at_the_limit(model: LanguageModel, prompt: str, room: int = 6) -> LimitReached:
    """Fill a context up to its last `room` tokens, let the model write, and see what happens; then offer one token too many."""
    ids = model.encode(prompt) if prompt else []
    if not ids:
        raise EmptyPrompt(_("There is no text to read. Write a few words first."))
    full = _repeated(model, prompt, max(1, model.context_length - max(0, int(room))))
    run = Generation(model, full, SamplingSettings(greedy=True), top_n=2 + len(model.end_token_ids))
    passed_over = 0
    try:
        while run.finished is None:
            step = next_token(run)
            if step is None:
                break
            passed_over += step.chosen_by == "forced"
        ended, written, text = run.finished or "", len(run.path), run.written
    finally:
        run.release()
    too_long, refused = _one_too_many(model, prompt), ""
    try:
        Generation(model, too_long)
    except PromptTooLong as error:
        refused = str(error)
    return LimitReached(len(run.prompt_tokens), written, text, ended, passed_over, len(model.encode(too_long)), refused)


def _one_too_many(model: LanguageModel, prompt: str) -> str:
    """The prompt, said again and cut at the first letter with which it is longer than the context."""
    text = _longer(model, prompt, model.context_length + 1)
    cut = len(_repeated(model, prompt, model.context_length))
    while len(model.encode(text[:cut])) <= model.context_length:
        cut += 1
    return text[:cut]


def _longer(model: LanguageModel, prompt: str, tokens: int) -> str:
    """The prompt, said again until it has at least this many tokens."""
    each = max(1, len(model.encode(prompt)))
    text = " ".join([prompt] * (tokens // each + 2))
    while len(model.encode(text)) < tokens:
        text += " " + text
    return text


def _repeated(model: LanguageModel, prompt: str, tokens: int) -> str:
    """The prompt, said again and cut so that it has at most this many tokens, and nearly as many."""
    text = _longer(model, prompt, tokens)
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if len(model.encode(text[:middle])) <= tokens else (low, middle - 1)
    return text[:low]
