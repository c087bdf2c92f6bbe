"""The file of a recording: its fields and their limits, a run as such a file (`file_of`), and a file read entry by entry (`Content`).

Every field of a step is checked and bounded, because a file may come from a stranger.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar, cast

import numpy as np
from pydantic import BaseModel, ConfigDict, FailFast, Field, TypeAdapter, ValidationError, model_validator

from core.chat.conversation import LONGEST_FIELDS, MOST_MESSAGES, Span, further_fields
from core.errors import BadRecording
from core.message import Message
from core.models.gguf.header import RUN, is_gguf
from core.models.gguf.hub_file import is_hub_file
from core.record.bounded_json import BoundedJson, Bounds
from core.record.step import ForwardPass, Step, Vocabulary
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can

MOST_LISTED = 1_001
MOST_STAGES = 24
MEASURED = [name for name in ForwardPass.__slots__ if name != "has_facts"]

Count = Annotated[int, Field(ge=0, le=2**53)]
Probability = Annotated[float, Field(ge=0.0, le=1.000001)]
Seconds = Annotated[float, Field(ge=0.0, le=1e9)]
Logit = Annotated[float, Field(ge=-3.5e38, le=3.5e38)]  # float32
_Candidates = Field(min_length=1, max_length=MOST_LISTED)
FORMAT = "token-probability-viewer recording"
VERSION = 1
LARGEST_FILE = 64 * 1024 * 1024  # bytes
MOST_STEPS = 50_000
SLACK = 0.02  # bound on a server's rounding
NEAR = 1e-4  # bound on the rounding of a sum of probabilities
LEAST = 1e-30  # float32 rounds smaller probabilities


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
    chosen_by: Literal["sampled", "greedy", "forced", "budget", "server"]
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
    logits: Annotated[list[Logit | None], _Candidates, FailFast()]
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
        self._check_numbers()
        return self

    def _check_numbers(self) -> None:
        """Raise ValueError if the numbers of a step contradict each other. What was not measured fits everything.

        The bounds are wide enough for float32 sums on every device, and for the seven digits of the file. A server rounds more, and can
        take the probability of its own choice from another distribution than its list.
        """
        by_server = self.server_listed > 0 or self.chosen_by == "server"
        near = SLACK if by_server else NEAR
        table, kept_counts = np.array(self.probabilities, np.float64), np.array(self.stage_kept, np.float64)  # NaN: not measured
        logits = np.array([-math.inf if each is None else each for each in self.logits])
        ranks = np.array(self.ranks, np.float64)
        sums, counts = np.nansum(table, 1), (table > 0).sum(1)
        if (not by_server and (sums > 1 + near).any()) or (counts > kept_counts).any():
            raise ValueError(Message("the probabilities of a stage add up to more than 1, or there are too many of them"))
        surely = table[0] > LEAST
        listed_ranks = np.where(np.array(self.token_ids) == self.token_id, 1, ranks) if by_server else ranks
        if (np.diff(ranks[ranks > 0]) < 0).any() or (listed_ranks * table[0] > 1 + near).any() or (ranks[surely] > kept_counts[0]).any():
            raise ValueError(Message("a rank does not fit the probabilities"))
        if surely.any():
            log_sums = logits[surely] - np.log(table[0, surely])
            largest = float(np.abs(logits[surely]).max())
            unlikely = logits[~surely] - log_sums.mean() > math.log(LEAST) + 1
            if not math.isfinite(largest) or np.ptp(log_sums) > 0.01 + 1e-5 * largest or unlikely.any():
                raise ValueError(Message("a logit does not fit its probability"))
        likely = np.where(table > 0, table, 1.0)
        listed, rest = -(likely * np.log2(likely)).sum(1), np.clip(1 - sums, 0, 1) + near / 10
        most = listed + rest * np.log2(np.maximum(kept_counts - counts, 1) / rest)  # if all other tokens are equally likely
        entropies = np.array(self.stage_entropies, np.float64)
        if (entropies > np.minimum(most, np.log2(np.maximum(kept_counts, 1))) + 0.02).any() or (entropies < listed - 0.02).any():
            raise ValueError(Message("an entropy does not fit the probabilities"))
        removed_at = np.array(self.removed_at)
        if (table[removed_at, np.arange(len(removed_at))][removed_at >= 0] > 0).any():
            raise ValueError(Message("an excluded token has a probability"))
        column = self.token_ids.index(self.token_id)
        start, end = self.dice_starts[column], table[-1, column] + NEAR
        if self.chosen_by == "sampled" and (self.roll is None or start is None or not -NEAR <= self.roll - start <= end):
            raise ValueError(Message("the roll is not in the range of the chosen token"))


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


BOUNDS = Bounds(
    size=LARGEST_FILE,
    rest=1024 * 1024,
    entry=2 * 1024 * 1024,  # a step of 1,001 tokens in 16 stages has a quarter of that
    depth=6,  # a valid file has five levels
    marks=8_000_000,
    lists={"prompt_tokens": 2_000_000, "vocabulary": 2_000_000, "steps": MOST_STEPS},
)


class PromptToken(TokenFile):
    """A token of the prompt in the file."""

    text: Annotated[str, Field(max_length=1_000_000)]


class ModelFile(Strict):
    """The model in the file."""

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
    is_saved_answer: bool = Field(default=False, alias="from_answer")  # the name in the file of version 1


class MessageFile(Strict):
    """A message of a conversation in the file. first, end: the tokens of the prompt with its content; both 0 if they are not known.

    content: missing in an answer that only calls tools. further: its further fields as JSON, in which nesting has no fixed depth.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: Annotated[str, Field(max_length=4_000_000)] | None = None
    first: Count
    end: Count
    further: Annotated[str, Field(max_length=LONGEST_FIELDS)] = "{}"

    @classmethod
    def of(cls, message: Mapping[str, Any], span: Span) -> MessageFile:
        """Return a message of a run. A file does not name what most messages lack, so that older versions of the app can open it."""
        values: dict[str, Any] = {name: message[name] for name in ("role", "content") if name in message}
        fields = further_fields(message)
        values |= {"first": span[0], "end": span[1]} | ({"further": json.dumps(fields)} if fields else {})
        return cls(**values)

    @property
    def message(self) -> dict[str, Any]:
        """The message, not yet checked. Raises BadRecording."""
        return {"role": self.role} | ({} if self.content is None else {"content": self.content}) | fields_of(self.further)


class File(Strict):
    """The whole file. When it is read, its long lists are empty and `Content` reads them in parts."""

    format: Literal["token-probability-viewer recording"]
    version: Literal[1]
    model: ModelFile
    prompt: Annotated[str, Field(max_length=4_000_000)]  # empty only for a saved answer
    prompt_tokens: Annotated[list[PromptToken], Field(max_length=2_000_000), FailFast()]
    settings: dict[str, Any]
    top_n: Annotated[int, Field(ge=1, le=MOST_LISTED)]
    as_chat: bool
    messages: Annotated[list[MessageFile], Field(max_length=MOST_MESSAGES), FailFast()] = Field(default=[])  # missing in old files
    template_arguments: Annotated[str, Field(max_length=LONGEST_FIELDS)] = "{}"  # as JSON
    here: Count
    finished: Annotated[str, Field(max_length=60)] | None
    vocabulary: Annotated[list[TokenFile], Field(max_length=2_000_000), FailFast()]
    steps: Annotated[list[StepFile], Field(max_length=MOST_STEPS), FailFast()]


Entry = TypeVar("Entry", TokenFile, PromptToken, StepFile)
_PARSERS: dict[type[BaseModel], TypeAdapter[Any]] = {
    kind: TypeAdapter(cast(Any, Annotated[list[kind], FailFast()]))  # type: ignore[valid-type]
    for kind in (TokenFile, PromptToken, StepFile)
}


class Content:
    """The content of a file: `head`, and its long lists entry by entry. All methods raise BadRecording for an invalid file."""

    def __init__(self, data: str | bytes) -> None:
        self._file = BoundedJson(data, BOUNDS)
        content = self._file.head
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise BadRecording("This file is not a recording of this app.")
        version = content.get("version")
        if isinstance(version, int) and version > VERSION:
            raise BadRecording("This recording was made with a newer version of the app. Update the app to replay it.")
        for part, kind in ((content, File), (content.get("model"), ModelFile)):
            if isinstance(part, dict) and len(part) > len(kind.model_fields):  # pydantic would report every unknown name as an error
                raise BadRecording("This recording is broken: it has too many entries.")
        try:
            self.head = File.model_validate(content)
        except ValidationError as error:
            raise broken(error) from error

    def entries(self, name: str, kind: type[Entry]) -> Iterator[Entry]:
        """Yield the entries of one long list, each part parsed when it is needed."""
        count = 0
        for part in self._file.parts(name):
            try:
                entries: list[Entry] = _PARSERS[kind].validate_json(part)
            except ValidationError as error:
                raise broken(error, name, count) from error
            count += len(entries)
            yield from entries


def broken(error: ValidationError, name: str = "", before: int = 0) -> BadRecording:
    """Return the error for a file with this first error: where it is, and what contradicts what, if a check of this app found it.

    name, before: see `place_of`.
    """
    found_here = error.errors(include_input=False)[0].get("ctx", {}).get("error")
    if isinstance(found_here, ValueError) and found_here.args and isinstance(found_here.args[0], Message):
        why = found_here.args[0]
        return BadRecording("This recording contradicts itself (at {place}): {why}.", place=place_of(error, name, before), why=why)
    return BadRecording("This recording is broken (at {place}).", place=place_of(error, name, before))


def place_of(error: ValidationError, name: str = "", before: int = 0) -> str:
    """Return where in a file the first error is, as a short text. name: the list with the error, before: entries of it read before."""
    where = error.errors(include_input=False, include_context=False)[0]["loc"]
    if name:
        where = (name, before + where[0], *where[1:]) if where and isinstance(where[0], int) else (name,)
    path = " → ".join(str(part) for part in where[:4])
    return "".join(c for c in path if c.isprintable())[:80] or Message("its beginning")


def file_of(run: Any) -> File:
    """Return a run or a recording as the content of a file."""
    model = run.model
    nodes = [node for node in run.nodes if not node.is_deleted]
    number = {node.node_id: index for index, node in enumerate(nodes)}  # a file numbers its nodes without deleted ones
    named: dict[str, Any] = {
        name: getattr(model, name) for name in ModelFile.model_fields if name not in ("name", "end_token_ids", "is_saved_answer")
    }
    if Can.FACTS not in model.can:  # other files do not name it, so that older versions of the app can open them
        named["from_answer"] = True
    word = run.vocabulary.token
    used = {int(i) for node in nodes if node.step for i in node.step.token_ids}
    return File(
        format="token-probability-viewer recording",
        version=1,
        model=ModelFile(
            name=public_name(model.name),
            end_token_ids=sorted(model.end_token_ids),
            **named,
        ),
        prompt=run.prompt,
        prompt_tokens=[PromptToken(id=t.key, raw=t.raw.hex(), special=t.special, text=t.text) for t in run.prompt_tokens],
        settings=run.settings.for_file(),
        top_n=run.top_n,
        as_chat=run.as_chat,
        messages=[MessageFile.of(message, span) for message, span in zip(run.messages, run.message_spans, strict=True)],
        **({"template_arguments": json.dumps(run.template_arguments)} if run.template_arguments else {}),
        here=number[run.here],
        finished=run.finished,
        vocabulary=[TokenFile(id=i, raw=word(i).raw.hex(), special=word(i).special) for i in sorted(used)],
        steps=[step_file(node.step, number[node.parent or 0], node.name) for node in nodes if node.step],
    )


def fields_of(written: str) -> dict[str, Any]:
    """Return the object in this JSON. Raises BadRecording."""
    try:
        fields = json.loads(written)
        if isinstance(fields, dict):
            return fields
    except (ValueError, RecursionError):
        pass
    raise BadRecording("This recording is broken (at {place}).", place="messages")


def public_name(name: str) -> str:
    """Return a model's name for publication: of a path, only the last part."""
    if is_gguf(name):
        path = name.removeprefix(RUN)
        return path if is_hub_file(path) else path.replace("\\", "/").rsplit("/", 1)[-1]
    return (name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or "model") if name.startswith(("/", ".", "~")) or "\\" in name else name
