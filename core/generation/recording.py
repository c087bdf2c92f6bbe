"""Recording, the serialised run: everything that was seen, as validated JSON, to be shown again without the model.

The file is JSON with a version. It may come from a stranger: it is bounded, every field is checked, and texts are joined anew from the
tokens' bytes. A file can be wrong, never dangerous.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, FailFast, Field, ValidationError, model_validator

from core.errors import BadRecording, BadSetting, WrongType
from core.generation.replay import RecordedModel, Replay
from core.generation.run import Run
from core.generation.tree import Tree
from core.record.step import ForwardPass, Step
from core.record.tokens import ByteJoiner, Token, lone_token
from core.settings import SamplingSettings

FORMAT = "token-probability-viewer recording"
VERSION = 1
LARGEST_FILE = 64 * 1024 * 1024  # bytes
MOST_STEPS = 50_000
MOST_LISTED = 1_001

Count = Annotated[int, Field(ge=0, le=2**53)]
Probability = Annotated[float, Field(ge=0.0, le=1.000001)]
Seconds = Annotated[float, Field(ge=0.0, le=1e9)]
_Candidates = Field(min_length=1, max_length=MOST_LISTED)


class _Strict(BaseModel):
    """A part of the file. One fault is enough: a list ends at its first, and so do unknown names. A report of all the faults in a file that
    has nothing else would take gigabytes."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known(cls, content: Any) -> Any:
        if isinstance(content, dict) and not content.keys() <= cls.model_fields.keys():
            raise ValueError("there is something unknown in it")
        return content


class _TokenFile(_Strict):
    id: Count
    raw: Annotated[str, Field(max_length=4096, pattern=r"^([0-9a-f]{2})*$")]
    special: bool = False


class _PromptToken(_TokenFile):
    text: Annotated[str, Field(max_length=1_000_000)]


class _ModelFile(_Strict):
    name: Annotated[str, Field(max_length=300)]
    device: Annotated[str, Field(max_length=60)]
    dtype: Annotated[str, Field(max_length=60)]
    parameter_count: Count
    layer_count: Count
    vocabulary_size: Count
    context_length: Count
    cache_bytes_per_token: Count
    weight_bytes: Count
    end_token_ids: Annotated[list[Count], Field(max_length=1000), FailFast()]


class _StepFile(_Strict):
    parent: Count
    name: Annotated[str, Field(max_length=60)] = ""
    token_id: Count
    chosen_by: Literal["sampled", "greedy", "forced"]
    roll: Annotated[float, Field(ge=0, lt=1)] | None
    attempt: Count
    settings: dict[str, Any]
    computed_tokens: Count
    reused_tokens: Count
    cache_bytes: Count
    seconds: Seconds
    queue_seconds: Seconds
    server_seconds: Seconds | None
    held_bytes: Count | None = None  # not in the files of before
    token_ids: Annotated[list[Count], _Candidates, FailFast()]
    ranks: Annotated[list[Annotated[int, Field(ge=1, le=2**53)]], _Candidates, FailFast()]
    logits: Annotated[list[float | None], _Candidates, FailFast()]
    probabilities: Annotated[list[Annotated[list[Probability], _Candidates]], Field(min_length=1, max_length=16), FailFast()]
    removed_at: Annotated[list[Annotated[int, Field(ge=-1, le=15)]], _Candidates, FailFast()]
    dice_starts: Annotated[list[Probability | None], _Candidates, FailFast()]
    stage_names: Annotated[list[Annotated[str, Field(max_length=40)]], Field(min_length=1, max_length=16), FailFast()]
    stage_settings: Annotated[list[float | None], Field(max_length=16), FailFast()]
    stage_kept: Annotated[list[Count], Field(max_length=16), FailFast()]
    stage_entropies: Annotated[list[Annotated[float, Field(ge=-1e-3, le=64)]], Field(max_length=16), FailFast()]
    server_listed: Count  # version 1 of the format has this name for top_logprobs_count
    stage_exact: Annotated[list[bool], Field(max_length=16), FailFast()]

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> _StepFile:
        listed, stages = len(self.token_ids), len(self.stage_names)
        lengths = {len(self.ranks), len(self.logits), len(self.removed_at), len(self.dice_starts), *map(len, self.probabilities)}
        if lengths != {listed} or len(set(self.token_ids)) != listed:
            raise ValueError("the lists of candidates differ in length")
        if {len(self.probabilities), len(self.stage_settings), len(self.stage_kept), len(self.stage_entropies)} != {stages}:
            raise ValueError("the lists of stages differ in length")
        if len(self.stage_exact) != (stages if self.server_listed else 0):
            raise ValueError("the marks of what is exact do not fit the stages")
        if self.token_id not in self.token_ids or max(self.removed_at) >= stages:
            raise ValueError("the token taken is not among the candidates, or a stage is unknown")
        return self


class _File(_Strict):
    format: Literal["token-probability-viewer recording"]
    version: Literal[1]
    model: _ModelFile
    prompt: Annotated[str, Field(min_length=1, max_length=4_000_000)]
    prompt_tokens: Annotated[list[_PromptToken], Field(min_length=1, max_length=2_000_000), FailFast()]
    settings: dict[str, Any]
    top_n: Annotated[int, Field(ge=1, le=MOST_LISTED)]
    as_chat: bool
    here: Count
    finished: Annotated[str, Field(max_length=60)] | None
    vocabulary: Annotated[list[_TokenFile], Field(max_length=2_000_000), FailFast()]
    steps: Annotated[list[_StepFile], Field(max_length=MOST_STEPS), FailFast()]


class Recording:
    """A run that was kept. prompt, text, path, settings and model_name say what it was; replay() shows it again, step by step."""

    def __init__(self, file: _File) -> None:
        """Use `of`, `load` or `loads`. Raises BadRecording if the parts contradict each other."""
        self._file = file
        self.model = RecordedModel(
            **file.model.model_dump(exclude={"end_token_ids"}),
            end_token_ids=frozenset(file.model.end_token_ids),
            tokens={t.id: lone_token(t.id, bytes.fromhex(t.raw), t.special) for t in [*file.vocabulary, *file.prompt_tokens]},
        )
        self.model_name = self.model.name
        self.prompt = file.prompt
        self.prompt_tokens = [
            Token(t.id, t.text, self.model.token(t.id).piece, bytes.fromhex(t.raw), t.special) for t in file.prompt_tokens
        ]
        read = "".join(token.text for token in self.prompt_tokens)
        if read != self.prompt and not (file.as_chat and self.prompt.strip() in read):
            raise BadRecording("This recording contradicts itself: its tokens do not give its prompt.")
        if not {token_id for step in file.steps for token_id in step.token_ids} <= self.model.tokens.keys():
            raise BadRecording("This recording contradicts itself: it does not say how some of its tokens are written.")
        self.settings = _settings(file.settings)
        self.top_n = file.top_n
        self.tree = self._build()
        self.finished = file.finished

    def _build(self) -> Tree:
        tree = Tree(self.model)
        tree.prompt, tree.prompt_tokens = self.prompt, self.prompt_tokens
        known: dict[str, SamplingSettings] = {}
        depths = [0]  # of every node: how many steps stand before the one behind it
        for node_id, entry in enumerate(self._file.steps, start=1):
            if entry.parent >= node_id:
                raise BadRecording("This recording contradicts itself: a step comes before the one it follows.")
            key = repr(sorted(entry.settings.items()))
            settings = known.get(key) or known.setdefault(key, _settings(entry.settings))
            joiner = ByteJoiner()
            joiner.add(tree.nodes[entry.parent].waiting)
            token = self.model.token(entry.token_id)
            text = "" if token.special else joiner.add(token.raw)
            depth = depths[entry.parent]
            step = _step(entry, depth, depth + len(self.prompt_tokens), settings, self.model, text)
            tree.attach(entry.parent, step, joiner.waiting).name = entry.name
            depths.append(depth + 1)
        if self._file.here > len(self._file.steps):
            raise BadRecording("This recording contradicts itself: it ends at a step that it does not hold.")
        tree.switch(self._file.here)
        return tree

    @property
    def text(self) -> str:
        """The prompt and what was written behind it."""
        return self.tree.text

    @property
    def path(self) -> list[Step]:
        """The steps of the path on which the run stood when it was kept."""
        return self.tree.path

    @classmethod
    def of(cls, run: Any) -> Recording:
        """Keep a run (a Generation or a Replay), with all its branches.

        Raises BadRecording for a run that does not fit into a file: more than 50,000 steps, or numbers that no model gives. WrongType for
        what is no run.
        """
        if not isinstance(run, Run):
            raise WrongType(f"A recording is made of a run, not of {type(run).__name__}.")
        try:
            return cls(_file_of(run))
        except ValidationError as error:
            raise BadRecording(f"This run cannot be kept as a recording (at {_place(error)}).") from error

    @classmethod
    def loads(cls, data: str | bytes) -> Recording:
        """Read a recording from the text of its file. Raises BadRecording, and nothing else, for whatever is wrong with it."""
        if len(data) > LARGEST_FILE:
            raise BadRecording(f"This file is too large for a recording: at most {LARGEST_FILE // 2**20} MB are read.")
        try:
            content = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise BadRecording("This file is not a recording: it cannot be read as JSON.") from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise BadRecording("This file is not a recording of this app.")
        version = content.get("version")
        if isinstance(version, int) and version > VERSION:
            raise BadRecording("This recording was made with a newer version of the app. Update the app to replay it.")
        try:
            return cls(_File.model_validate(content))
        except ValidationError as error:
            raise BadRecording(f"This recording is broken (at {_place(error)}).") from error
        except BadSetting as error:
            raise BadRecording(f"This recording is broken: {error}") from error

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read a recording from a file. Raises BadRecording."""
        try:
            with open(path, "rb") as file:
                return cls.loads(file.read(LARGEST_FILE + 1))
        except (OSError, ValueError) as error:
            raise BadRecording("This recording cannot be opened.") from error

    def dumps(self) -> str:
        """The text of the file."""
        return self._file.model_dump_json()

    def save(self, path: str | Path) -> None:
        """Write the recording to a file."""
        Path(path).write_text(self.dumps(), encoding="utf-8")

    def replay(self) -> Replay:
        """Show the run again from its prompt: it steps, goes back and branches like a live one, as far as it was recorded."""
        return Replay(self.model, self.tree, self.settings, self.top_n, self.finished, self._file.as_chat)


def _file_of(run: Any) -> _File:
    """A run as it goes into a file."""
    with run.turn:  # somebody may be writing it meanwhile; nodes themselves never change but for their names
        model, here, finished, settings = run.model, run.here, run.finished, run.settings.as_dict()
        kept = [node for node in run.nodes if not node.is_deleted]
    number = {node.node_id: place for place, node in enumerate(kept)}  # a file numbers its nodes without the gaps of deleted ones
    used = {int(i) for node in kept if node.step for i in node.step.token_ids}
    return _File(
        format="token-probability-viewer recording",
        version=1,
        model=_ModelFile(
            name=_public_name(model.name),
            end_token_ids=sorted(model.end_token_ids),
            **{name: getattr(model, name) for name in _ModelFile.model_fields if name not in ("name", "end_token_ids")},
        ),
        prompt=run.prompt,
        prompt_tokens=[_PromptToken(id=t.token_id, raw=t.raw.hex(), special=t.special, text=t.text) for t in run.prompt_tokens],
        settings=settings,
        top_n=run.top_n,
        as_chat=run.as_chat,
        here=number[here],
        finished=finished,
        vocabulary=[_TokenFile(id=i, raw=model.token(i).raw.hex(), special=model.token(i).special) for i in sorted(used)],
        steps=[_step_file(node.step, number[node.parent or 0], node.name) for node in kept if node.step],
    )


def _place(error: ValidationError) -> str:
    """Where in a file the first fault is, fit to be shown."""
    place = " → ".join(str(part) for part in error.errors(include_input=False, include_context=False)[0]["loc"][:4])
    return "".join(c for c in place if c.isprintable())[:80] or "its beginning"


def _public_name(name: str) -> str:
    """A model's name as it may leave this machine: of a folder, only its own name."""
    return (name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or "model") if name.startswith(("/", ".", "~")) or "\\" in name else name


def _settings(values: dict[str, Any]) -> SamplingSettings:
    try:
        return SamplingSettings(**values)
    except TypeError as error:
        raise BadRecording("This recording is broken: it names a setting that does not exist.") from error


def _digits(values: np.ndarray) -> list[Any]:
    """Numbers as they go into the file: seven digits, all that float32 has; None for what is no number or infinite."""
    return [float(f"{value:.7g}") if math.isfinite(value) else None for value in values.tolist()]


def _step_file(step: Step, parent: int | None, name: str) -> _StepFile:
    return _StepFile(
        parent=parent or 0,
        name=name,
        token_id=step.token_id,
        chosen_by=step.chosen_by,  # type: ignore[arg-type]
        roll=step.roll,
        attempt=step.attempt,
        settings=step.settings.as_dict(),
        **{field: getattr(step.forward, field) for field in ForwardPass.__slots__},
        token_ids=step.token_ids.tolist(),
        ranks=step.ranks.tolist(),
        logits=_digits(step.logits),
        probabilities=[_digits(row) for row in step.probabilities],
        removed_at=step.removed_at.tolist(),
        dice_starts=_digits(step.dice_starts),
        stage_names=list(step.stage_names),
        stage_settings=[None if s is None else float(s) for s in step.stage_settings],
        stage_kept=list(step.stage_kept),
        stage_entropies=[float(f"{e:.7g}") for e in step.stage_entropies],
        server_listed=step.top_logprobs_count,
        stage_exact=list(step.stage_exact),
    )


def _step(entry: _StepFile, index: int, position: int, settings: SamplingSettings, model: RecordedModel, text: str) -> Step:
    return Step(
        index=index,
        position=position,
        settings=settings,
        forward=ForwardPass(**{field: getattr(entry, field) for field in ForwardPass.__slots__}),
        vocabulary=model,
        token_ids=np.array(entry.token_ids, dtype=np.int64),
        ranks=np.array(entry.ranks, dtype=np.int64),
        logits=np.array([-math.inf if x is None else x for x in entry.logits]),
        probabilities=np.array(entry.probabilities),
        removed_at=np.array(entry.removed_at, dtype=np.int64),
        dice_starts=np.array([math.nan if x is None else x for x in entry.dice_starts]),
        stage_names=tuple(entry.stage_names),
        stage_settings=tuple(entry.stage_settings),
        stage_kept=tuple(entry.stage_kept),
        stage_entropies=tuple(entry.stage_entropies),
        top_logprobs_count=entry.server_listed,
        stage_exact=tuple(entry.stage_exact),
        token_id=entry.token_id,
        text=text,
        chosen_by=entry.chosen_by,
        roll=entry.roll,
        attempt=entry.attempt,
    )
