"""A recorded experiment: its observations and their times in one file, which can be replayed at any speed without a model.

    >>> from core.experiments.cache_race import RaceStep
    >>> step = RaceStep("with", 0, 7, " fox", 0.01, 5, 0, 0.01, 5, 640)
    >>> kept = RecordedExperiment("race", "2026-01-31", (step,), (0.01,), about=(1, "The"))
    >>> RecordedExperiment.loads(kept.dumps()) == kept
    True

The file is gzipped JSON with a version. It may come from a stranger, so its size is limited before unpacking, and `codec` checks it.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from time import sleep
from typing import Any

from core.errors import BadRecording
from core.experiments.codec import Reader, Writer
from core.record.bounded_json import BoundedJson, Bounds

FORMAT = "token-probability-viewer experiment"
VERSION = 1
LARGEST_FILE = 4 * 2**20  # bytes, packed; the largest bundled file has 0.1 MB
LARGEST_CONTENT = 16 * 2**20  # bytes, unpacked
MOST_SEEN = 20_000  # observations
BOUNDS = Bounds(
    size=LARGEST_CONTENT,
    rest=2**20,
    entry=4 * 2**20,
    depth=100,  # `codec.DEEPEST` levels of values, two brackets each
    marks=2_000_000,
    lists={"seen": MOST_SEEN, "steps": 50_000, "vocabularies": 100},
)
LONGEST_PAUSE = 10.0  # seconds between two observations of a replay
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")


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

    def dumps(self, classes: Mapping[str, type] | None = None) -> bytes:
        """Return the file. classes: by name, the caller's classes that `made_by` and `about` may contain. Raises BadRecording."""
        writer = Writer(classes)
        content = {
            "format": FORMAT,
            "version": VERSION,
            "name": self.name,
            "recorded_on": self.recorded_on,
            "made_by": writer.write(self.made_by),
            "about": writer.write(self.about),
            "seen": [writer.write(one) for one in self.seen],
            "seconds": [round(one, 4) for one in self.seconds],
        }
        content |= {"vocabularies": writer.vocabularies, "steps": writer.steps}
        text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        packer = zlib.compressobj(9, wbits=31)
        return packer.compress(text.encode("utf-8")) + packer.flush()

    @classmethod
    def loads(cls, data: bytes, classes: Mapping[str, type] | None = None) -> RecordedExperiment:
        """Return the experiment in a file. Raises BadRecording, and no other error, for a broken file."""
        content = _content(data)
        name, day, seen, seconds = (content.get(key) for key in ("name", "recorded_on", "seen", "seconds"))
        if not isinstance(name, str) or not _NAME.fullmatch(name) or not isinstance(day, str):
            raise BadRecording("This recording is broken: the name of its experiment is missing.")
        try:
            date.fromisoformat(day)
        except ValueError as error:
            raise BadRecording("This recording is broken: its date is missing.") from error
        if not isinstance(seen, list) or not isinstance(seconds, list) or len(seen) != len(seconds) or not seen:
            raise BadRecording("This recording is broken: observations or their times are missing.")
        if len(seen) > MOST_SEEN or not all(isinstance(s, int | float) and 0 <= s < 1e9 for s in seconds):
            raise BadRecording("This recording is broken: its times are invalid, or it is too long.")
        if any(b < a for a, b in pairwise(seconds)):
            raise BadRecording("This recording is broken: its times decrease.")
        try:
            reader = Reader(content.get("steps"), content.get("vocabularies"), classes)
            found = tuple(reader.read(one) for one in seen)
            made_by, about = reader.read(content.get("made_by")), reader.read(content.get("about"))
        except RecursionError as error:
            raise BadRecording("This recording is broken: it is nested too deeply.") from error
        return cls(name, day, found, tuple(map(float, seconds)), made_by, about)

    @classmethod
    def load(cls, path: Path, classes: Mapping[str, type] | None = None) -> RecordedExperiment:
        """Return the experiment in a file on disk. Raises BadRecording."""
        try:
            with open(path, "rb") as file:
                return cls.loads(file.read(LARGEST_FILE + 1), classes)
        except OSError as error:
            raise BadRecording("This recording cannot be opened.") from error

    def again(self, speed: float = 1.0, wait: Callable[[float], Any] = sleep) -> Iterator[Any]:
        """Yield the observations with the recorded pauses. speed: 2 is twice as fast, infinity has no pauses; wait: sleeps some seconds."""
        before = 0.0
        for at, one in zip(self.seconds, self.seen, strict=True):
            pause = (at - before) / speed
            if pause > 0:
                wait(min(pause, LONGEST_PAUSE))
            before = at
            yield one


def _content(data: bytes) -> dict[str, Any]:
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
    file = BoundedJson(text, BOUNDS)
    if not isinstance(file.head, dict) or file.head.get("format") != FORMAT:
        raise BadRecording("This file is not a recording of an experiment.")
    version = file.head.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise BadRecording("This recording is broken: its version is missing.")
    if version > VERSION:
        raise BadRecording("This recording was made with a newer version of the app. Update the app to open it.")
    content: dict[str, Any] = file.whole()
    return content
