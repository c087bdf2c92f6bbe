"""Short lessons beside the told stories: facts, rows, chance, sums, yes or no, and recall.

A lesson is a function `(rng, exam) -> text`. With `exam=False` it never yields a combination that the hold-out rule (grammar.py)
keeps for the evaluation. With `exam=True` it yields only such combinations, where the lesson has any.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from core.bundled.recipe.lessons import chance, commitment, recall
from core.experiments.shared.questions import facts, sums

# Each lesson with its share of the documents (not tokens).
LESSONS: dict[str, tuple[Callable[..., str], float]] = {
    "facts": (facts.facts, 130),
    "rows": (facts.rows, 10),
    "chance": (chance.chance, 34),
    "sum of three": (sums.sum_of_three, 110),
    "sum of two": (sums.sum_of_two, 28),
    "is a": (commitment.is_a, 5),
    "debate": (commitment.debate, 5),
    "number": (commitment.number, 3),
    "drill": (recall.drill, 2),
    "echo": (recall.echo, 8),
    "recall": (recall.recall, 30),
}
_FUNCTIONS = [lesson for lesson, _ in LESSONS.values()]
_SHARES = [share for _, share in LESSONS.values()]


def document(rng: Random, exam: bool = False) -> str:
    """Return one lesson, drawn by its share."""
    return rng.choices(_FUNCTIONS, _SHARES)[0](rng, exam)
