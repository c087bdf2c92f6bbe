"""Find the answer in a text: which part it is, where it ends, and whether two answers are equal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

# A minus belongs to a number only without a word before it: "10-5" contains 10 and 5, not -5.
NUMBER = re.compile(r"(?:(?<![\w)])[-\u2212])?\d+(?:[.,]\d+)*")
_GROUPED = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?")
_WORD = re.compile(r"\w+")
_DIGIT, _DECIMAL, _LETTER = 1, 2, 4  # what a token begins with: a digit; a point or comma and a digit; anything that makes a word longer


def is_number(answer: str) -> bool:
    """Return whether this answer is a number, with or without commas between its thousands."""
    return NUMBER.fullmatch(answer.strip()) is not None


def normal(answer: str) -> str:
    """Return the normal form of an answer: no commas between thousands, no zeros without meaning, lower case.

    >>> normal("1,000"), normal(" 24.0 "), normal("Yes"), normal("\u22127")
    ('1000', '24', 'yes', '-7')
    """
    text = answer.strip().casefold().replace("\u2212", "-")
    plain = text.replace(",", "") if _GROUPED.fullmatch(text) else text
    if not _PLAIN.fullmatch(plain):
        return text
    integer, _, fraction = plain.lstrip("-").partition(".")
    fraction = fraction.rstrip("0")
    number = (integer.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
    return f"-{number}" if plain.startswith("-") and number != "0" else number


def same_answer(given: str | None, answer: str) -> bool:
    """Return whether `given` is the right answer: both have the same normal form."""
    return given is not None and normal(given) == normal(answer)


def spellings(answer: str) -> tuple[str, ...]:
    """Return the usual spellings of an answer: a whole number from 1000 on with and without commas, any other answer unchanged.

    >>> spellings("1000"), spellings("24")
    (('1000', '1,000'), ('24',))
    """
    plain = normal(answer) if is_number(answer) else answer
    if re.fullmatch(r"-?\d{4,}", plain):
        return plain, f"{int(plain):,}"
    return (answer.strip(),)


def first_answer(text: str, like: str = "") -> str | None:
    """Return the answer at the start of a text: its first number or, without one, its first words, as many as in `like`; else None.

    >>> first_answer(" It is 24, I think"), first_answer(" under the red pot.", like="under the pot")
    ('24', 'under the red')
    """
    number = NUMBER.search(text)
    if number and (not like or is_number(like)):
        return number.group()
    words = re.search(rf"\w+(?:\W+\w+){{0,{max(0, len(like.split()) - 1)}}}", text)
    return words.group() if words else None


def answer_of(text: str) -> str:
    """Return the final answer of a text: its last number or, without numbers, its first word in lower case; "" without words.

    >>> answer_of(" 4 + 3 = 7. The answer is 85."), answer_of(" Yes, because it swims."), answer_of(": 10-5")
    ('85', 'yes', '5')
    """
    numbers = NUMBER.findall(text)
    if numbers:
        return str(numbers[-1])
    word = _WORD.search(text)
    return word.group().lower() if word else ""


def goes_on(answer: str, following: str) -> bool | None:
    """Return whether the text `following` an answer makes the answer longer; None if it is too short to decide.

    >>> goes_on("24", "0"), goes_on("24", ". So"), goes_on("24", "."), goes_on("24", ".5"), goes_on("ye", "s")
    (True, False, None, True, True)
    """
    if not following:
        return None
    if not answer[-1:].isdigit():
        return _WORD.match(following) is not None
    if following[0] not in ".,":
        return following[0].isdigit()
    return None if len(following) == 1 else following[1].isdigit()


def is_complete(text: str, like: str) -> bool:
    """Return whether the answer at the start of a text is complete, so that later text cannot change it."""
    answer = first_answer(text, like)
    number = is_number(like)
    if answer is None or (number and not NUMBER.fullmatch(answer)):  # a number can come until the end of the sentence or line
        return number and _ends_a_sentence(text)
    return goes_on(answer, text[text.index(answer) + len(answer) :]) is False


def _ends_a_sentence(text: str) -> bool:
    """Return whether a sentence with a word, or a line with one, ends in this text."""
    *lines, last = text.split("\n")
    word = re.search(r"\w", last)
    return any(map(re.compile(r"\w").search, lines)) or (word is not None and re.search(r"[.!?]\s", last[word.end() :]) is not None)


def ends_here(model: LanguageModel, probabilities: np.ndarray, answer: str, following: str = "") -> float:
    """Return the probability [0, 1] that the answer is complete: that the next token, with these probabilities [vocabulary], does not
    make it longer."""
    beginnings = _BEGINNINGS.get(model)
    if beginnings is None or len(beginnings) != len(probabilities):
        beginnings = _BEGINNINGS[model] = np.array([_beginning(model, i) for i in range(len(probabilities))], dtype=np.uint8)
    number = answer[-1:].isdigit()
    longer = (_DIGIT if following else _DIGIT | _DECIMAL) if number else _DIGIT | _LETTER
    return float(max(0.0, 1.0 - probabilities[(beginnings & longer) > 0].sum()))


_BEGINNINGS: WeakKeyDictionary[LanguageModel, np.ndarray] = WeakKeyDictionary()


def _beginning(model: LanguageModel, token_id: int) -> int:
    token = model.token(token_id)
    if token.special or not token.raw:
        return 0
    text = token.raw.decode("utf-8", "replace")
    if text[0].isdigit():
        return _DIGIT
    if text[0] in ".,":
        return _DECIMAL if text[1:2].isdigit() else 0
    return _LETTER if _WORD.match(text) or text[0] == "\ufffd" else 0  # incomplete bytes continue a letter
