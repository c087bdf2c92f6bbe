"""Sampling settings: temperature, top-k, top-p, min-p, typical-p, repetition penalty, greedy, seed; checked, frozen, hashable."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass, fields
from typing import Any

from core.errors import BadSetting
from core.message import Message, Number

SMALLEST_DIVISOR = 0.001  # logits divided by less than this overflow float32
LARGEST_SEED = 2**53 - 1  # largest whole number that JSON and browsers keep exactly


@dataclass(frozen=True, slots=True, repr=False)
class SamplingSettings:
    """How the next token is chosen from the model's probabilities. 0 or 1.0 means off, as in transformers. NumPy numbers are accepted.

    >>> SamplingSettings(temperature=0.8, seed=7)
    SamplingSettings(temperature=0.8, seed=7)

    temperature: the logits are divided by it; below 1 likely tokens become likelier, above 1 unlikely ones do. 0.001 to 100.
    top_k: only the k likeliest tokens are kept; 0 is off.
    top_p: only the likeliest tokens that together reach this probability are kept; 1.0 is off.
    min_p: only tokens with at least this fraction of the likeliest token's probability are kept; 0.0 is off.
    typical_p: only tokens whose surprise is close to the expected one are kept, up to this probability; 1.0 is off.
    repetition_penalty: the logits of tokens already in the text are divided (or, below zero, multiplied) by it; 0.001 to 100, 1.0 is off.
    greedy: always take the likeliest token; of the other settings only the repetition penalty has an effect.
    seed: seed of the dice. The same seed gives the same rolls.

    Raises BadSetting for a value of the wrong kind or out of range.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    typical_p: float = 1.0
    repetition_penalty: float = 1.0
    greedy: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        self._number("temperature", SMALLEST_DIVISOR, 100.0)
        self._whole("top_k", 10_000_000)
        self._number("top_p", 0.0, 1.0, above=True)
        self._number("min_p", 0.0, 1.0)
        self._number("typical_p", 0.0, 1.0, above=True)
        self._number("repetition_penalty", SMALLEST_DIVISOR, 100.0)
        if not is_bool(self.greedy):
            raise BadSetting(Message("Greedy must be on or off, not {shown}.", shown=_shown(self.greedy)))
        object.__setattr__(self, "greedy", bool(self.greedy))
        self._whole("seed", LARGEST_SEED)

    @staticmethod
    def checked(value: Any) -> SamplingSettings:
        """Return this value if it is a SamplingSettings. Raises BadSetting otherwise."""
        if not isinstance(value, SamplingSettings):
            raise BadSetting(Message("Settings are SamplingSettings(temperature=0.8, ...), not {shown}.", shown=_shown(value)))
        return value

    def __repr__(self) -> str:
        changed = [f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if getattr(self, field.name) != field.default]
        return f"SamplingSettings({', '.join(changed)})"

    def _number(self, name: str, low: float, high: float, above: bool = False) -> None:
        value = getattr(self, name)
        if is_bool(value) or not isinstance(value, numbers.Real) or not _is_finite(value):
            raise BadSetting(Message("{label} must be a number, not {shown}.", label=_label(name), shown=_shown(value)))
        if not low <= float(value) <= high or (above and float(value) == low):
            hint = Message("To always take the likeliest token, switch Greedy on.") if name == "temperature" and value == 0 else ""
            said = (
                Message("{label} must be above {low} and at most {high}, not {shown}.")
                if above
                else Message("{label} must be at least {low} and at most {high}, not {shown}.")
            ).with_values(label=_label(name), low=Number(low, "g"), high=Number(high, "g"), shown=_shown(value))
            raise BadSetting(f"{said} {hint}".strip())
        object.__setattr__(self, name, float(value))

    def _whole(self, name: str, high: int) -> None:
        object.__setattr__(self, name, whole_number(getattr(self, name), _label(name), 0, high))

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain values by name, for a file or a URL."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def whole_number(value: Any, name: str, low: int, high: int | None = None) -> int:
    """Return the number as an int if it is whole and in range; name: its label in the error. Raises BadSetting."""
    if is_bool(value) or not isinstance(value, numbers.Integral):
        raise BadSetting(Message("{name} must be a whole number, not {shown}.", name=name, shown=_shown(value)))
    number = int(value)
    if number < low or (high is not None and number > high):
        said = (
            Message("{label} must be at least {low}, not {shown}.")
            if high is None
            else Message("{label} must be at least {low} and at most {high}, not {shown}.")
        )
        raise BadSetting(said.with_values(label=name, low=low, high=high or 0, shown=_shown(value)))
    return number


def is_bool(value: object) -> bool:
    """Return whether this is a bool of Python or NumPy, because bools count as numbers elsewhere."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")  # compares the name, so that NumPy need not be imported


def _label(name: str) -> str:
    return Message(name.replace("_", "-").capitalize() if name.endswith(("_k", "_p")) else name.replace("_", " ").capitalize())


def _is_finite(value: numbers.Real) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an int that is larger than any float
        return False


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write ints of thousands of digits
        return Message("a number with thousands of digits")
    return text if len(text) <= 40 else text[:37] + "..."
