"""Why does a text repeat itself, what ends it, and what does that cost elsewhere?

The more often a sentence stands in a text, the likelier its next copy (Xu et al. 2022, "Learning to Break the Loop"). A remedy is tried
from the same place with the same dice, and its price is measured on a text that was never in the training, and on facts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.engine.switched_off_heads import Head
from core.experiments.shared.confidence_interval import wilson
from core.experiments.shared.questions.facts import held_out_facts
from core.experiments.shared.written_rows import write_each
from core.generation.generation import Generation
from core.generation.loops import Loop, find
from core.inspection.inside import inspect_step
from core.inspection.scoring import logit_rows
from core.message import Message
from core.record.step import Step
from core.sampling.observation import History
from core.sampling.observe_stages import sampling_probabilities
from core.sampling.settings import SamplingSettings
from core.sources.ngram.ngram import HELD_OUT

__all__ = ["find", "looping", "looping_runs"]

MOST_STEPS, MOST_WRITTEN, MOST_RUNS = 400, 64, 60
HELD_OUT_TOKENS, FACTS, BEFORE = 96, 24, 5  # tokens; facts, and how many other facts stand before each
LOOKED = 6  # positions of the newest copy whose attention is read
SWITCHED_OFF = (1, 2, 4, 8)  # heads that are switched off together
# Three strengths of each remedy, weakest first.
REMEDIES: dict[str, tuple[float, ...]] = {
    "temperature": (0.5, 0.8, 1.1),
    "top_p": (0.8, 0.9, 0.95),
    "min_p": (0.2, 0.1, 0.05),
    "repetition_penalty": (1.1, 1.3, 1.5),
    "presence_penalty": (0.5, 1.0, 2.0),
    "frequency_penalty": (0.2, 0.5, 1.0),
    "dry_multiplier": (0.4, 0.8, 1.6),
    "no_repeat_ngram_size": (4, 3, 2),
    "xtc_probability": (0.25, 0.5, 1.0),
}
CUT_OFFS = ("top_p", "min_p", "xtc_probability")  # greedy ignores them, so they come with temperature 1


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy of the loop. mean: probability of its tokens, averaged. risen: the share of tokens that are likelier than in the copy
    before, None for the first. likeliest: the share that the model found the likeliest. entropy: mean, bits."""

    mean: float
    risen: float | None
    likeliest: float
    entropy: float


@dataclass(frozen=True, slots=True)
class Remedy:
    """What a setting does. left_at: the first new token that is not the loop's, from 1; None if none is. again: the period of the loop in
    which the new text ends, 0 if in none. tokens: new ones.

    log_probability: of a held-out text's tokens that stay possible, mean, natural logarithm; excluded: the share of its tokens that the
    settings make impossible; greedy settings are priced at temperature 1. facts: how many right answers are the likeliest token.
    """

    setting: str
    value: float
    text: str
    left_at: int | None
    again: int
    tokens: int
    log_probability: float
    excluded: float
    facts: int

    @property
    def ends_it(self) -> bool:
        """Whether the text left the loop and ends in no other."""
        return self.left_at is not None and not self.again


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """The run with these heads switched off. left_at: as in `Remedy`."""

    heads: tuple[Head, ...]
    left_at: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Looping:
    """What is known so far. text: prompt and written text. period, copies, start: of the loop; period 0: none was found yet.

    written: the text of each copy; pieces: the tokens of one; shares[copy][token]: the model's probability of each. usual: the run without
    a remedy, with its price; own: the price of the settings of a run that did not loop. attending: the heads that attend most from a token
    to the one behind its earlier copy, with that attention, strongest first. switched_off: more and more of these, until the loop ends.
    others_off: then as many heads that attend least.
    facts: number of facts that were asked. done: whether everything was measured.
    """

    text: str
    tokens: int
    period: int = 0
    copies: int = 0
    start: int = 0
    written: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    shares: tuple[tuple[float, ...], ...] = ()
    each: tuple[Copy, ...] = ()
    usual: Remedy | None = None
    own: Remedy | None = None
    remedies: tuple[Remedy, ...] = ()
    attending: tuple[tuple[Head, float], ...] = ()
    switched_off: tuple[SwitchedOff, ...] = ()
    others_off: SwitchedOff | None = None
    facts: int = 0
    done: bool = False

    @property
    def ending_heads(self) -> SwitchedOff | None:
        """The fewest heads without which this loop ends; None if it goes on without all that were tried, or ends by itself."""
        if self.usual is None or self.usual.left_at is not None:
            return None
        return next((tried for tried in self.switched_off if tried.left_at is not None), None)

    @property
    def has_induction_heads(self) -> bool:
        """Whether the loop ends without the heads that attend most to the token to copy, and goes on without as many that attend least."""
        return self.ending_heads is not None and self.others_off is not None and self.others_off.left_at is None

    def sorted_remedies(self) -> list[Remedy]:
        """Return those that end the loop by their price, the lowest first, then the others."""
        return sorted(self.remedies, key=lambda tried: (not tried.ends_it, tried.excluded, -tried.log_probability))


def looping(
    model: LanguageModel, prompt: str, settings: SamplingSettings, steps: int = 200, copies: int = 4, causes: bool = True
) -> Iterator[Looping]:
    """Write until the text repeats itself, and measure why, what ends it and what that costs. Yields what is known after each part.

    causes=False: only find the loop.

    Raises EmptyPrompt, PromptTooLong, BadSetting for counts out of range, NotForThisModel for a model without passes of its own.
    """
    steps = whole_number(steps, Message("The length"), 12, MOST_STEPS)
    copies = whole_number(copies, Message("The number of copies"), 2, 10)
    run = Generation(model, prompt, settings, stop_on_loop=copies)
    try:
        for step in run.stream(steps):
            if step.index % 8 == 0:
                yield Looping(run.text, step.index + 1)
        loop = run.loop if run.finished == "loop" else None
        if loop is None:
            yield _without_loop(model, run, causes)
            return
        result = replace(Looping(run.text, len(run.path)), **copies_of(run.path, loop))
        yield result
        if causes:
            yield from _causes(model, run, loop, result)
    finally:
        run.release()


def _without_loop(model: LanguageModel, run: Generation, causes: bool) -> Looping:
    """Return a run that does not loop, with the price of its settings and of none, if they differ from greedy."""
    result = Looping(run.text, len(run.path), done=True)
    if not causes or run.settings.greedy:
        return result
    price = _Price(model)
    changed, none = (
        Remedy("", 0.0, "", None, 0, len(run.path), *price.of(settings)) for settings in (run.settings, SamplingSettings(greedy=True))
    )
    return replace(result, own=changed, usual=none, facts=price.count)


def copies_of(path: Sequence[Step], loop: Loop) -> dict[str, Any]:
    """Return the fields of `Looping` that a run's record says of its loop."""
    parts = [path[loop.start + number * loop.period :][: loop.period] for number in range(loop.copies)]
    shares = tuple(tuple(step.model_probability for step in part) for part in parts)
    each = []
    for number, part in enumerate(parts):
        risen = float(np.mean(np.array(shares[number]) > np.array(shares[number - 1]))) if number else None
        likeliest, entropy = np.mean([step.rank == 1 for step in part]), np.mean([step.model_entropy for step in part])
        each.append(Copy(float(np.mean(shares[number])), risen, float(likeliest), float(entropy)))
    pieces, written = tuple(step.piece for step in parts[0]), tuple("".join(step.text for step in part) for part in parts)
    counts = {"period": loop.period, "copies": loop.copies, "start": loop.start}
    return {**counts, "written": written, "pieces": pieces, "shares": shares, "each": tuple(each)}


def _causes(model: LanguageModel, run: Generation, loop: Loop, result: Looping) -> Iterator[Looping]:
    """Yield what ends the loop and what it costs, and which heads copy."""
    ids, prompt = [int(i) for i in run.token_ids], len(run.prompt_tokens)
    expected = ids[-loop.period :]  # the tokens with which the loop goes on
    room = model.context_length - len(ids) - 1 if model.context_length else MOST_WRITTEN
    steps = min(MOST_WRITTEN, 2 * loop.period + 24, room)
    if steps < 1:
        yield replace(result, done=True)
        return
    tried = [("", 0.0, run.settings)]
    tried += [(name, value, with_remedy(run.settings, name, value)) for name, values in REMEDIES.items() for value in values]
    price = _Price(model)
    *_earlier, rows = write_each(model, ids, [settings for _name, _value, settings in tried], steps, prompt)
    causes: list[Remedy] = []
    for (name, value, settings), row in zip(tried, rows.tries, strict=True):
        new = [step.token_id for step in row.path]
        again = find([*ids[prompt:], *new])
        cost = price.of(settings)
        causes.append(Remedy(name, value, row.text, _left_at(new, expected), again.period if again else 0, len(new), *cost))
        yield replace(result, usual=causes[0], remedies=tuple(causes[1:]), facts=price.count)
    result = replace(result, usual=causes[0], remedies=tuple(causes[1:]), facts=price.count)
    attending = copying_heads(model, ids, loop.period)
    result = replace(result, attending=tuple(attending[: max(SWITCHED_OFF)]))
    yield result
    for count in SWITCHED_OFF:
        if len(attending) < count:
            break
        tried_heads = _without(model, run, attending[:count], steps, expected)
        result = replace(result, switched_off=(*result.switched_off, tried_heads))
        yield result
        if tried_heads.left_at is not None:
            if len(attending) >= 2 * count:
                result = replace(result, others_off=_without(model, run, attending[-count:], steps, expected))
            break
    yield replace(result, done=True)


def with_remedy(settings: SamplingSettings, name: str, value: float) -> SamplingSettings:
    """Return the settings with a remedy."""
    if name == "temperature":
        return replace(settings, greedy=False, temperature=value)
    if name in CUT_OFFS:
        temperature = 1.0 if settings.greedy else max(1.0, settings.temperature)
        settings = replace(settings, greedy=False, temperature=temperature)
    changed: dict[str, Any] = {name: int(value) if name == "no_repeat_ngram_size" else value}
    return replace(settings, **changed)


def _left_at(new: Sequence[int], expected: Sequence[int]) -> int | None:
    return next((number for number, token in enumerate(new, 1) if token != expected[(number - 1) % len(expected)]), None)


def _without(
    model: LanguageModel, run: Generation, attending: Sequence[tuple[Head, float]], steps: int, expected: Sequence[int]
) -> SwitchedOff:
    """Return what the run writes on with these heads switched off, in so many steps. expected: the tokens of the loop."""
    heads = tuple(head for head, _share in attending)
    other = Generation(model, run.prompt, run.settings, without_heads=heads, as_chat=run.as_chat)
    try:
        for step in run.path:
            other.force(step.token_id)
        written = list(other.stream(steps))
    finally:
        other.release()
    return SwitchedOff(heads, _left_at([step.token_id for step in written], expected), "".join(step.text for step in written))


def copying_heads(model: LanguageModel, token_ids: Sequence[int], period: int) -> list[tuple[Head, float]]:
    """Return every head with its attention, 0 to 1, from a token of the newest copy to the token behind the same one in the copy before.

    That token is the one to copy. The attention is a mean over at most LOOKED positions; strongest first; empty if the model shows none.
    """
    ends = np.unique(np.linspace(len(token_ids) - period + 1, len(token_ids), min(LOOKED, period), dtype=int))
    total: dict[Head, list[float]] = {}
    for end in ends.tolist():
        for layer, heads in enumerate(inspect_step(model, list(token_ids[:end]), top_n=1).attention):
            for head, row in enumerate([] if heads is None else heads):
                total.setdefault((layer, head), []).append(float(row[end - period]))
    means = [(head, float(np.mean(shares))) for head, shares in total.items()]
    return sorted(means, key=lambda pair: -pair[1])


@dataclass(slots=True)
class _Price:
    """What settings cost on a held-out text and on facts: of passes that are made once."""

    model: LanguageModel
    count: int = 0
    _text: list[int] = field(default_factory=list)
    _rows: torch.Tensor = field(default_factory=lambda: torch.empty(0, 0))
    _facts: list[tuple[list[int], torch.Tensor, int]] = field(default_factory=list)  # text, logits after it, answer

    def __post_init__(self) -> None:
        most = min(HELD_OUT_TOKENS, (self.model.context_length or HELD_OUT_TOKENS) - 1)
        self._text = list(self.model.encode(HELD_OUT.read_text("utf-8")[: 8 * HELD_OUT_TOKENS]))[:most]
        self._rows = logit_rows(self.model, self._text)
        every = held_out_facts(plain=True)
        sentences = [f"{before} {answer}." for _kind, before, answer in every]
        for index in range(BEFORE, len(every), max(1, len(every) // FACTS)):
            before = " ".join([*sentences[index - BEFORE : index], every[index][1]])  # penalties count what stands before
            ids, ids_with_answer = list(self.model.encode(before)), list(self.model.encode(f"{before} {every[index][2]}"))
            if ids_with_answer[: len(ids)] == ids and len(ids) < min(
                len(ids_with_answer), self.model.context_length or len(ids_with_answer)
            ):
                self._facts.append((ids, logit_rows(self.model, ids_with_answer[: len(ids) + 1])[-1], ids_with_answer[len(ids)]))
        self.count = len(self._facts)

    def of(self, settings: SamplingSettings) -> tuple[float, float, int]:
        """Return log-probability, excluded share and number of facts, as in `Remedy`."""
        if settings.greedy:
            settings = replace(settings, greedy=False, temperature=1.0)
        positions = range(len(self._text) - 1)
        shares = np.array(
            [self._share(settings, self._text[: position + 1], self._rows[position], self._text[position + 1])[0] for position in positions]
        )
        possible = shares > 0
        right = sum(self._share(settings, ids, row, answer)[1] for ids, row, answer in self._facts)
        mean = float(np.log(shares[possible]).mean()) if possible.any() else -math.inf
        return mean, float(1 - possible.mean()), right

    def _share(self, settings: SamplingSettings, ids: list[int], logits: torch.Tensor, token: int) -> tuple[float, bool]:
        """Return the probability of a token after the settings, and whether it is the likeliest. The text before it counts as written."""
        history = History.of(self.model, ids, 1)
        after = sampling_probabilities(logits.float(), settings, history)
        return float(after[token]), int(after.argmax()) == token


@dataclass(frozen=True, slots=True)
class LoopingRuns:
    """Runs of a model at a temperature, so far: how many ended in a loop. interval: 95 % (Wilson)."""

    model: str
    temperature: float
    loops: int
    runs: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the share."""
        return wilson(self.loops, self.runs)


def looping_runs(
    models: Sequence[LanguageModel], temperatures: Sequence[float] = (0.0, 0.4, 0.7, 1.0), runs: int = 24, steps: int = 150
) -> Iterator[LoopingRuns]:
    """Write `runs` texts with every model and temperature (0: greedy) from beginnings of held-out stories; yield the counts after each.

    Raises BadSetting for counts out of range.
    """
    runs, steps = (
        whole_number(runs, Message("The number of texts"), 1, MOST_RUNS),
        whole_number(steps, Message("The length"), 12, MOST_STEPS),
    )
    beginnings = story_beginnings(runs)
    for model in models:
        for temperature in temperatures:
            loops = 0
            for number, beginning in enumerate(beginnings):
                settings = SamplingSettings(greedy=True) if not temperature else SamplingSettings(temperature=temperature, seed=number)
                run = Generation(model, beginning, settings, top_n=1, stop_on_loop=3)
                for _step in run.stream(steps):
                    pass
                loops += run.finished == "loop"
                run.release()
                yield LoopingRuns(model.name, temperature, loops, number + 1)


def story_beginnings(count: int) -> list[str]:
    """Return the first five words of so many sentences of the held-out stories, in a fixed order."""
    words = [sentence.split()[:5] for sentence in HELD_OUT.read_text("utf-8").replace("\n", " ").split(". ")]
    return list(dict.fromkeys(" ".join(first) for first in words if len(first) == 5))[:count]
