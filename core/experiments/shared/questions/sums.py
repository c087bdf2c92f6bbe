"""Sums of two numbers at once, and of three two-digit numbers both ways: at once, or thinking step by step.

A thought writes one digit column at a time and repeats the number that is needed next ("Still to add: 25."), so that no step has to look
further back than a few words. Sums of two ask "How much is", sums of three ask "What is": two habits that must not be confused.
Held out are unordered pairs (two-digit) and triples: none of their orders is ever asked in the training text.
"""

from __future__ import annotations

from random import Random

from core.experiments.shared.questions.grammar import draw


def column_sum(a: int, b: int) -> str:
    """The sum of two numbers as it is done on paper: units, carry, tens.

    >>> column_sum(47, 38)
    'Units: 7 + 8 = 15, write 5, carry 1. Tens: 4 + 3 + 1 = 8. So 47 + 38 = 85.'
    """
    units = a % 10 + b % 10
    carry = units // 10
    tens = a // 10 + b // 10 + carry
    return (
        f"Units: {a % 10} + {b % 10} = {units}, write {units % 10}, carry {carry}. "
        f"Tens: {a // 10} + {b // 10} + {carry} = {tens}. So {a} + {b} = {a + b}."
    )


def question(a: int, b: int, c: int) -> str:
    """The question of three numbers, without any answer."""
    return f"Question: What is {a} + {b} + {c}?\n"


def thought(a: int, b: int, c: int) -> str:
    """The answer after thinking aloud: two column sums, what is still to add, the total."""
    first = a + b
    return (
        f"Let us think step by step. First {a} + {b}. {column_sum(a, b)} Still to add: {c}. "
        f"Now {first} + {c}. {column_sum(first, c)} The answer is {first + c}."
    )


def at_once(a: int, b: int, c: int) -> str:
    """The answer without thinking."""
    return f"Answer: {a + b + c}."


def carries_twice(*numbers: int) -> bool:
    """Whether the units alone make 20 or more, so that adding one number after the other carries twice.

    >>> carries_twice(47, 38, 25), carries_twice(47, 32, 25)
    (True, False)
    """
    return sum(number % 10 for number in numbers) >= 20


def triple(rng: Random, exam: bool = False, hard: bool = False) -> tuple[int, int, int]:
    """Three two-digit numbers, in any order, on the wanted side of the hold-out rule; `hard`: those that carry twice only."""

    def combination() -> tuple[int, ...]:
        while True:
            numbers = sorted(rng.randrange(10, 100) for _ in range(3))
            if not hard or carries_twice(*numbers):
                return tuple(numbers)

    numbers = list(draw(exam, combination))
    rng.shuffle(numbers)
    return numbers[0], numbers[1], numbers[2]


def pair(rng: Random, exam: bool = False) -> tuple[int, int]:
    """Two numbers below a hundred; one-digit pairs are always taught, for they are what everything else is made of."""
    if not exam and rng.random() < 0.3:
        return rng.randrange(0, 10), rng.randrange(0, 10)

    def combination() -> tuple[int, ...]:
        return tuple(sorted((rng.randrange(2, 100), rng.randrange(10, 100))))

    numbers = list(draw(exam, combination))
    rng.shuffle(numbers)
    return numbers[0], numbers[1]


def sum_of_three(rng: Random, exam: bool = False) -> str:
    """One question of three numbers, one in five answered at once and the others after thinking."""
    numbers = triple(rng, exam)
    return question(*numbers) + (at_once(*numbers) if rng.random() < 0.2 else thought(*numbers))


def sum_of_two(rng: Random, exam: bool = False) -> str:
    """One to four sums of two numbers, answered at once."""
    kind = rng.randrange(5)
    lines = []
    for _ in range(rng.choice([1, 1, 2, 3, 4, 6])):
        a, b = pair(rng, exam)
        if kind == 4 and exam:
            kind = 0
        if kind == 4:
            a, b = rng.randrange(0, 10), rng.randrange(0, 10)
        if kind == 0:
            lines.append(f"Question: How much is {a} + {b}?\nAnswer: {a + b}.")
        elif kind == 1:
            lines.append(f"{a} + {b} = {a + b}.")
        elif kind == 2:
            lines.append(f"{a} plus {b} is {a + b}.")
        elif kind == 4:
            lines.append(
                rng.choice(
                    [f"{a}+{b}={a + b}", f"What is {a} + {b}? {a} + {b} is {a + b}.", f"Question: What is {a} + {b}?\nAnswer: {a + b}."]
                )
            )
        else:
            lines.append(f"How much is {a} + {b}? {column_sum(a, b)}")
    return ("\n" if kind in (0, 4) or rng.random() < 0.3 else " ").join(lines)


_NAMES = ["Tom", "Mia", "Ben", "Anna", "Leo", "Nora", "Sam", "Ivy"]
