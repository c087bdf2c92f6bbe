"""The glossary: some sixty terms, two sentences each, in `core/languages/<language>/glossary.toml`; read once."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core import language


@dataclass(frozen=True, slots=True)
class Term:
    """title: how it is listed. names: the words on a page that mean it. text: two sentences. page: the path of a page that shows it."""

    key: str
    title: str
    names: tuple[str, ...]
    text: str
    page: str


def terms() -> tuple[Term, ...]:
    """All terms in the visitor's language, in the order of their titles."""
    return _read(language.long_text("glossary.toml"))


@cache
def _read(file: Path) -> tuple[Term, ...]:
    written = tomllib.loads(file.read_text("utf-8"))
    found = [
        Term(key, one["title"], (one["title"].partition(" (")[0], *one.get("names", ())), one["text"], one["page"])
        for key, one in written.items()
    ]
    return tuple(sorted(found, key=lambda term: term.title.casefold()))
