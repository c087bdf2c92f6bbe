"""The stops of the tour in order, and their texts in each voice.

Each of the three voices has a file `pages/ui/i18n/languages/<language>/tour/<voice>.toml` with one table per stop:

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

from pages.ui import features
from pages.ui.i18n import spoken_language, translation

VOICES = ("questions", "curiosity", "metaphor")
# The stops in order, each with the page that shows more. A stop whose page is not here is left out.
_STOPS: dict[str, str] = {
    "send": "watch",
    "pieces": "inside",
    "meaning": "inside",
    "layers": "inside",
    "odds": "watch",
    "why": "why",
    "dice": "watch",
    "loop": "watch",
    "notepad": "cache",
    "full": "memory",
    "many": "batching",
    "guess": "speculative",
    "price": "cost",
    "aloud": "think",
    "back": "what_if",
}
STOPS = {stop: page for stop, page in _STOPS.items() if page in features.paths()}
ORDER = tuple(STOPS)


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
    translated, english = (
        _read(file)
        for file in (translation.long_text(f"tour/{name}.toml"), spoken_language.FOLDER / spoken_language.ENGLISH / f"tour/{name}.toml")
    )
    stops = {stop: translated.stops.get(stop, words) for stop, words in english.stops.items()}  # a missing stop stays English
    return replace(translated, stops=stops)


@cache
def _read(file: Path) -> Voice:
    read = tomllib.loads(file.read_text("utf-8"))
    stops = {
        stop: Words(words["title"], words["said"], words["try"], words["noticed"], words["limit"])
        for stop, words in read.items()
        if isinstance(words, dict)
    }
    return Voice(read["title"], read["lead"], stops)
