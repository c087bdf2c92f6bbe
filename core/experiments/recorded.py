"""A recorded experiment: its observations and their times in one file, which can be replayed at any speed without a model.

    >>> from core.experiments.cache_race import RaceStep
    >>> step = RaceStep("with", 0, 7, " fox", 0.01, 5, 0, 0.01, 5, 640)
    >>> kept = RecordedExperiment("race", "2026-01-31", (step,), (0.01,), about=(1, "The"))
    >>> race_file = experiment_file(RaceStep, about=tuple[int, str])
    >>> RecordedExperiment.loads(kept.dumps(race_file), {"race": race_file}) == kept
    True

The file is gzipped JSON with a version. Observations are frozen dataclasses. Each experiment declares their types, and pydantic creates
objects of these types only. A file may come from a stranger, so its size is limited before unpacking, and every field is checked.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import date
from functools import cache
from itertools import pairwise
from time import sleep
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, GetCoreSchemaHandler, ValidationError, ValidationInfo, create_model, field_validator
from pydantic_core import CoreSchema

from core.errors import BadRecording, ViewerError
from core.experiments.stored_fields import TableStep, VocabularyFile, steps_of, table_files
from core.generation.recording_file import place_of
from core.generation.step_file import Strict
from core.record.bounded_json import BoundedJson, Bounds
from core.record.step import TokenDistribution

FORMAT = "token-probability-viewer experiment"
VERSION = 1
LARGEST_FILE = 4 * 2**20  # bytes, packed; the largest bundled file has 0.1 MB
LARGEST_CONTENT = 16 * 2**20  # bytes, unpacked
MOST_SEEN = 20_000  # observations
BOUNDS = Bounds(
    size=LARGEST_CONTENT,
    rest=2**20,
    entry=4 * 2**20,
    depth=20,  # a valid file has at most ten levels
    marks=2_000_000,
    lists={"seen": MOST_SEEN, "steps": 50_000, "vocabularies": 100},
)
LONGEST_PAUSE = 10.0  # seconds between two observations of a replay
LONGEST_NUMBER = 19  # characters of a whole number


def _without_conversions(schema: Any, handler: GetCoreSchemaHandler) -> None:
    """Change a schema in place: it does not convert numbers and texts, and its lists stop at their first wrong item.

    A strict schema would also refuse lists for tuples. A hostile file can have a million wrong items.
    """
    if isinstance(schema, list):
        for part in schema:
            _without_conversions(part, handler)
    if not isinstance(schema, dict) or schema.get("type") == "model":  # a model of its own is strict
        return
    if schema.get("type") == "definition-ref":
        schema = handler.resolve_ref_schema(schema)
    if schema.get("type") in ("int", "float", "str", "bool"):
        schema["strict"] = True
    elif schema.get("type") in ("list", "tuple", "set", "frozenset"):
        schema["fail_fast"] = True
    for part in schema.values():
        _without_conversions(part, handler)


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

    seen: the observations in order; seconds: since the start, one per observation. made_by: origin of the result. about: values that the
    page stored at the start.
    """

    name: str
    recorded_on: str
    seen: tuple[Any, ...]
    seconds: tuple[float, ...]
    made_by: Any = None
    about: Any = None

    def content(self, file: type[ExperimentFile]) -> dict[str, Any]:
        """Return the content of the file as plain values. Raises BadRecording for a value that does not have its declared type."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
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
            raise BadRecording("This recording is broken (at {place}).", place=place_of(error)) from error
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
        for at, observation in zip(self.seconds, self.seen, strict=True):
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
