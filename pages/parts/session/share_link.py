"""Share link, written and parsed: prompt, model, settings, seed, steps. Links come from strangers, so all of it is checked."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from core import SamplingSettings
from core.errors import ViewerError
from core.models.hub import LONGEST_NAME, is_hub_id
from core.record.step import Step
from core.servers.address import Address, is_address
from pages.parts.session.sampling_controls import CONTROLS, START, Control

LONGEST_PROMPT = 20_000  # characters; what is longer is cut off
MOST_STEPS = 2_000
LONGEST_STORED = 400_000  # characters of a text that comes back from the browser's storage
_TRUE, _FALSE = {"true", "1"}, {"false", "0"}

_LETTERS = dict(
    zip(
        "tkpmyrdg",
        ("temperature", "top_k", "top_p", "min_p", "typical_p", "repetition_penalty", "seed", "greedy"),
        strict=True,
    )
)


@dataclass(frozen=True, slots=True)
class Throw:
    """A roll that was thrown again: 1, 2, ... instead of the first throw of a step."""

    attempt: int


# One entry per step: a token that was forced, None for a roll, a later throw; and between them the settings that hold from there on.
ReplaySteps = list[int | Throw | SamplingSettings | None]


@dataclass(frozen=True, slots=True)
class RequestedModel:
    """A model that a link asks for and that did not come with the app ("hub", "folder" or "server"), and all that the link holds."""

    model: str
    kind: str
    query: Mapping[str, str]

    @property
    def address(self) -> str:
        """Of a server: where it is, without a name and a password that may stand before it. Raises WrongServer."""
        return server_address(self.model)


def requested_model(query: Mapping[str, str], models: Iterable[str]) -> RequestedModel | None:
    """What this link asks for beyond the models that came with the app, if anything."""
    name = query.get("model", "").strip()
    kind = None if name in models else kind_of_model(name)
    if kind == "server":
        name = _without_credentials(name)
    return None if kind is None else RequestedModel(name, kind, {**query, "model": name})


def _without_credentials(address: str) -> str:
    """The address with no name and no password in it, as it may stay on the page."""
    try:
        return server_address(address)
    except ViewerError:  # said where the server is asked for
        return re.sub(r"//[^/]*@", "//", address)


def value_of(control: Control, text: str) -> float | int | bool | None:
    """The value a link's text stands for, or None if it is impossible for this control."""
    if isinstance(control.start, bool):
        return True if text.lower() in _TRUE else False if text.lower() in _FALSE else None
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number) or not control.low <= number <= control.high:
        return None
    if isinstance(control.start, int):
        return int(number) if number == int(number) else None
    return number


def impossible(query: Mapping[str, str], models: Iterable[str]) -> list[str]:
    """Everything in a link that cannot be, as short texts a visitor may read: `temperature = banana`."""
    strange = [
        f"{control.label} = {_short(query[control.key])}"
        for control in CONTROLS
        if control.key in query and value_of(control, query[control.key]) is None
    ]
    if "model" in query and query["model"] not in models and kind_of_model(query["model"]) is None:
        strange.append(f"model = {_short(query['model'])}")
    if "steps" in query and parse_steps(query["steps"]) is None:
        strange.append(f"steps = {_short(query['steps'])}")
    return strange


def kind_of_model(name: str) -> str | None:
    """What a link means by a model that did not come with the app: "hub", "folder" or "server"; None if it can be none of them.

    Decided by how it is written alone: a link makes nobody look whether there is such a folder.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        return None
    if is_hub_id(name):
        return "hub"
    if is_address(name):
        return "server"
    return "folder" if re.match(r"[/~.\\]|[A-Za-z]:[\\/]", name) else None


def server_address(written: str) -> str:
    """The address of a server without the name and the password that may stand in it. Raises WrongServer."""
    return Address.parse(written).url


def format_steps(path: Sequence[Step], settings: SamplingSettings | None = None) -> str:
    """The way that was taken, short: `12` rolled steps, or `3.f231.8` with token 231 forced in between.

    settings: those of the link. A step that was made with others is preceded by them, `3.st1_2-k40.8`: temperature 1.2 and top-k 40, all
    else as usual. `a2` is a step at which the dice were thrown for the third time.
    """
    parts: list[str] = []
    rolled = 0
    for step in path:
        special = [f"s{_format_settings(step.settings)}"] if settings is not None and step.settings != settings else []
        if special:
            settings = step.settings
        if step.chosen_by == "forced":
            special.append(f"f{step.token_id}")
        elif getattr(step, "attempt", 0):
            special.append(f"a{step.attempt}")
        if special and rolled:
            parts.append(str(rolled))
            rolled = 0
        parts += special
        if not special or special[-1].startswith("s"):
            rolled += 1
    return ".".join([*parts, str(rolled)] if rolled else parts)


def _format_settings(settings: SamplingSettings) -> str:
    """What differs from the usual settings, in letters and digits."""
    turned = []
    for letter, name in _LETTERS.items():
        value = getattr(settings, name)
        if value != getattr(START, name):
            turned.append(f"{letter}{f'{float(value):g}' if isinstance(value, float) else int(value)}".replace(".", "_"))
    return "-".join(turned)


def _parse_settings(text: str) -> SamplingSettings | None:
    """The inverse of `_format_settings`; None if the text is no such thing."""
    values = START.as_dict()
    for part in filter(None, text.split("-")):
        control = next((one for one in CONTROLS if one.key == _LETTERS.get(part[0])), None)
        value = None if control is None or len(part) > 20 else value_of(control, part[1:].replace("_", "."))
        if control is None or value is None:
            return None
        values[control.key] = value
    return SamplingSettings(**values)


def parse_steps(text: str) -> ReplaySteps | None:
    """The inverse of `format_steps`; None if the text is no such thing or asks for too much."""
    steps: ReplaySteps = []
    for part in text.split("."):
        if part.startswith("s"):
            settings = _parse_settings(part[1:])
            if settings is None or len(steps) >= MOST_STEPS:
                return None
            steps.append(settings)
            continue
        digits = part[1:] if part[:1] in ("f", "a") else part
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
            return None
        if part.startswith("f"):
            steps.append(int(digits))
        elif part.startswith("a"):
            steps.append(Throw(int(digits)))
        elif int(digits) > MOST_STEPS:
            return None
        else:
            steps += [None] * int(digits)
        if len(steps) > MOST_STEPS:
            return None
    return steps


def query(
    prompt: str,
    model: str,
    settings: SamplingSettings,
    path: Sequence[Step],
    first_prompt: str,
    as_chat: bool = False,
    usual_model: str = "",
) -> str:
    """The part of a link behind the question mark. What is as usual is left out.

    The order is the one that streamlit writes: another one would make it write the address again, and the way back would be longer by one.
    """
    held: dict[str, str] = {}
    for control in CONTROLS:
        value = getattr(settings, control.key)
        if value != getattr(START, control.key):
            held[control.key] = str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
    if as_chat:
        held["as_chat"] = "true"
    if prompt != first_prompt:
        held["prompt"] = prompt
    if model != usual_model:
        held["model"] = model
    if path:
        held["steps"] = format_steps(path[:MOST_STEPS], settings)
    return encoded(held)


def encoded(held: Mapping[str, str]) -> str:
    """A link's values as they stand behind the question mark."""
    return urlencode(held)


def decoded(text: str) -> dict[str, str]:
    """The inverse of `encoded`, of a text that may be anything; empty if it is no such thing."""
    try:
        return dict(parse_qsl(text[:LONGEST_STORED], max_num_fields=50))
    except ValueError:
        return {}


def _short(text: str) -> str:
    clean = "".join(c if c.isprintable() and c not in "`*_[]<>$:\\@" else "?" for c in text).replace("www.", "www?")
    return f"“{clean if len(clean) <= 30 else clean[:29] + '…'}”"
