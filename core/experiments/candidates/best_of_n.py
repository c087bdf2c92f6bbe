"""Best-of-N sampling in real batches, and scores to select the best of several tries at the same prompt.

Try number i uses attempt i of the rolls, as `Generation.step(attempt=i)` does. One prefill serves all tries. Then every forward pass
generates one token of every unfinished try. The sums of a batch differ in their last digits from those of a single row, which can change
the chosen token if a roll is close to a border: at temperature 2, in about one try of ten. `Generation.step(i, outcome)` therefore copies
a try into a run without sampling again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

import torch

from core.checked_number import whole_number
from core.errors import BadSetting, EmptyPrompt, PromptTooLong
from core.experiments.shared.answer_in_text import answer_of, normal
from core.experiments.shared.prompt_batch import PromptBatch, batch_of, together
from core.experiments.shared.result_file import StoredStep
from core.generation.generation import Generation
from core.generation.sampling_history import mu_after
from core.message import Message
from core.record.step import ForwardPass, Step
from core.sampling import dice, observe_stages
from core.sampling.observation import History
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can, require
from core.sources.source import Logits
from core.sources.token_source import TokenSource
from core.tokens.token_text import ByteJoiner

MOST_TRIES = 32
MOST_STEPS = 400
LISTED = 8  # candidates kept at every step of every try
# Scores of a try: the name, and the formula in words.
MEAN, NORMALISED, MAJORITY = Message("mean log-probability"), Message("length-normalised"), Message("majority of the answers")
FORMULAS: dict[str, str] = {
    MEAN: Message("the sum of the natural logarithms of all its tokens' probabilities, divided by the number of tokens"),
    NORMALISED: Message("the same sum divided by ((5 + tokens) / 6) to the power of 0.6, as in machine translation (Wu et al. 2016)"),
    MAJORITY: Message("the share of all candidates with the same answer: the last number in the text or, without numbers, its first word"),
}


@dataclass(frozen=True, slots=True)
class CandidateSequence:
    """One try so far. number: from 0, also the attempt number of its rolls. finished: why it ended, or None."""

    number: int
    path: tuple[StoredStep, ...]
    finished: str | None

    @property
    def text(self) -> str:
        """Return the generated text."""
        return "".join(step.text for step in self.path)

    @property
    def log_probability(self) -> float:
        """Return the model's joint log-probability of the whole try (natural logarithm)."""
        return -math.log(2) * sum(step.surprise for step in self.path)


@dataclass(frozen=True, slots=True)
class BatchStep:
    """All tries after one more forward pass. rows: tries in this pass. tokens: of all tries so far.

    seconds: of all passes so far, measured. forward_passes: their number. alone_seconds, alone_passes: the same for the first try
    generated alone; None and 0 until measured.
    """

    tries: tuple[CandidateSequence, ...]
    rows: int
    tokens: int
    seconds: float
    forward_passes: int
    alone_seconds: float | None = None
    alone_passes: int = 0

    @property
    def slower(self) -> float | None:
        """Return the time of a pass for all tries divided by that of a pass for one, measured; None until both are measured."""
        if not self.alone_seconds or not self.forward_passes:
            return None
        return (self.seconds / self.forward_passes) / (self.alone_seconds / self.alone_passes)


def write_together(
    model: TokenSource, prompt: str, settings: SamplingSettings | None = None, count: int = 8, steps: int = 40, top_n: int = LISTED
) -> Iterator[BatchStep]:
    """Generate `count` tries of up to `steps` tokens; yield after every forward pass. The generator can be stopped at any time.

    A source without a network here answers for every try by itself. Raises EmptyPrompt, PromptTooLong, BadSetting for counts out of range,
    NoRoom, and the errors of a server.
    """
    settings = settings or SamplingSettings()
    count, steps = (
        whole_number(count, Message("The number of candidates"), 1, MOST_TRIES),
        whole_number(steps, Message("The length"), 1, MOST_STEPS),
    )
    top_n = whole_number(top_n, "top_n", 0)
    ids = prompt_ids(model, prompt)
    if Can.NETWORK not in model.can:
        yield from _write_one_by_one(model, prompt, settings, count, steps, top_n)
        return
    yield from _in_one_batch(model, ids, [_Row(number, list(ids), settings) for number in range(count)], steps, top_n)


def write_each(
    model: TokenSource, token_ids: Sequence[int], settings: Sequence[SamplingSettings], steps: int, prompt_length: int = 0
) -> Iterator[BatchStep]:
    """Continue one text in a real batch, each row with settings of its own and with the same rolls; yield after every forward pass.

    prompt_length: how many of the tokens are the prompt, for penalties that count written tokens alone; 0 for all of them.
    """
    ids = [int(i) for i in token_ids]
    written = len(ids) - prompt_length if prompt_length else 0
    yield from _in_one_batch(model, ids, [_Row(0, list(ids), own, written=written) for own in settings], steps, 1)


def _in_one_batch(model: TokenSource, ids: Sequence[int], rows: list[_Row], steps: int, top_n: int) -> Iterator[BatchStep]:
    batch = batch_of(model, ids)
    alive, newest, seconds = rows, [0] * len(rows), 0.0
    while alive and len(alive[0].path) < steps:
        logits = batch.go_on(newest, [row.ids[-1] for row in alive]) if batch.passes else batch.prefill().expand(len(rows), -1)
        seconds += batch.seconds
        for row, answer in zip(alive, logits, strict=True):
            row.roll(model, batch, answer, top_n)
        written = len(alive)
        newest = [index if batch.passes > 1 else 0 for index, row in enumerate(alive) if row.finished is None]
        alive = [row for row in alive if row.finished is None]
        tries = tuple(CandidateSequence(row.number, tuple(row.path), row.finished) for row in rows)
        yield BatchStep(tries, written, sum(len(row.path) for row in rows), seconds, batch.passes)


def _write_one_by_one(
    model: TokenSource, prompt: str, settings: SamplingSettings, count: int, steps: int, top_n: int
) -> Iterator[BatchStep]:
    """Yield what `write_together` yields, from runs that are asked together. Try number i uses attempt i of the rolls."""
    runs = [Generation(model, prompt, settings, top_n) for _each in range(count)]
    seconds, passes = 0.0, 0
    while passes < steps and (alive := [number for number, run in enumerate(runs) if run.finished is None]):
        began = perf_counter()
        together(lambda number: runs[number].step(number), alive)
        seconds, passes = seconds + perf_counter() - began, passes + 1
        tries = tuple(CandidateSequence(number, tuple(run.path), run.finished) for number, run in enumerate(runs))
        yield BatchStep(tries, len(alive), sum(len(run.path) for run in runs), seconds, passes)


def write_and_time_one(
    model: TokenSource, prompt: str, settings: SamplingSettings | None = None, count: int = 8, steps: int = 40
) -> Iterator[BatchStep]:
    """Yield the steps of `write_together`, then generate the first try alone and yield the last BatchStep again with that time."""
    newest = None
    for newest in write_together(model, prompt, settings, count, steps):
        yield newest
    *_each, alone = write_together(model, prompt, settings, 1, steps)
    if newest is not None:
        yield replace(newest, alone_seconds=alone.seconds, alone_passes=alone.forward_passes)


@dataclass(slots=True)
class _Row:
    """The state of one try. number: the attempt number of its rolls. written: tokens before the first one that count as written."""

    number: int
    ids: list[int]
    settings: SamplingSettings
    written: int = 0
    path: list[Step] = field(default_factory=list)
    joiner: ByteJoiner = field(default_factory=ByteJoiner)
    finished: str | None = None

    def roll(self, model: TokenSource, batch: PromptBatch, logits: torch.Tensor, top_n: int) -> None:
        """Sample a token from this row's logits and record the step as a `Generation` does."""
        settings, position = self.settings, len(self.ids)
        index = self.written + len(self.path)
        thrown = None if settings.greedy else dice.roll(settings.seed, index, self.number)
        before = History.of(model, self.ids, position - index, mu_after(self.path[-1] if self.path else None, settings))
        seen = observe_stages.observe(logits, settings, before, top_n, roll=thrown, greedily=thrown is None)
        token = model.token(seen.chosen)
        self.path.append(
            Step(
                index=index,
                position=position,
                settings=settings,
                forward=ForwardPass(
                    batch.computed_tokens, position - batch.computed_tokens, batch.row_bytes, batch.seconds, batch.queue_seconds
                ),
                vocabulary=model,
                **Logits(logits).fields(seen),
                text="" if token.special else self.joiner.add(token.raw),
                chosen_by="greedy" if thrown is None else "sampled",
                roll=thrown,
                attempt=0 if thrown is None else self.number,
                before=self.path[-1] if self.path else "",
            )
        )
        self.ids.append(seen.chosen)
        if seen.chosen in model.end_token_ids:
            self.finished = "end of text"
        elif len(self.ids) >= model.context_length:
            self.finished = "context full"


def encoded(model: TokenSource, text: str) -> list[int]:
    """Return the tokens of a text. Raises EmptyPrompt, and NotForThisModel for a source without token ids."""
    require(model, Can.NEW_TOKENS, Can.TOKEN_IDS)
    ids = model.encode(text) if text else []
    if not ids:
        raise EmptyPrompt("The text is empty. Write a few words first.")
    return ids


def prompt_ids(model: TokenSource, prompt: str) -> list[int]:
    """Return the tokens of a prompt that leaves room for at least one more token. Raises EmptyPrompt, PromptTooLong."""
    ids = encoded(model, prompt)
    if len(ids) >= model.context_length:
        raise PromptTooLong(
            "The text has {count} tokens; {model} takes at most {most}. Shorten it.",
            count=len(ids),
            model=model.name,
            most=model.context_length,
        )
    return ids


@dataclass(frozen=True, slots=True)
class Ranked:
    """A try and its score; higher is better."""

    attempt: CandidateSequence
    score: float
    answer: str


def ranked(tries: Sequence[CandidateSequence], by: str = MEAN) -> list[Ranked]:
    """Return the tries, best first; equal scores by mean log-probability, then by number. Raises BadSetting for an unknown score."""
    if by not in FORMULAS:
        raise BadSetting("Candidates are scored by {names}, not by {by}.", names=", ".join(FORMULAS), by=repr(str(by)[:40]))
    written = [attempt for attempt in tries if attempt.path]
    answers = {attempt.number: answer_of(attempt.text) for attempt in written}
    votes = Counter(map(normal, answers.values()))

    def score(attempt: CandidateSequence) -> float:
        length = len(attempt.path)
        if by == MAJORITY:
            return votes[normal(answers[attempt.number])] / len(written)
        return attempt.log_probability / (length if by == MEAN else ((5 + length) / 6) ** 0.6)

    entries = [Ranked(attempt, score(attempt), answers[attempt.number]) for attempt in written]
    return sorted(entries, key=lambda r: (-r.score, -r.attempt.log_probability / len(r.attempt.path), r.attempt.number))


@dataclass(frozen=True, slots=True)
class Merged:
    """A node of the tree of all tries. node_id 0 is the prompt. tries: numbers of the tries that contain this node.

    probability: the model's, of this token; ends: number of tries that end here.
    """

    node_id: int
    parent: int | None
    text: str
    probability: float
    tries: tuple[int, ...]
    ends: int


def merged(tries: Sequence[CandidateSequence]) -> list[Merged]:
    """Return all tries as one tree, in which tries with the same first tokens share nodes."""
    places: dict[tuple[int, int], int] = {}
    parents: list[int | None] = [None]
    steps: list[Step | None] = [None]
    through: list[list[int]] = [[attempt.number for attempt in tries]]
    ends = [sum(not attempt.path for attempt in tries)]
    for attempt in tries:
        here = 0
        for step in attempt.path:
            key = (here, step.token_id)
            if key not in places:
                places[key] = len(parents)
                parents.append(here)
                steps.append(step)
                through.append([])
                ends.append(0)
            here = places[key]
            through[here].append(attempt.number)
        ends[here] += bool(attempt.path)
    return [
        Merged(i, parents[i], step.text or step.piece if step else "", step.model_probability if step else 1.0, tuple(through[i]), ends[i])
        for i, step in enumerate(steps)
    ]
