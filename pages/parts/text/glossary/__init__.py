"""The glossary: some sixty terms, two sentences each, one file per language beside this one; read once."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Term:
    """title: how it is listed. names: the words on a page that mean it. text: two sentences. page: the path of a page that shows it."""

    key: str
    title: str
    names: tuple[str, ...]
    text: str
    page: str


@cache
def terms(language: str = "en") -> tuple[Term, ...]:
    """All terms in this language, in the order of their titles. Raises FileNotFoundError for a language without a file."""
    with (HERE / f"{language}.toml").open("rb") as file:
        written = tomllib.load(file)
    found = [
        Term(key, one["title"], (one["title"].partition(" (")[0], *one.get("names", ())), one["text"], one["page"])
        for key, one in written.items()
    ]
    return tuple(sorted(found, key=lambda term: term.title.casefold()))
