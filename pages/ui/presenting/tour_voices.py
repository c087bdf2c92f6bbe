"""The tour's three voices. Each has a file `pages/ui/i18n/languages/<language>/tour/<voice>.toml` with one table per stop:

title   the heading
said    two or three sentences about what the stop shows
try     a task for the visitor
noticed what the visitor can notice, shown after the task
limit   where the comparison is not accurate
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pages.ui.i18n import translation

VOICES = ("questions", "curiosity", "metaphor")


@dataclass(frozen=True, slots=True)
class Words:
    """Texts of one voice at one stop."""

    title: str
    said: str
    attempt: str
    noticed: str
    limit: str


@dataclass(frozen=True, slots=True)
class Voice:
    """One voice. title: its name; lead: its description; stops: texts by stop, in order."""

    title: str
    lead: str
    stops: dict[str, Words]


def voice(name: str) -> Voice:
    """Return a voice in the visitor's language."""
    own, english = (
        _read(file) for file in (translation.long_text(f"tour/{name}.toml"), translation.FOLDER / translation.ENGLISH / f"tour/{name}.toml")
    )
    return replace(own, stops={stop: own.stops.get(stop, words) for stop, words in english.stops.items()})  # a missing stop stays English


@cache
def _read(file: Path) -> Voice:
    read = tomllib.loads(file.read_text("utf-8"))
    stops = {
        stop: Words(said["title"], said["said"], said["try"], said["noticed"], said["limit"])
        for stop, said in read.items()
        if isinstance(said, dict)
    }
    return Voice(read["title"], read["lead"], stops)
