"""The lessons: endless training text from grammars of the project's own, one kind of lesson per file.

A lesson is a function `(rng, exam) -> text`. With `exam=False` it never yields a combination that the hold-out rule (grammar.py)
keeps for the examination; with `exam=True` it yields nothing else, where the lesson has such combinations.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

from core.experiments.questions import facts, sums
from core.training.lessons import chance, commitment, openings, opinions, recall, wishes

Lesson = Callable[..., str]

LESSONS: dict[str, Lesson] = {
    "facts": facts.facts,
    "rows": facts.rows,
    "chance": chance.chance,
    "sum of three": sums.sum_of_three,
    "sum of two": sums.sum_of_two,
    "word problem": sums.word_problem,
    "is a": commitment.is_a,
    "debate": commitment.debate,
    "number": commitment.number,
    "opinion": opinions.opinion,
    "recall": recall.recall,
    "pairs": recall.pairs,
    "moved": recall.moved,
    "echo": recall.echo,
    "shopping": recall.shopping,
    "drill": recall.drill,
    "opening": openings.opening,
    "poem": wishes.poem,
    "asked": wishes.asked,
    "rhyme": openings.rhyme,
    "joke": openings.joke,
}
# How often each lesson is drawn (documents, not tokens; a story is ten times as long as a fact): while the model is young, and later.
EARLY = {
    "facts": 14, "rows": 3, "chance": 6, "sum of three": 6, "sum of two": 10, "word problem": 1, "is a": 3, "debate": 2,
    "number": 0.5, "opinion": 1, "recall": 22, "pairs": 8, "moved": 5, "echo": 18, "shopping": 5, "drill": 12, "opening": 18, "poem": 1, "asked": 3,
    "rhyme": 1, "joke": 1,
}  # fmt: skip
LATER = {
    "facts": 130, "rows": 10, "chance": 34, "sum of three": 22, "sum of two": 28, "word problem": 2, "is a": 5, "debate": 5,
    "number": 3, "opinion": 18, "recall": 30, "pairs": 12, "moved": 6, "echo": 8, "shopping": 6, "drill": 2, "opening": 70, "poem": 2, "asked": 8,
    "rhyme": 3, "joke": 3,
}  # fmt: skip


def document(rng: Random, exam: bool = False, early: bool = False) -> str:
    """One lesson, drawn by its share."""
    shares = EARLY if early else LATER
    return LESSONS[rng.choices(list(shares), list(shares.values()))[0]](rng, exam)


def fingerprint() -> str:
    """Eight digits that change with any of these files: a training that was stopped and goes on says by them which lessons it teaches."""
    here = Path(__file__).parent
    crc = 0
    for path in sorted(here.rglob("*.py")):
        crc = zlib.crc32(path.read_bytes(), zlib.crc32(path.relative_to(here).as_posix().encode(), crc))
    return f"{crc:08x}"
