"""Share link, written and parsed: prompt, model, settings, seed, steps. Links come from strangers, so all of it is checked."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from core import SamplingSettings
from core.errors import ViewerError
from core.models.hub import LONGEST_NAME, is_hub_id
from core.record.step import Step
from core.servers.address import Address, is_address
from pages.parts.session.sampling_controls import CONTROLS, START, Control

LONGEST_PROMPT = 20_000  # characters; what is longer is cut off
MOST_STEPS = 2_000
_TRUE, _FALSE = {"true", "1"}, {"false", "0"}

ReplaySteps = list[int | None]  # one entry per step: a token that was forced, or None for a roll


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


def format_steps(path: Sequence[Step]) -> str:
    """The way that was taken, short: `12` rolled steps, or `3.f231.8` with token 231 forced in between."""
    parts: list[str] = []
    rolled = 0
    for step in path:
        if step.chosen_by == "forced":
            parts += [str(rolled)] if rolled else []
            parts.append(f"f{step.token_id}")
            rolled = 0
        else:
            rolled += 1
    return ".".join([*parts, str(rolled)] if rolled else parts)


def parse_steps(text: str) -> ReplaySteps | None:
    """The inverse of `format_steps`; None if the text is no such thing or asks for too much."""
    steps: ReplaySteps = []
    for part in text.split("."):
        digits = part.removeprefix("f")
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
            return None
        if part.startswith("f"):
            steps.append(int(digits))
        elif int(digits) > MOST_STEPS:
            return None
        else:
            steps += [None] * int(digits)
        if len(steps) > MOST_STEPS:
            return None
    return steps


def query(prompt: str, model: str, settings: SamplingSettings, path: Sequence[Step], first_prompt: str, as_chat: bool = False) -> str:
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
    held["model"] = model
    if path:
        held["steps"] = format_steps(path)
    return urlencode(held)


def _short(text: str) -> str:
    clean = "".join(c if c.isprintable() and c not in "`*_[]<>$:\\@" else "?" for c in text).replace("www.", "www?")
    return f"“{clean if len(clean) <= 30 else clean[:29] + '…'}”"
