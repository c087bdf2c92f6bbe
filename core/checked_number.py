"""Checks of numbers that a caller gives: whole and in range, finite, not a bool; and how an error shows another value."""

from __future__ import annotations

import math
import numbers
from typing import Any

from core.errors import BadSetting
from core.message import Message


def whole_number(value: Any, name: str, low: int, high: int | None = None) -> int:
    """Return the number as an int if it is whole and in range; name: its label in the error. Raises BadSetting."""
    if is_bool(value) or not isinstance(value, numbers.Integral):
        raise BadSetting("{name} must be a whole number, not {shown}.", name=name, shown=shown(value))
    number = int(value)
    if number < low or (high is not None and number > high):
        sentence = (
            Message("{label} must be at least {low}, not {shown}.")
            if high is None
            else Message("{label} must be at least {low} and at most {high}, not {shown}.")
        )
        raise BadSetting(sentence.with_values(label=name, low=low, high=high or 0, shown=shown(value)))
    return number


def is_bool(value: object) -> bool:
    """Return whether this is a bool of Python or NumPy, because bools count as numbers elsewhere."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")  # compares the name, so that NumPy need not be imported


def is_finite(value: numbers.Real) -> bool:
    """Return whether the number is finite as a float."""
    try:
        return math.isfinite(value)
    except OverflowError:  # an int that is larger than any float
        return False


def shown(value: object) -> str:
    """Return a value of a caller as an error shows it, at most 40 characters."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write ints of thousands of digits
        return Message("a number with thousands of digits")
    return text if len(text) <= 40 else text[:37] + "..."
