"""A control of a page: results store its key and its values, in no language, and its words are looked up when a result is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from pages.ui.i18n import names, numbers
from pages.ui.i18n.translation import N_, _

# The values of a control in a file, which can come from a stranger. A text alone is that of an older file.
Value = str | int | Annotated[float, Field(allow_inf_nan=False)] | bool
Values = Annotated[tuple[Value, ...], Field(max_length=20), BeforeValidator(lambda held: (held,) if isinstance(held, str) else held)]


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else numbers.short(value)


@dataclass(frozen=True, slots=True)
class Control:
    """The words of a control. name: "the length". sentence: of its values, in their order: "{least} to {most} tokens".

    names: what values are called. text, number: how other values are written; they get values of a stranger's file. between: stands
    between values without a sentence. shown: False for a control that is compared and not shown, because its values are too long.
    """

    name: str
    sentence: str = ""
    names: Mapping[Any, str] = field(default_factory=dict)
    text: Callable[[str], str] = str
    number: Callable[[float], str] = _number
    between: str = " | "
    shown: bool = True

    def words(self, values: Sequence[Value]) -> str:
        """Return the values in the visitor's language.

        >>> Control("the lengths", "{least} to {most} tokens").words((4, 8))
        '4 to 8 tokens'
        """
        texts = [self._word(value) for value in values]
        fields = [name for _text, name, _spec, _conversion in Formatter().parse(self.sentence) if name]
        if len(fields) != len(texts) or not texts:
            return self.between.join(texts)
        return _(self.sentence).format(**dict(zip(fields, texts, strict=True)))

    def _word(self, value: Value) -> str:
        if value in self.names:
            return _(self.names[value])
        return self.text(value) if isinstance(value, str) else self.number(value)


TEXT = "text_before"  # the text of the token that a result explains
# Controls of several pages. Those of one page stand in its declaration.
COMMON = {
    "length": Control(N_("the length"), N_("{count} tokens")),
    "requests": Control(N_("the requests"), N_("{count} requests")),
    "seed": Control(N_("the seed"), N_("seed {seed}")),
    "text": Control(N_("the text")),
    "question": Control(N_("the question")),
    "eviction": Control(N_("what is done when it is full"), names=names.EVICTION),
    "drafted": Control(N_("the drafted tokens"), N_("{count} drafted tokens")),
    TEXT: Control(N_("the text before it"), shown=False),
}
