"""What a link can hold: prompt, model, settings, seed, and the way that was taken. Links come from strangers, so all of it is checked."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any
from urllib.parse import urlencode

from core import SamplingSettings
from core.models.hub import LONGEST_NAME, is_hub_id
from core.record.step import Step
from pages.parts.session.sampling_controls import CONTROLS, START, Control

LONGEST_PROMPT = 20_000  # characters; what is longer is cut off
MOST_STEPS = 2_000
_TRUE, _FALSE = {"true", "1"}, {"false", "0"}

_ALPHABET = ascii_uppercase + ascii_lowercase + digits + "-_"  # base64's for addresses: none of them has to be escaped
_VALUES = {letter: value for value, letter in enumerate(_ALPHABET)}


@dataclass(frozen=True, slots=True)
class Rolled:
    """A step that was rolled, with the token that came up. attempt: which throw of its step it was."""

    token_id: int
    attempt: int = 0


ReplaySteps = list[int | Rolled | None]  # one entry per step: a token that was forced, or a roll; None: its token is not known


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
    return None if kind is None else RequestedModel(name, kind, dict(query))


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
    if name.lower().startswith(("http://", "https://")):
        return "server"
    return "folder" if re.match(r"[/~.\\]|[A-Za-z]:[\\/]", name) else None


def server_address(written: str) -> str:
    """The address of a server without the name and the password that may stand in it. Raises WrongServer."""
    from core.servers.http_client import Address

    return Address.parse(written).url


def format_steps(path: Sequence[Step]) -> str:
    """The way that was taken, token by token, short: `r2AAMCAsBIPL.f231.r1I` is three rolled steps, token 231 forced, and another roll.

    What was rolled is written with its token, since a roll that falls right beside a border may pick another one elsewhere: where the same
    text is read at once instead of token by token, sums differ in their last digit. `r` and a digit: so many letters per token.
    `a3` says that from here on the third further throws were taken, `a0` the first ones again.
    """
    parts: list[str] = []
    waiting: list[int] = []
    attempt = 0

    def flush() -> None:
        if waiting:
            width = max(map(_width, waiting))
            parts.append(f"r{width}{''.join(_letters(token_id, width) for token_id in waiting)}")
            waiting.clear()

    for step in path:
        if step.chosen_by == "forced":
            flush()
            parts.append(f"f{step.token_id}")
            continue
        if step.attempt != attempt:
            flush()
            attempt = step.attempt
            parts.append(f"a{attempt}")
        waiting.append(step.token_id)
    flush()
    return ".".join(parts)


def _width(token_id: int) -> int:
    return max(1, -(-token_id.bit_length() // 6))


def _letters(token_id: int, width: int) -> str:
    return "".join(_ALPHABET[token_id >> 6 * place & 63] for place in reversed(range(width)))


def parse_steps(text: str) -> ReplaySteps | None:
    """The inverse of `format_steps`; None if the text is no such thing or asks for too much.

    A bare number is as many rolled steps whose tokens are not known, as links had them that were made before tokens were written along.
    """
    steps: ReplaySteps = []
    attempt = 0
    for part in text.split("."):
        kind, rest = (part[0], part[1:]) if part[:1] in ("a", "f", "r") else ("", part)
        if kind == "r":
            found = _tokens(rest)
            if found is None:
                return None
            steps += [Rolled(token_id, attempt) for token_id in found]
        elif not (rest.isascii() and rest.isdigit()) or len(rest) > 9:
            return None
        elif kind == "a":
            attempt = int(rest)
        elif kind == "f":
            steps.append(int(rest))
        elif int(rest) > MOST_STEPS:
            return None
        else:
            steps += [None] * int(rest)
        if len(steps) > MOST_STEPS:
            return None
    return steps


def _tokens(packed: str) -> list[int] | None:
    """The token ids behind an `r`: their width, then that many letters each; None if it is no such thing."""
    width, letters = packed[:1], packed[1:]
    if width not in tuple("12345") or not letters or len(letters) % int(width) or not _VALUES.keys() >= set(letters):
        return None
    size, found = int(width), []
    for place in range(0, len(letters), size):
        value = 0
        for letter in letters[place : place + size]:
            value = value << 6 | _VALUES[letter]
        found.append(value)
    return found


def take(run: Any, entry: int | Rolled | None) -> Step:
    """Take one step of a link in this run (a Generation or a Replay). Raises what `step` and `force` raise."""
    made: Step
    if isinstance(entry, Rolled):
        made = run.step(entry.attempt, entry.token_id)
    else:
        made = run.step() if entry is None else run.force(entry)
    return made


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
