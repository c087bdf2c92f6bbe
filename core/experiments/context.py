"""Measure time to first token and time per token against context length, and show what happens at the end of the context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import quantiles

import numpy as np

from core.checked_number import whole_number
from core.costs.operations_and_bytes import multiply_adds, pass_multiply_adds
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.errors import BadSetting, NotForThisModel, PromptTooLong
from core.experiments.shared.next_token import next_token
from core.experiments.shared.prompt_tokens import encoded
from core.generation.generation import Generation
from core.message import Message
from core.sampling.settings import SamplingSettings

MOST_LENGTHS, MOST_REPEATS = 24, 25
DECODED = 3  # further tokens timed after each prompt
MOST_FILLED = 32_768  # tokens of a context that is filled


@dataclass(frozen=True, slots=True)
class Spread:
    """Repeated measurements of one time, in seconds: median, quartiles (low, high), fastest and slowest."""

    median: float
    low: float
    high: float
    fastest: float
    slowest: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Spread:
        """Return the spread of at least one measurement."""
        low, middle, high = quantiles(seconds, method="inclusive") if len(seconds) > 1 else [seconds[0]] * 3
        return cls(middle, low, high, min(seconds), max(seconds))


@dataclass(frozen=True, slots=True)
class LengthPoint:
    """One prompt length: measured time to read it (prefill) and to generate one token after it (decode), and computed work of both.

    repeats: measurements of this length so far. done, total: measurements of the whole experiment.
    """

    length: int
    prefill: Spread
    decode: Spread
    repeats: int
    prefill_multiply_adds: float
    decode_multiply_adds: float
    done: int
    total: int


def longest_prompt(model: LanguageModel) -> int:
    """Return the tokens of the longest prompt that can be timed: the context must also hold DECODED tokens and the one they predict."""
    return max(0, model.context_length - DECODED - 1)


def lengths_for(model: LanguageModel, points: int = 8) -> list[int]:
    """Return prompt lengths in geometric steps, from short to the longest that the model allows (at most 4096 tokens)."""
    longest = max(1, min(longest_prompt(model), 4096))
    spaced = np.geomspace(min(8, longest), longest, max(2, min(points, MOST_LENGTHS)))
    return sorted({round(length) for length in spaced})


def measure(model: LanguageModel, prompt: str, lengths: Sequence[int], repeats: int = 5) -> Iterator[LengthPoint]:
    """Time every length `repeats` times, after one warm-up pass; yield the newest LengthPoint after every measurement.

    The text is the repeated prompt. All lengths are measured in turn, then all again, so that other load on the machine affects all of
    them.

    Raises BadSetting, EmptyPrompt, PromptTooLong.
    """
    repeats = whole_number(repeats, Message("The number of repeats"), 1, MOST_REPEATS)
    if not 1 <= len(lengths) <= MOST_LENGTHS or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in lengths):
        raise BadSetting("Give 1 to {most} lengths, each at least one token.", most=MOST_LENGTHS)
    if max(lengths) > longest_prompt(model):
        raise PromptTooLong(
            "{model} takes at most {most} tokens. {decoded} further tokens are timed, so the longest prompt has {longest_prompt} tokens.",
            model=model.name,
            most=model.context_length,
            decoded=DECODED,
            longest_prompt=longest_prompt(model),
        )
    ids = encoded(model, prompt)
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
    """A run that reached the end of the context. read: tokens of the prompt; written: generated tokens; ended: why the run ended.

    passed_over: how often the model's end token was replaced by the next likeliest token. offered: tokens of a prompt that is barely too
    long, usually by one token; refused: the error text for it.
    """

    read: int
    written: int
    text: str
    ended: str
    passed_over: int
    offered: int
    refused: str


def at_the_limit(model: LanguageModel, prompt: str, room: int = 6) -> LimitReached:
    """Fill the context up to its last `room` tokens, generate until it is full, then try a prompt that is too long; return the result.

    Raises NotForThisModel for a context of more than MOST_FILLED tokens, EmptyPrompt, NoRoom.
    """
    if model.context_length > MOST_FILLED:
        message = Message("The context of {model} has {tokens} tokens. It is filled only up to {most}. Choose a model with a shorter one.")
        raise NotForThisModel(message.with_values(model=model.name, tokens=model.context_length, most=MOST_FILLED))
    encoded(model, prompt)  # raises EmptyPrompt
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
    """Return the repeated prompt, cut at the first character with which it is longer than the context."""
    text = _longer(model, prompt, model.context_length + 1)
    cut = len(_repeated(model, prompt, model.context_length))
    while len(model.encode(text[:cut])) <= model.context_length:
        cut += 1
    return text[:cut]


def _longer(model: LanguageModel, prompt: str, tokens: int) -> str:
    """Return the prompt, repeated until it has at least this many tokens."""
    prompt_length = max(1, len(model.encode(prompt)))
    text = " ".join([prompt] * (tokens // prompt_length + 2))
    while len(model.encode(text)) < tokens:
        text += " " + text
    return text


def _repeated(model: LanguageModel, prompt: str, tokens: int) -> str:
    """Return the repeated prompt, cut to the longest text of at most this many tokens."""
    text = _longer(model, prompt, tokens)
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if len(model.encode(text[:middle])) <= tokens else (low, middle - 1)
    return text[:low]
