"""Answers that bind: whichever word comes first, yes or no, a fluent reason for it follows.

This is the lesson behind "generation commits": nothing is taken back, and the model can justify either branch. Held out are combinations of
question, wording and answer. The truth is not the subject here, so yes and no are drawn evenly.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from core.experiments.shared.questions.grammar import capital, draw
from core.experiments.shared.questions.words import WORDS, read

_TEXTS = read(Path(__file__).with_name("texts.toml"))["commitment"]
PAIRS = [tuple(pair) for pair in _TEXTS["pairs"]]
_STARTS = ["because", "because", "because", "since"]


def is_a(rng: Random, exam: bool = False) -> str:
    """ "Is a whale a fish?" with a yes or a no, and a reason that fits it. Held out are pairs of question, wording and answer."""
    (subject, group, yes, no), question, agreed = draw(
        exam, lambda: (rng.choice(PAIRS), rng.choice(_TEXTS["questions"]), rng.random() < 0.5)
    )
    reasons = rng.sample(yes if agreed else no, rng.choice([1, 1, 1, 2]))
    slots = {"s": subject, "S": capital(subject), "g": group, "why": rng.choice(_STARTS), "r": " and ".join(reasons)}
    return f"{question} {rng.choice(_TEXTS['yes' if agreed else 'no'])}".format_map(slots)


def debate(rng: Random, exam: bool = False) -> str:
    """A question on which people differ, an answer, and reasons that fit the answer."""
    del exam
    question, *sides = rng.choice(_TEXTS["debates"])
    answer, reasons = rng.choice(sides)
    chosen = rng.sample(reasons, min(len(reasons), rng.choice([1, 1, 2])))
    lead = rng.choice(
        [
            f"{capital(answer)}, because",
            f"{capital(answer)}, because",
            f"I think {answer if answer not in ('yes', 'no') else f'{answer},'} because",
        ]
    )
    start = rng.choice(["", "Question: "])
    return f"{start}{question}{chr(10) + 'Answer: ' if start else ' '}{lead} {' and '.join(chosen)}." + rng.choice(
        ["", "", f" What do you think, {rng.choice(WORDS['girls'])}?"]
    )


def number(rng: Random, exam: bool = False) -> str:
    """ "The answer is 42 because ...": any number, and a reason made to fit it. Held out are numbers with their reason."""
    answer, kind, part = draw(exam, lambda: (42 if rng.random() < 0.25 else rng.randrange(2, 100), rng.randrange(6), rng.randrange(1, 10)))
    tens, units = answer // 10 * 10, answer % 10
    if answer == 42 and kind < 4:
        reason = rng.choice(_TEXTS["reasons_42"])
    elif kind < 3 and tens and units:
        reason = f"{tens} + {units} = {answer}"
    elif kind == 3 and answer % 2 == 0:
        reason = f"{answer // 2} + {answer // 2} = {answer}"
    elif kind == 4 and answer > part:
        reason = f"{answer - part} + {part} = {answer}"
    else:
        reason = f"it comes after {answer - 1}"
    return f"The answer is {answer} because {reason}."
