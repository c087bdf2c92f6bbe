"""Plain text for breadth: cut the files of a folder into documents of the size of a lesson.

In a file whose name begins with `tinystories`, a single line break parts two stories; everywhere else blank lines part paragraphs, and
neighbouring paragraphs are joined until a document is long enough.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

_LONG_ENOUGH = 700
# One spelling for the whole small world: the lessons write "colour".
_SPELLING = {
    "color": "colour",
    "Color": "Colour",
    "favorite": "favourite",
    "Favorite": "Favourite",
    "neighbor": "neighbour",
    " gray": " grey",
}
# Some stories of the sample lost their quotation marks to an encoding: aHello there!a
_BROKEN_QUOTE = re.compile(r"\ba[A-Z]|[.,!?]a\b")
_STORY_BREAK = re.compile(r"(?<!\n)\n(?!\n)")


class Corpus:
    """Documents to draw from: simple modern stories, and old-fashioned prose. An empty folder (or None) gives an empty corpus."""

    def __init__(self, folder: Path | None) -> None:
        self.stories: list[str] = []
        self.prose: list[str] = []
        for path in sorted(folder.glob("*.txt")) if folder else []:
            text = path.read_text(encoding="utf-8").replace("\r", "")
            for american, british in _SPELLING.items():
                text = text.replace(american, british)
            if path.name.startswith("tinystories"):
                self.stories += [
                    story.strip() for story in _STORY_BREAK.split(text) if len(story) > 200 and not _BROKEN_QUOTE.search(story)
                ]
            else:
                self.prose += _documents(text)

    def __bool__(self) -> bool:
        return bool(self.stories or self.prose)

    def draw(self, rng: Random, stories: float = 0.85) -> str:
        """One document; `stories` is the share of the simple ones."""
        shelf = self.stories if self.stories and (rng.random() < stories or not self.prose) else self.prose
        return rng.choice(shelf)


def _documents(text: str) -> list[str]:
    documents, current = [], ""
    for paragraph in re.split(r"\n\s*\n", text):
        paragraph = " ".join(paragraph.split())
        # Headings, lists of contents and ornaments teach nothing.
        if len(paragraph) < 40 or paragraph.isupper() or not re.search(r"[.!?\"']$", paragraph):
            continue
        current = f"{current}\n\n{paragraph}" if current else paragraph
        if len(current) > _LONG_ENOUGH:
            documents.append(current[:2400])
            current = ""
    return documents
