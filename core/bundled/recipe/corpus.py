"""Real prose: a folder of plain text files, cut into documents that fit into a training row, without the books of the evaluation.

In a file whose name begins with `tinystories` a single line break separates two stories. In every other file blank lines separate the
parts, and line breaks the paragraphs. `books/list.tsv` names the books of each author and how long they are. A piece is a simple modern
story ("simple"), or paragraphs of an older tale or novel ("older") in which every word is one of its most frequent 6,000: a small model
that reads rare words learns to spell words that do not exist, and hurtful ones.

Held out for the evaluation: the two books of `HELD_OUT_BOOKS`, and the sixty storybooks with the smallest checksums.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from core.bundled.recipe.hurtful_words import hurtful
from core.experiments.shared.questions.words import read

_TEXTS = read(Path(__file__).with_suffix(".toml"))
HELD_OUT_BOOKS = _TEXTS["held_out_books"]
HELD_OUT_STORYBOOKS = 60
_COMMON = 6000  # words
_SHORTEST = 120  # characters
# Some stories of the sample lost their quotation marks to an encoding: aHello there!a
_BROKEN_QUOTE = re.compile(r"\ba[A-Z]|[.,!?]a\b")
# Not for children: simple stories that end with somebody dead.
_DARK = re.compile(r"\b(die[sd]?|dead|death|dying|blood\w*|too late)\b")
# What a printer put before the tale.
_PRINTED = re.compile(
    r"rights reserved|copyright|published|transcribed|university press|author of|illustrat|gutenberg|e-text|chapter|\[|_|https?:",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z']+")
_STORY_BREAK = re.compile(r"(?<!\n)\n(?!\n)")


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive prose. whole: it ends where its story ends."""

    text: str
    whole: bool = False


class Corpus:
    """Prose by kind (`pieces`), and `held_out`: title to prose for the evaluation. Without a folder both are empty."""

    def __init__(self, folder: Path | None) -> None:
        self.pieces: dict[str, list[Piece]] = {"simple": [], "older": []}
        self.held_out: dict[str, list[str]] = {}
        for path in sorted(folder.rglob("*.txt")) if folder else []:
            text = path.read_text(encoding="utf-8").replace("\r", "")
            self.pieces["simple" if path.stem.startswith(tuple(_TEXTS["simple"])) else "older"] += self._read(path, text)
        self.pieces["older"] = list(_in_common_words(self.pieces["older"]))

    def _read(self, path: Path, text: str) -> Iterator[Piece]:
        if path.stem.startswith("tinystories"):
            for story in _STORY_BREAK.split(_british(text)):
                if len(story) > 200 and not _BROKEN_QUOTE.search(story) and not _DARK.search(story) and not hurtful(story):
                    yield Piece(story.strip(), whole=True)
        elif path.stem == "storybooks":
            stories = [" ".join(story.split()) for story in re.split(r"\n\s*\n", _british(text)) if story.strip()]
            held_out = set(sorted(stories, key=lambda story: zlib.crc32(story.encode()))[:HELD_OUT_STORYBOOKS])
            self.held_out["storybooks"] = [story for story in stories if story in held_out]
            for story in stories:
                if story not in held_out and not hurtful(story):
                    yield Piece(story, whole=True)
        else:
            for title, book in _books(path, text):
                if title in HELD_OUT_BOOKS:
                    self.held_out[title] = list(_prose(book, sieve=False))
                elif title not in _TEXTS["left_out"]:
                    yield from (Piece(prose) for prose in _prose(book))


def _british(text: str) -> str:
    for american, british in _TEXTS["spelling"].items():
        text = text.replace(american, british)
    return text


def _books(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """The books of one file, if `list.tsv` beside it says where they begin; else the file is one book of its own name."""
    list_file = path.with_name("list.tsv")
    rows = [row.split("\t") for row in list_file.read_text(encoding="utf-8").splitlines()] if list_file.exists() else []
    at = 0
    for author, title, characters in rows:
        if author.split(",")[0].lower() == path.stem:
            yield title, text[at : at + int(characters)]
            at += int(characters) + 2
    if at < len(text):
        yield path.stem, text[at:]


def _prose(book: str, sieve: bool = True) -> Iterator[str]:
    """Runs of consecutive paragraphs without headings, front matter and (with the sieve) hurtful words, which part two runs."""
    run: list[str] = []
    for piece in re.split(r"\n\s*\n", _british(book)):
        for paragraph in [*(" ".join(line.split()) for line in piece.split("\n")), ""]:
            fit = re.search(r"[.!?,:;\"'-]$", paragraph) and not paragraph.isupper() and not _PRINTED.search(paragraph)
            if fit and not (sieve and hurtful(paragraph)):
                run.append(paragraph)
            elif run:
                if len("\n\n".join(run)) >= _SHORTEST:
                    yield "\n\n".join(run)
                run = []


def _in_common_words(pieces: list[Piece]) -> Iterator[Piece]:
    """Runs of consecutive paragraphs without a rare word."""
    words = Counter(word for piece in pieces for word in _WORD.findall(piece.text.lower()))
    common = dict(words.most_common(_COMMON)).keys()
    for piece in pieces:
        for fit, run in groupby(piece.text.split("\n\n"), lambda paragraph: common >= set(_WORD.findall(paragraph.lower()))):
            if fit and len(text := "\n\n".join(run)) >= _SHORTEST:
                yield Piece(text)
