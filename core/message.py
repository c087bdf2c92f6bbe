"""Sentences for visitors: a template with its parameters, which reads as English and can be said in another language.

    Message("A draft has 1 to {most} tokens, not {value}.", most=8, value=9)

core knows no language. The template is the id of the sentence in the catalogues; `pages/ui/i18n` translates it and formats the numbers.
"""

from __future__ import annotations

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


class Message(str):
    """An English sentence that keeps its `template` and `parameters`. A parameter may be a text, a number or another message.

    >>> Message("{count} tokens of {name}", count=12345, name=quote("gpt2"))
    '12,345 tokens of “gpt2”'
    """

    __slots__ = ("parameters", "template")
    template: str
    parameters: dict[str, Any]

    def __new__(cls, template: str, /, **parameters: Any) -> Message:
        shown = {name: number(value) if type(value) in (int, float) else str(value) for name, value in parameters.items()}
        message = super().__new__(cls, template.format(**shown) if parameters else template)
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
