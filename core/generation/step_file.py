"""A step as validated JSON in a file, with bounds and a check of every field, because a file may come from a stranger."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, FailFast, Field, model_validator

from core.errors import BadRecording
from core.message import Message
from core.record.step import ForwardPass, Step, Vocabulary
from core.sampling.settings import SamplingSettings

MOST_LISTED = 1_001
MOST_STAGES = 24
MEASURED = [name for name in ForwardPass.__slots__ if name != "has_facts"]

Count = Annotated[int, Field(ge=0, le=2**53)]
Probability = Annotated[float, Field(ge=0.0, le=1.000001)]
Seconds = Annotated[float, Field(ge=0.0, le=1e9)]
_Candidates = Field(min_length=1, max_length=MOST_LISTED)


class Strict(BaseModel):
    """A part of the file without unknown names. A list stops at its first error."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False, extra="forbid")


class TokenFile(Strict):
    id: Count
    raw: Annotated[str, Field(max_length=4096, pattern=r"^([0-9a-f]{2})*$")]
    special: bool = False


class StepFile(Strict):
    parent: Count
    name: Annotated[str, Field(max_length=60)] = ""
    token_id: Count
    chosen_by: Literal["sampled", "greedy", "forced", "server"]
    roll: Annotated[float, Field(ge=0, lt=1)] | None
    attempt: Count
    settings: dict[str, Any]
    computed_tokens: Count
    reused_tokens: Count
    cache_bytes: Count
    seconds: Seconds
    queue_seconds: Seconds
    server_seconds: Seconds | None
    held_bytes: Count | None = None  # missing in old files
    token_ids: Annotated[list[Count], _Candidates, FailFast()]
    ranks: Annotated[list[Annotated[int, Field(ge=0, le=2**53)]], _Candidates, FailFast()]
    logits: Annotated[list[float | None], _Candidates, FailFast()]
    probabilities: Annotated[
        list[Annotated[list[Probability | None], _Candidates, FailFast()]], Field(min_length=1, max_length=MOST_STAGES), FailFast()
    ]
    removed_at: Annotated[list[Annotated[int, Field(ge=-1, lt=MOST_STAGES)]], _Candidates, FailFast()]
    dice_starts: Annotated[list[Probability | None], _Candidates, FailFast()]
    stage_names: Annotated[list[Annotated[str, Field(max_length=40)]], Field(min_length=1, max_length=MOST_STAGES), FailFast()]
    stage_settings: Annotated[list[float | None], Field(max_length=MOST_STAGES), FailFast()]
    stage_kept: Annotated[list[Count], Field(max_length=MOST_STAGES), FailFast()]
    stage_entropies: Annotated[list[Annotated[float, Field(ge=-1e-3, le=64)] | None], Field(max_length=MOST_STAGES), FailFast()]
    server_listed: Count  # name of top_logprobs_count in version 1 of the format
    stage_exact: Annotated[list[bool], Field(max_length=MOST_STAGES), FailFast()]
    facts: Annotated[list[Annotated[str, Field(max_length=300)]], Field(max_length=MOST_LISTED), FailFast()] = Field(default=[])

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> StepFile:
        listed, stages = len(self.token_ids), len(self.stage_names)
        lengths = {len(self.ranks), len(self.logits), len(self.removed_at), len(self.dice_starts), *map(len, self.probabilities)}
        if lengths != {listed} or len(set(self.token_ids)) != listed:
            raise ValueError(Message("the lists of candidates differ in length"))
        if {len(self.probabilities), len(self.stage_settings), len(self.stage_kept), len(self.stage_entropies)} != {stages}:
            raise ValueError(Message("the lists of stages differ in length"))
        if len(self.facts) not in (0, listed):
            raise ValueError(Message("the lists of candidates differ in length"))
        if len(self.stage_exact) != (stages if self.server_listed else 0):
            raise ValueError(Message("the marks of what is exact do not fit the stages"))
        if self.token_id not in self.token_ids or max(self.removed_at) >= stages:
            raise ValueError(Message("the chosen token is not among the candidates, or a stage is unknown"))
        unknown = 0 in self.ranks or None in self.stage_entropies or any(None in row for row in self.probabilities)
        if unknown and self.chosen_by != "server":
            raise ValueError(Message("a probability is missing"))
        return self


def settings_of(values: dict[str, Any]) -> SamplingSettings:
    """Return the settings of a recording. Raises BadRecording for one that does not exist, BadSetting for an impossible value."""
    try:
        return SamplingSettings.from_file(values)
    except ValueError as error:
        raise BadRecording("This recording is broken: it names a setting that does not exist.") from error


def digits(values: np.ndarray) -> list[Any]:
    """Return numbers for the file: seven digits, as float32 has; None for NaN or infinity."""
    return [float(f"{value:.7g}") if math.isfinite(value) else None for value in values.tolist()]


def step_file(step: Step, parent: int | None, name: str) -> StepFile:
    entry = StepFile(
        parent=parent or 0,
        name=name,
        token_id=step.key,
        chosen_by=step.chosen_by,  # type: ignore[arg-type]
        roll=step.roll,
        attempt=step.attempt,
        settings=step.settings.for_file(),
        **{field: getattr(step.forward, field) for field in MEASURED},
        token_ids=step.token_ids.tolist(),
        ranks=step.ranks.tolist(),
        logits=digits(step.logits),
        probabilities=[digits(row) for row in step.probabilities],
        removed_at=step.removed_at.tolist(),
        dice_starts=digits(step.dice_starts),
        stage_names=list(step.stage_names),
        stage_settings=[None if s is None else float(s) for s in step.stage_settings],
        stage_kept=list(step.stage_kept),
        stage_entropies=digits(np.array(step.stage_entropies)),
        server_listed=step.top_logprobs_count,
        stage_exact=list(step.stage_exact),
    )
    if step.facts:  # other files do not name them
        entry.facts = [str(fact)[:300] for fact in step.facts]
    return entry


def step_of(
    entry: StepFile,
    index: int,
    position: int,
    settings: SamplingSettings,
    model: Vocabulary,
    text: str,
    before: Step | str = "",
    has_facts: bool = True,
) -> Step:
    return Step(
        index=index,
        position=position,
        settings=settings,
        forward=ForwardPass(**{field: getattr(entry, field) for field in MEASURED}, has_facts=has_facts),
        vocabulary=model,
        token_ids=np.array(entry.token_ids, dtype=np.int64),
        ranks=np.array(entry.ranks, dtype=np.int64),
        logits=np.array([-math.inf if x is None else x for x in entry.logits]),
        probabilities=np.array(entry.probabilities, dtype=np.float64),
        removed_at=np.array(entry.removed_at, dtype=np.int64),
        dice_starts=np.array([math.nan if x is None else x for x in entry.dice_starts]),
        stage_names=tuple(entry.stage_names),
        stage_settings=tuple(entry.stage_settings),
        stage_kept=tuple(entry.stage_kept),
        stage_entropies=tuple(math.nan if e is None else e for e in entry.stage_entropies),
        top_logprobs_count=entry.server_listed,
        stage_exact=tuple(entry.stage_exact),
        facts=tuple(entry.facts),
        key=entry.token_id,
        text=text,
        chosen_by=entry.chosen_by,
        roll=entry.roll,
        attempt=entry.attempt,
        before=before,
    )
