"""A recorded experiment: its observations and their times in one file, which can be replayed at any speed without a model.

    >>> from core.experiments.cache import RaceStep
    >>> step = RaceStep("with", 0, 7, " fox", 0.01, 5, 0, 0.01, 5, 640)
    >>> race = RecordedExperiment("race", "2026-01-31", (step,), (0.01,), about=(1, "The"))
    >>> race_file = experiment_file(RaceStep, about=tuple[int, str])
    >>> RecordedExperiment.loads(race.dumps(race_file), {"race": race_file}) == race
    True

The file is gzipped JSON with a version. Observations are frozen dataclasses. Each experiment declares their types, and pydantic creates
objects of these types only: each step is stored once in a table, a translatable sentence with its parameters, all other fields as they are.
A file may come from a stranger, so its size is limited before unpacking, and every field is checked.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cache
from itertools import pairwise
from time import sleep
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    GetCoreSchemaHandler,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    WrapSerializer,
    WrapValidator,
    create_model,
    field_validator,
)
from pydantic_core import CoreSchema

from core.errors import BadRecording, ViewerError
from core.generation.recording_file import Count, StepFile, Strict, TokenFile, broken, settings_of, step_file, step_of
from core.message import Message, Number
from core.record.bounded_json import BoundedJson, Bounds
from core.record.step import Step, TokenDistribution, Words
from core.tokens.token_text import lone_token

Index = Annotated[int, Field(ge=0, lt=2**31)]
_FIELD = re.compile(r"\{([a-z_]+)\}")  # a message in a file has plain fields only: no attributes, indices or formats
_SPEC = re.compile(r",?(\.\d)?[fge%]?")
FORMAT = "token-probability-viewer experiment"
VERSION = 1
LARGEST_FILE = 4 * 2**20  # bytes, packed; the largest bundled file has 0.1 MB
LARGEST_CONTENT = 16 * 2**20  # bytes, unpacked
MOST_SEEN = 20_000  # observations
LONGEST_PAUSE = 10.0  # seconds between two observations of a replay
LONGEST_NUMBER = 19  # characters of a whole number
LONGEST_TEXT = 1_000_000  # characters of a text of an observation or a step
LONGEST_INPUT = 200_000  # characters of a text of `about` or `made_by`


def _stored(kind: type) -> PlainValidator:
    def step_of_number(number: Any, info: Any) -> Any:
        step = info.context.get(number) if type(number) is int else None
        if not isinstance(step, kind):
            raise ValueError("not the number of a step")
        return step

    return PlainValidator(step_of_number)


def _number_of(step: Any, info: Any) -> Any:
    if not isinstance(step, TokenDistribution):
        raise ValueError("not a step")
    return info.context.setdefault(step, len(info.context))


# A step is its number in the file's table. The pydantic context is a dictionary: to write, of steps to numbers; to read, the reverse.
StoredStep = Annotated[Step, _stored(Step), PlainSerializer(_number_of)]
StoredDistribution = Annotated[TokenDistribution, _stored(TokenDistribution), PlainSerializer(_number_of)]


# Bytes, which are stored in hexadecimal digits.
HexBytes = Annotated[bytes, BeforeValidator(lambda held: bytes.fromhex(held) if isinstance(held, str) else held)]


class VocabularyFile(Strict):
    """The tokens of a model that occur in the steps of a file."""

    end_token_ids: Annotated[list[Count], FailFast()]
    tokens: Annotated[list[TokenFile], FailFast()]

    def words(self) -> Words:
        """Return the vocabulary."""
        tokens = {token.id: lone_token(token.id, bytes.fromhex(token.raw), token.special) for token in self.tokens}
        return Words(tokens, frozenset(self.end_token_ids))


class TableStep(StepFile):
    """A step in the table of a file. vocabulary: its number. is_chosen: False for a distribution without a chosen token."""

    index: Index
    position: Index
    vocabulary: Index
    is_chosen: bool
    text: str


def table_files(steps: Iterable[TokenDistribution]) -> tuple[list[VocabularyFile], list[TableStep]]:
    """Return the vocabularies and the table of these steps for a file."""
    table = []
    vocabularies: dict[int, VocabularyFile] = {}  # by id() of the source
    tokens: dict[tuple[int, int], TokenFile] = {}
    for step in steps:
        source = step.vocabulary
        ends = sorted(getattr(source, "end_token_ids", ()))
        file = vocabularies.setdefault(id(source), VocabularyFile(end_token_ids=ends, tokens=[]))
        for key in map(int, step.token_ids):
            if (id(source), key) not in tokens:
                token = source.token(key)
                tokens[id(source), key] = TokenFile(id=key, raw=token.raw.hex(), special=token.special)
                file.tokens.append(tokens[id(source), key])
        table.append(_table_step(step, list(vocabularies).index(id(source))))
    return list(vocabularies.values()), table


def _table_step(step: TokenDistribution, vocabulary: int) -> TableStep:
    values = {field.name: getattr(step, field.name) for field in fields(step)}
    unchosen: dict[str, Any] = {"key": int(step.token_ids[0]), "text": "", "chosen_by": "greedy", "roll": None, "attempt": 0}
    full = step if isinstance(step, Step) else Step(**unchosen | values)
    content = dict(step_file(full, 0, ""))
    content |= {"index": full.index, "position": full.position, "vocabulary": vocabulary, "is_chosen": full is step, "text": full.text}
    return TableStep.model_construct(**content)


def steps_of(vocabularies: Sequence[Words], table: Iterable[TableStep]) -> Iterator[TokenDistribution]:
    """Yield the steps in the table of a file. Raises ValueError or ViewerError if the table contradicts itself."""
    for row in table:
        if row.vocabulary >= len(vocabularies):
            raise ValueError("not the number of a vocabulary")
        words = vocabularies[row.vocabulary]
        for token_id in row.token_ids:
            words.token(token_id)
        step = step_of(row, row.index, row.position, settings_of(row.settings), words, row.text)
        yield step if row.is_chosen else TokenDistribution(**{f.name: getattr(step, f.name) for f in fields(TokenDistribution)})


class MessageFile(Strict, allow_inf_nan=True, ser_json_inf_nan="constants"):
    """A message in a file."""

    template: str
    parameters: dict[str, Sentence | int | float | Number]


def _read_sentence(value: Any, read_text: Callable[[Any], Any]) -> Any:
    if not isinstance(value, dict):
        return value if isinstance(value, Message) else read_text(value)
    file = MessageFile.model_validate_json(json.dumps(value))
    names = _FIELD.findall(file.template)
    if set(names) != set(file.parameters) or re.search(r"[{}]", _FIELD.sub("", file.template)):
        raise ValueError("the template does not fit its parameters")
    if not all(_SPEC.fullmatch(number.spec) for number in file.parameters.values() if isinstance(number, Number)):
        raise ValueError("not the format of a number")
    lengths = {name: len(str(value)) for name, value in file.parameters.items()}
    if sum(map(lengths.__getitem__, names)) > LONGEST_TEXT:  # a template can have the same field a hundred thousand times
        raise ValueError("a sentence that is too long")
    return Message(file.template, **file.parameters)


def _write_sentence(text: Any, write_text: Callable[[Any], Any]) -> Any:
    if isinstance(text, Message) and text.parameters:
        return MessageFile(template=text.template, parameters=text.parameters).model_dump(mode="json")
    return write_text(text)


# A text that can be a `Message`. Its template and parameters are stored, so that it can be translated when it is shown.
Sentence = Annotated[str, WrapValidator(_read_sentence), WrapSerializer(_write_sentence)]


BOUNDS = Bounds(
    size=LARGEST_CONTENT,
    rest=2**20,
    entry=4 * 2**20,
    depth=20,  # a valid file has at most ten levels
    marks=2_000_000,
    lists={"seen": MOST_SEEN, "steps": 50_000, "vocabularies": 100},
)


def _without_conversions(schema: Any, handler: GetCoreSchemaHandler, longest: int = LONGEST_TEXT) -> None:
    """Change a schema in place: it does not convert numbers and texts, its texts are bounded, and its lists stop at their first wrong item.

    A strict schema would also refuse lists for tuples. A hostile file can have a million wrong items.
    """
    if isinstance(schema, list):
        for part in schema:
            _without_conversions(part, handler, longest)
    if not isinstance(schema, dict) or schema.get("type") == "model":  # a model of its own is strict
        return
    if schema.get("type") == "definition-ref":
        schema = handler.resolve_ref_schema(schema)
    if schema.get("type") in ("int", "float", "str", "bool"):
        schema["strict"] = True
        if schema["type"] == "str":
            schema.setdefault("max_length", longest)
    elif schema.get("type") in ("list", "tuple", "set", "frozenset"):
        schema["fail_fast"] = True
    for name, part in schema.items():
        _without_conversions(part, handler, LONGEST_INPUT if name in ("made_by", "about") else longest)


class ExperimentFile(Strict):
    """The content of a file. `experiment_file` declares the types of `made_by`, `about` and `seen`."""

    model_config = ConfigDict(
        strict=False, allow_inf_nan=True, arbitrary_types_allowed=True, defer_build=True, ser_json_inf_nan="constants", ser_json_bytes="hex"
    )
    format: Literal["token-probability-viewer experiment"]
    version: Literal[1]
    name: str
    recorded_on: date
    vocabularies: list[VocabularyFile]
    steps: list[TableStep]
    made_by: Any
    about: Any
    seen: Any
    seconds: tuple[Annotated[float, Field(ge=0, lt=1e9)], ...]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        _without_conversions(schema["schema"], handler)
        return schema

    @field_validator("steps")
    @classmethod
    def _into_context(cls, table: list[TableStep], info: ValidationInfo) -> list[TableStep]:
        vocabularies = [file.words() for file in info.data.get("vocabularies", ())]
        steps: Any = info.context
        steps.update(enumerate(steps_of(vocabularies, table)))
        return table

    @field_validator("seconds")
    @classmethod
    def _of_observations(cls, seconds: tuple[float, ...], info: ValidationInfo) -> tuple[float, ...]:
        if len(seconds) != len(info.data.get("seen", seconds)) or any(later < earlier for earlier, later in pairwise(seconds)):
            raise ValueError("times are missing or decrease")
        return seconds


@cache
def experiment_file(seen: Any, about: Any = None, made_by: Any = None) -> type[ExperimentFile]:
    """Return the file of an experiment whose observations, `about` and `made_by` have these types, such as `CacheStep | Answer`.

    A file does not name the class of an observation: the classes of a union must differ in their fields.
    """
    observations = Annotated[tuple[seen, ...], Field(min_length=1, max_length=MOST_SEEN)]
    return create_model("ExperimentFile", __base__=ExperimentFile, made_by=(made_by, ...), about=(about, ...), seen=(observations, ...))


@dataclass(frozen=True, slots=True)
class RecordedExperiment:
    """A recorded experiment. name: of the experiment; recorded_on: day in ISO 8601 format.

    observations: in order; seconds: since the start, one per observation. made_by: origin of the result. about: values that the
    page stored at the start.
    """

    name: str
    recorded_on: str
    observations: tuple[Any, ...]
    seconds: tuple[float, ...]
    made_by: Any = None
    about: Any = None

    def content(self, file: type[ExperimentFile]) -> dict[str, Any]:
        """Return the content of the file as plain values. Raises BadRecording for a value that does not have its declared type."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values["seen"] = values.pop("observations")  # as files have called it from the first version on
        values |= {"recorded_on": date.fromisoformat(self.recorded_on), "seconds": tuple(round(second, 4) for second in self.seconds)}
        unchecked = file.model_construct(format=FORMAT, version=VERSION, vocabularies=[], steps=[], **values)
        numbers: dict[TokenDistribution, int] = {}
        try:
            content = unchecked.model_dump(mode="json", context=numbers, warnings="error")
        except ValueError as error:
            raise BadRecording("This result contains a value that a file cannot store.") from error
        vocabularies, steps = table_files(numbers)
        return content | {"vocabularies": [v.model_dump() for v in vocabularies], "steps": [step.model_dump() for step in steps]}

    def dumps(self, file: type[ExperimentFile]) -> bytes:
        """Return the file. Raises BadRecording."""
        text = json.dumps(self.content(file), separators=(",", ":"), ensure_ascii=False)
        packer = zlib.compressobj(9, wbits=31)
        return packer.compress(text.encode()) + packer.flush()

    @classmethod
    def loads(cls, data: bytes, files: Mapping[str, type[ExperimentFile]]) -> Self:
        """Return the experiment in a file. files: by the name of the experiment. Raises BadRecording, and no other error."""
        text = _unpacked(data)
        head = BoundedJson(text, BOUNDS).head
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise BadRecording("This file is not a recording of an experiment.")
        name, version = head.get("name"), head.get("version")
        if isinstance(version, int) and version > VERSION:
            raise BadRecording("This recording was made with a newer version of the app. Update the app to open it.")
        if not isinstance(name, str) or name not in files:
            raise BadRecording("This experiment belongs to a page that this app does not have.")
        try:
            file = files[name].model_validate(json.loads(text, parse_int=_bounded), context={})
        except ValidationError as error:
            raise broken(error) from error
        except ViewerError as error:
            raise BadRecording("This recording is broken: {error}", error=error) from error
        except OverflowError as error:
            raise BadRecording("This recording is broken: it contains a number that is too large.") from error
        except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
            raise BadRecording("This recording is broken.") from error
        return cls(name, file.recorded_on.isoformat(), file.seen, file.seconds, file.made_by, file.about)

    def again(self, speed: float = 1.0, wait: Callable[[float], Any] = sleep) -> Iterator[Any]:
        """Yield the observations with the recorded pauses. speed: 2 is twice as fast, infinity has no pauses; wait: sleeps some seconds."""
        before = 0.0
        for at, observation in zip(self.seconds, self.observations, strict=True):
            pause = (at - before) / speed
            if pause > 0:
                wait(min(pause, LONGEST_PAUSE))
            before = at
            yield observation


def _unpacked(data: bytes) -> bytes:
    if len(data) > LARGEST_FILE:
        raise BadRecording("This file is too large: at most {most} MB are read.", most=LARGEST_FILE // 2**20)
    try:
        unpacker = zlib.decompressobj(wbits=31)
        text = unpacker.decompress(data, LARGEST_CONTENT)
    except zlib.error as error:
        raise BadRecording("This file is not a recording of an experiment.") from error
    if FORMAT.encode() not in text:
        raise BadRecording("This file is not a recording of an experiment.")
    if not unpacker.eof:
        raise BadRecording("This file is an incomplete recording, or its content is too large.")
    return text


def _bounded(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise OverflowError
    return int(digits)
