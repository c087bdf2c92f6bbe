"""The glossary: about sixty terms, read once from `pages/ui/i18n/languages/<language>/glossary.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pages.ui.i18n import translation


@dataclass(frozen=True, slots=True)
class Term:
    """title: the heading. names: words on pages that mean the term. text: two sentences. page: the path of a page that shows it."""

    key: str
    title: str
    names: tuple[str, ...]
    text: str
    page: str


def terms() -> tuple[Term, ...]:
    """Return all terms in the visitor's language, sorted by title."""
    return _read(translation.long_text("glossary.toml"))


@cache
def _read(file: Path) -> tuple[Term, ...]:
    written = tomllib.loads(file.read_text("utf-8"))
    definitions = [
        Term(key, entry["title"], (entry["title"].partition(" (")[0], *entry.get("names", ())), entry["text"], entry["page"])
        for key, entry in written.items()
    ]
    return tuple(sorted(definitions, key=lambda term: term.title.casefold()))
