"""The lessons: the same seed gives the same text, every sum is right, and what the evaluation asks is never taught."""

from __future__ import annotations

import re
from random import Random

import pytest

from core.bundled.recipe.lessons import LESSONS
from core.experiments.shared.questions import facts, sums

_EQUATION = re.compile(r"\d+(?: ?\+ ?\d+)+ = \d+")


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_the_same_for_the_same_seed_and_another_for_another(name: str) -> None:
    first, again, other = ([LESSONS[name][0](rng) for _ in range(30)] for rng in (Random(5), Random(5), Random(6)))
    assert first == again
    assert first != other


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("exam", [False, True])
def test_a_lesson_is_plain_text_without_leftovers_of_its_grammar(name: str, exam: bool) -> None:
    rng = Random(11)
    for text in (LESSONS[name][0](rng, exam) for _ in range(300)):
        assert text == text.strip()
        assert text
        assert not re.search(r"[{}\[\]|]|  |\ba [aeio][a-z]+ing\b|[^.]\.\.(?!\.)|\s[.,!?](?!\.)", text), text


@pytest.mark.exhaustive
def test_the_training_text_never_tells_a_held_out_phrasing_of_a_fact() -> None:
    kept = {f"{before} {answer}" for _, before, answer in facts.held_out_facts()}
    rng = Random(3)
    taught = [facts.facts(rng) for _ in range(4000)]
    assert len(kept) > 150
    assert not [text for text in taught for secret in kept if secret in text]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["sum of three", "sum of two", "number"])
def test_every_equation_in_a_lesson_is_right(name: str) -> None:
    rng = Random(6)
    found = [equation for _ in range(500) for equation in _EQUATION.findall(LESSONS[name][0](rng))]
    assert len(found) > 50
    for equation in found:
        left, right = equation.split("=")
        assert sum(map(int, left.split("+"))) == int(right), equation


def test_a_thought_worked_by_hand() -> None:
    assert sums.thought(47, 38, 25) == (
        "Let us think step by step. First 47 + 38. Units: 7 + 8 = 15, write 5, carry 1. Tens: 4 + 3 + 1 = 8. "
        "So 47 + 38 = 85. Still to add: 25. "
        "Now 85 + 25. Units: 5 + 5 = 10, write 0, carry 1. Tens: 8 + 2 + 1 = 11. So 85 + 25 = 110. The answer is 110."
    )
