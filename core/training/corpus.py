"""Plain text for breadth: cut the files of a folder into documents of the size of a lesson.

In a file whose name begins with `tinystories`, a single line break parts two stories; everywhere else blank lines part paragraphs, and
neighbouring paragraphs are joined until a document is long enough. There are few stories and they come up often, so each time other
people live through them, in other words, and they are picked up in the middle: none is learned by heart, and how a text may begin is
left to the lessons.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from core.training.lessons.retell import vary
from core.training.lessons.words import BOYS, GIRLS

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
# Not for children: stories that end with somebody dead.
_DARK = re.compile(r"\b(die[sd]?|dead|death|dying|kill\w*|poison\w*|blood\w*|too late|gun|murder\w*|stab\w*|hate[ds]?|stupid|ugly)\b")
_GIRLS = """Lily Anna Mia Sara Lucy Molly Sarah Jane Lila Sue Jill Daisy Sally Mary Amy Jenny Emma Jen Grace Sophie Lulu Emily Ella Lola
Kate Rachel Polly Claire Annie Nora Rita Alice Bella Ruby Lilly Milly Millie Suzy Susie Linda Chloe Becky Betty Maisy""".split()
_BOYS = """Ben Tom Timmy Jack Tim Sam Max Bob John Tommy Joe Jimmy Billy Andy Benny James Jake Jim George Oliver Charlie Peter Henry Danny
Ted Leo Frank Thomas Bill Paul Mike Bruce Dave Freddy Gary Pete Tony Joey Josh Jerry""".split()
_NAMES = re.compile(rf"\b({'|'.join(_GIRLS + _BOYS)})\b")
# Where a story goes on, in words with which hardly anybody begins one.
_GOES_ON = re.compile(r"(?<=[.!?])\s+(?=(?:He|She|They|But|So|Then|When|And|After|Suddenly|It)\b)")
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
                    story.strip()
                    for story in _STORY_BREAK.split(text)
                    if len(story) > 200 and not _BROKEN_QUOTE.search(story) and not _DARK.search(story)
                ]
            else:
                self.prose += _documents(text)

    def __bool__(self) -> bool:
        return bool(self.stories or self.prose)

    def draw(self, rng: Random, stories: float = 0.7) -> str:
        """One document; `stories` is the share of the simple ones, which are told anew."""
        if self.stories and (rng.random() < stories or not self.prose):
            return _told_anew(rng, rng.choice(self.stories))
        return rng.choice(self.prose)


def _told_anew(rng: Random, story: str) -> str:
    """The story with other names, in other words, from some place in its first half on."""
    known = sorted(set(_NAMES.findall(story)))
    girls, boys = rng.sample(GIRLS, len(known)), rng.sample(BOYS, len(known))
    names = {name: (girls if name in _GIRLS else boys)[at] for at, name in enumerate(known)}
    starts = [found.end() for found in _GOES_ON.finditer(story, 0, len(story) // 2)]
    return vary(rng, _NAMES.sub(lambda found: names[found[1]], story[rng.choice(starts) if starts else 0 :]))


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
