"""The tour's three voices. Each stands in a file of its own under `core/languages/<language>/tour/`, one table per stop:

title   the stop's heading
said    two or three sentences: what one sees there
try     one thing to do
noticed what one may have noticed, said once it was done
limit   where the picture stops being true
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core import language

VOICES = ("questions", "curiosity", "metaphor")


@dataclass(frozen=True, slots=True)
class Words:
    """What one voice says at one stop."""

    title: str
    said: str
    attempt: str
    noticed: str
    limit: str


@dataclass(frozen=True, slots=True)
class Voice:
    """One voice all the way through. title: its name; lead: what kind of voice it is; stops: by name, in order."""

    title: str
    lead: str
    stops: dict[str, Words]


def voice(name: str) -> Voice:
    """A voice by the name of its file, in the visitor's language."""
    return _read(language.long_text(f"tour/{name}.toml"))


@cache
def _read(file: Path) -> Voice:
    read = tomllib.loads(file.read_text("utf-8"))
    stops = {
        stop: Words(said["title"], said["said"], said["try"], said["noticed"], said["limit"])
        for stop, said in read.items()
        if isinstance(said, dict)
    }
    return Voice(read["title"], read["lead"], stops)
