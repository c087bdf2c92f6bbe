"""Several texts that a model writes at the same time, one token of each in every forward pass.

Row number i uses attempt i of the rolls, as `Generation.step(attempt=i)` does. The sums of a batch differ in their last digits from those
of a single row, which can change the chosen token if a roll is close to a border: at temperature 2, in about one text of ten.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch

from core.experiments.shared.prompt_batch import PromptBatch, batch_of
from core.experiments.shared.result_file import StoredStep
from core.generation.observe_answer import mu_after
from core.record.step import ForwardPass, Step
from core.sampling import dice, observe_stages
from core.sampling.observation import History
from core.sampling.settings import SamplingSettings
from core.sources.source import Logits
from core.sources.token_source import TokenSource
from core.tokens.token_text import ByteJoiner


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


def write_each(
    model: TokenSource, token_ids: Sequence[int], settings: Sequence[SamplingSettings], steps: int, prompt_length: int = 0
) -> Iterator[BatchStep]:
    """Continue one text in a real batch, each row with settings of its own and with the same rolls; yield after every forward pass.

    prompt_length: how many of the tokens are the prompt, for penalties that count written tokens alone; 0 for all of them.
    """
    ids = [int(i) for i in token_ids]
    written = len(ids) - prompt_length if prompt_length else 0
    yield from write_rows(model, ids, [Row(0, list(ids), row_settings, written=written) for row_settings in settings], steps, 1)


def write_rows(model: TokenSource, ids: Sequence[int], rows: list[Row], steps: int, top_n: int) -> Iterator[BatchStep]:
    """Continue one text in a real batch, each row with its own settings and attempt; yield after every forward pass."""
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


@dataclass(slots=True)
class Row:
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
        observation = observe_stages.observe(logits, settings, before, top_n, roll=thrown, greedily=thrown is None)
        token = model.token(observation.chosen)
        self.path.append(
            Step(
                index=index,
                position=position,
                settings=settings,
                forward=ForwardPass(
                    batch.computed_tokens, position - batch.computed_tokens, batch.row_bytes, batch.seconds, batch.queue_seconds
                ),
                vocabulary=model,
                **Logits(logits).fields(observation),
                text="" if token.special else self.joiner.add(token.raw),
                chosen_by="greedy" if thrown is None else "sampled",
                roll=thrown,
                attempt=0 if thrown is None else self.number,
                before=self.path[-1] if self.path else "",
            )
        )
        self.ids.append(observation.chosen)
        if observation.chosen in model.end_token_ids:
            self.finished = "end of text"
        elif len(self.ids) >= model.context_length:
            self.finished = "context full"
