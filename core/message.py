"""Sentences for visitors: a template with its parameters, which reads as English and can be said in another language.

    Message("A draft has 1 to {most} tokens, not {value}.", most=8, value=9)

core knows no language. The template is the id of the sentence in the catalogues; `pages/ui/i18n` translates it and formats the numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its format specification. Plain numbers in a message are formatted with `,`.

    >>> str(Number(1234.5, ",.1f"))
    '1,234.5'
    """

    value: int | float
    spec: str = ","

    def __str__(self) -> str:
        return format(self.value, self.spec)


def number(value: float, spec: str = ",") -> str:
    """Return the number as English writes it."""
    return format(value, spec)


def percent(share: float) -> str:
    """Return a probability as text with two digits, three near 100 %. It is never rounded to 0 % or 100 %. NaN is a dash.

    >>> [percent(share) for share in (1.0, 0.9996, 0.123, 0.0123, 0.0003, 1e-9, 0.0)]
    ['100 %', '> 99.9 %', '12 %', '1.2 %', '0.03 %', '< 0.00001 %', '0 %']
    """
    value = share * 100
    if math.isnan(value):
        return "–"
    if value <= 0:
        return "0 %"
    if value < 0.00001:
        return "< 0.00001 %"
    if value >= 100:
        return "100 %"
    if value > 99.9:
        return "> 99.9 %"
    digits = 2 if value < 99.5 else 3
    places = max(0, digits - 1 - math.floor(math.log10(value)))
    text = f"{value:.{places}f}" if places else str(round(value))
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


class Message(str):
    """An English sentence that keeps its `template` and `parameters`. A parameter may be a text, a number or another message.

    >>> Message("{count} tokens of {name}", count=12345, name=quote("gpt2"))
    '12,345 tokens of “gpt2”'
    """

    __slots__ = ("parameters", "template")
    template: str
    parameters: dict[str, Any]

    def __new__(cls, template: str, /, **parameters: Any) -> Message:
        texts = {name: number(value) if type(value) in (int, float) else str(value) for name, value in parameters.items()}
        message = super().__new__(cls, template.format(**texts) if parameters else template)
        message.template, message.parameters = template, parameters
        return message

    def with_values(self, **parameters: Any) -> Message:
        """Return the message with these parameters in the same template."""
        return Message(self.template, **parameters)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Message, self.template, **self.parameters), ()


def quote(text: str) -> Message:
    """Return the text in quotation marks, which differ between languages."""
    return Message("“{text}”", text=text)


@dataclass(frozen=True, slots=True)
class Wording:
    """How a report writes: `say` translates a message, `figures` a number in English format (`12,345.6`). English by default."""

    say: Callable[[str], str] = str
    figures: Callable[[str], str] = str
    language: str = "en"


ENGLISH = Wording()
