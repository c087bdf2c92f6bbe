"""What a row of the settings table is: a setting's name, range, control, words, the stage that it switches on, its names in engines."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from core.checked_number import is_bool, is_finite, shown, whole_number
from core.errors import BadSetting
from core.message import Message, Number

ENGINES: Final = ("transformers", "llama.cpp", "vllm")


@dataclass(frozen=True, slots=True)
class Stage:
    """The stage of sampling that a setting switches on.

    name: in orders and records, and on pages; a `Message`, unless the row's `short` is the same. kind: greedy replaces the kinds
    "temperature", "cut-off" and "mirostat"; mirostat replaces "cut-off"; "repetition" reads the text so far. `stage_orders.py` says where
    it stands in the order of each engine. heading: what it does, above its bars.
    excludes_only: it changes no logit of the tokens that it keeps. processor: the class of transformers that computes it; "" if a file of
    `core/sampling/samplers` does. in_llama_cpp: its name in llama.cpp's list of samplers.
    """

    name: str
    kind: Literal["bias", "repetition", "constraint", "temperature", "cut-off", "mirostat", "watermark"]
    heading: str
    excludes_only: bool = False
    processor: str = ""
    in_llama_cpp: str = ""


@dataclass(frozen=True, slots=True)
class TextForm:
    """How a setting that is no number is written in fields and links. read: raises ValueError for another text. example: of a text."""

    read: Callable[[str], Any]
    write: Callable[[Any], str] = str
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One sampling setting.

    name: in `SamplingSettings`, links and files. off: the value that switches it off, whose type is the setting's. label, short: its name
    alone and in a sentence. low, high: the range that is accepted; above: the low end is not. control: low, high and step of its control.
    help: what it does, in one sentence. effect: what one value does.
    check: returns a valid value of a setting that is no number. choices: its values with their words, if they are a few names.
    text: how it is written, if it is neither a number nor one of choices.
    of: the setting that this one belongs to; it has no effect while that one is off. where: in the sidebar at once ("sight"), in the
    sidebar behind More, or in the dialog of all samplers; group: there. term: its definition in the glossary. letter: in lists of steps.
    stage: what it switches on. engines: its name in each engine that has it; without any, a setting that belongs to no other one is the
    app's own. sent: what an engine is sent for a value that it expects in another form, None for nothing. A text is sent only so.
    """

    off: Any
    label: str
    short: str
    help: str
    name: str = ""
    low: float = 0
    high: float = 0
    above: bool = False
    control: tuple[float, float, float] = (0, 0, 0)
    effect: Callable[[float], str] = lambda value: ""
    check: Callable[[Any], Any] | None = None
    choices: Mapping[str, str] = field(default_factory=dict)
    text: TextForm | None = None
    of: str = ""
    where: Literal["sight", "sidebar", "dialog"] = "dialog"
    group: str = ""
    term: str = ""
    letter: str = ""
    stage: Stage | None = None
    engines: Mapping[str, str] = field(default_factory=dict)
    sent: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)

    def checked(self, value: Any) -> Any:
        """Return the value as a plain one of Python. Raises BadSetting for a value of the wrong kind or out of range."""
        if self.check is not None:
            return self.check(value)
        if self.choices:
            if not isinstance(value, str) or value not in self.choices:
                names = ", ".join(name or '""' for name in self.choices)
                raise BadSetting("{label} must be one of {names}, not {shown}.", label=self.label, names=names, shown=shown(value))
            return value
        if isinstance(self.off, bool):
            if not is_bool(value):
                raise BadSetting("{label} must be on or off, not {shown}.", label=self.label, shown=shown(value))
            return bool(value)
        if isinstance(self.off, int):
            return whole_number(value, self.label, int(self.low), int(self.high))
        return self._number(value)

    def _number(self, value: Any) -> float:
        if is_bool(value) or not isinstance(value, numbers.Real) or not is_finite(value):
            raise BadSetting("{label} must be a number, not {shown}.", label=self.label, shown=shown(value))
        if not self.low <= float(value) <= self.high or (self.above and float(value) == self.low):
            sentence = (
                Message("{label} must be above {low} and at most {high}, not {shown}.")
                if self.above
                else Message("{label} must be at least {low} and at most {high}, not {shown}.")
            ).with_values(label=self.label, low=Number(self.low, "g"), high=Number(self.high, "g"), shown=shown(value))
            if self.name != "temperature" or value != 0:
                raise BadSetting(sentence)
            hint = Message("To always take the likeliest token, switch Greedy on.")
            raise BadSetting("{sentence} {hint}", sentence=sentence, hint=hint)
        return float(value)

    @property
    def is_text(self) -> bool:
        """Whether fields and links hold it as a text."""
        return self.text is not None or bool(self.choices)

    def parse(self, text: str) -> Any:
        """Return the valid value of the text of a setting that is no number. Raises BadSetting or ValueError."""
        return self.checked(text if self.text is None else self.text.read(text))

    def written(self, value: Any) -> Any:
        """Return the value as fields and links have it: a text for a setting that is no number."""
        return value if self.text is None else self.text.write(value)
