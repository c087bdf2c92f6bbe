"""Convert observations of experiments to plain JSON and back, so that a result can be shown without a model.

Records are frozen dataclasses of plain values. A file names their classes, and the reader creates only classes in `CLASSES`. It checks
every field against its declared type. Each step is stored once in a separate table, even if several observations contain it.
"""

from __future__ import annotations

import math
import re
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from pydantic import ValidationError

from core.errors import BadRecording, ViewerError
from core.experiments.recorded_classes import CLASSES, REMOVED, RENAMED, RENAMED_FIELDS
from core.generation.step_file import StepFile, settings_of, step_file, step_of
from core.message import Message, Number
from core.record.step import Step, TokenDistribution
from core.tokens.tokens import Token, lone_token

DEEPEST = 40  # nested levels of values
_STRANGE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class RecordedWords:
    """The tokens of a recorded experiment, by id. end_token_ids: tokens that end a text."""

    def __init__(self, tokens: dict[int, Token], end_token_ids: frozenset[int]) -> None:
        self.tokens, self.end_token_ids = tokens, end_token_ids

    def token(self, token_id: int) -> Token:
        """Return the token of this id. Raises BadRecording for a token that is not in the file."""
        if token_id not in self.tokens:
            raise BadRecording("This recording does not contain token id {number}.", number=token_id)
        return self.tokens[token_id]


_FIELD = re.compile(r"\{([a-z_]+)\}")  # a message in a file has plain fields only: no attributes, indices or formats
_SPEC = re.compile(r",?(\.\d)?[fge%]?")


class Writer:
    """Converts values to JSON. steps, vocabularies: tables that are stored in the same file."""

    def __init__(self, classes: Mapping[str, type] | None = None) -> None:
        self.steps: list[Any] = []
        self.vocabularies: list[dict[str, Any]] = []
        self._known: dict[int, int] = {}
        self._words: dict[int, int] = {}
        self._kept: list[Any] = []  # keeps the objects alive, so that Python does not reuse an id()
        self._extra = {cls: name for name, cls in (classes or {}).items()}

    def write(self, value: Any) -> Any:
        """Return this value as JSON. Raises BadRecording for types that a file cannot contain, such as a model, tensor or function."""
        if isinstance(value, Message) and value.parameters:
            return {"message": [value.template, {name: self.write(one) for name, one in value.parameters.items()}]}
        if isinstance(value, Number):
            return {"number": [value.value, value.spec]}
        if value is None or (isinstance(value, bool | str | int) and not isinstance(value, Enum)):
            return value
        if isinstance(value, np.generic):
            return self.write(value.item())
        if isinstance(value, float):
            return float(f"{value:.9g}") if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, bytes):
            return {"bytes": value.hex()}
        if isinstance(value, TokenDistribution):
            return {"step": self._step(value)}
        if isinstance(value, list):
            return [self.write(one) for one in value]
        if isinstance(value, tuple):
            return {"tuple": [self.write(one) for one in value]}
        if isinstance(value, set | frozenset):
            return {"set": sorted(self.write(one) for one in value)}
        if isinstance(value, range):
            return {"range": [value.start, value.stop, value.step]}
        if isinstance(value, dict):
            return {"dict": [[self.write(key), self.write(one)] for key, one in value.items()]}
        name = self._extra.get(type(value), type(value).__name__)
        if name not in CLASSES and type(value) not in self._extra:
            raise BadRecording("This result contains a value that a file cannot store: {kind}.", kind=type(value).__name__[:40])
        if isinstance(value, Enum):
            return {"enum": [name, value.value]}
        return {"record": [name, {field.name: self.write(getattr(value, field.name)) for field in fields(value) if field.init}]}

    def _step(self, seen: TokenDistribution) -> int:
        known = self._known.get(id(seen))
        if known is None:
            known = self._known[id(seen)] = len(self.steps)
            self._kept.append(seen)
            words = self._vocabulary(seen)
            rolled = isinstance(seen, Step)
            given: dict[str, Any] = {"key": int(seen.token_ids[0]), "text": "", "chosen_by": "greedy", "roll": None, "attempt": 0}
            given |= {field.name: getattr(seen, field.name) for field in fields(seen)}
            whole = seen if isinstance(seen, Step) else Step(**given)
            self.steps.append([seen.index, seen.position, words, rolled, whole.text, step_file(whole, 0, "").model_dump(mode="json")])
        return known

    def _vocabulary(self, seen: TokenDistribution) -> int:
        source = seen.vocabulary
        place = self._words.get(id(source))
        if place is None:
            place = self._words[id(source)] = len(self.vocabularies)
            self._kept.append(source)
            self.vocabularies.append({"ends": sorted(getattr(source, "end_token_ids", ())), "tokens": {}})
        tokens = self.vocabularies[place]["tokens"]
        for i in map(int, seen.token_ids):
            if str(i) not in tokens:
                token = source.token(i)
                tokens[str(i)] = [token.raw.hex(), token.special]
        return place


class Reader:
    """Converts JSON back to values. Raises BadRecording for invalid content."""

    def __init__(self, steps: Any, vocabularies: Any, classes: Mapping[str, type] | None = None) -> None:
        self._extra = dict(classes or {})
        self._words = [_vocabulary(entry) for entry in _listed(vocabularies)]
        self._steps = [self._step(entry) for entry in _listed(steps)]

    def read(self, value: Any, depth: int = 0) -> Any:
        """Return the value that `Writer.write` converted."""
        if depth > DEEPEST:
            raise BadRecording("This recording is broken: it is nested too deeply.")
        if value is None or isinstance(value, bool | str | float):
            return value
        if isinstance(value, int):
            if abs(value) > 2**63:
                raise BadRecording("This recording is broken: it contains a number that is too large.")
            return value
        if isinstance(value, list):
            return [self.read(one, depth + 1) for one in value]
        if not isinstance(value, dict) or len(value) != 1:
            raise _broken()
        ((kind, held),) = value.items()
        if kind == "float" and isinstance(held, str) and held in _STRANGE:
            return _STRANGE[held]
        if kind == "bytes" and isinstance(held, str):
            return _bytes(held)
        if kind == "step" and isinstance(held, int) and 0 <= held < len(self._steps):
            return self._steps[held]
        if kind == "tuple":
            return tuple(self.read(one, depth + 1) for one in _listed(held))
        if kind == "set" and all(isinstance(one, str | int) for one in _listed(held)):
            return set(held)
        if kind == "range" and len(_listed(held)) == 3 and all(isinstance(i, int) and abs(i) < 2**31 for i in held) and held[2]:
            return range(*held)
        if kind == "dict":
            return self._dict(held, depth)
        if kind in ("message", "number") and len(_listed(held)) == 2:
            return self._message(held[0], held[1], depth) if kind == "message" else _number(held[0], held[1])
        if kind in ("record", "enum") and len(_listed(held)) == 2 and isinstance(held[0], str):
            cls, content = self._class(held[0]), held[1]
            if held[0] in REMOVED and isinstance(content, dict):
                content = {name: one for name, one in content.items() if name not in REMOVED[held[0]]}
            return self._record(cls, content, depth) if kind == "record" else self._enum(cls, content)
        raise _broken()

    def _message(self, template: Any, parameters: Any, depth: int) -> Message:
        if not isinstance(template, str) or not isinstance(parameters, dict):
            raise _broken()
        values = {name: self.read(value, depth + 1) for name, value in parameters.items()}
        if set(_FIELD.findall(template)) != set(values) or re.search(r"[{}]", _FIELD.sub("", template)):
            raise _broken()
        if not all(isinstance(value, str | int | float | Number) for value in values.values()):
            raise _broken()
        return Message(template, **values)

    def _dict(self, held: Any, depth: int) -> dict[Any, Any]:
        pairs = [(self.read(key, depth + 1), self.read(one, depth + 1)) for key, one in map(_pair, _listed(held))]
        try:
            return dict(pairs)
        except TypeError as error:
            raise _broken() from error

    def _class(self, name: str) -> type:
        if name in self._extra:
            return self._extra[name]
        name = RENAMED.get(name, name)
        if name not in CLASSES:
            raise BadRecording("This recording is broken or from another version of the app: it contains an unknown entry.")
        cls: type = getattr(import_module(CLASSES[name]), name)
        return cls

    def _enum(self, cls: type, value: Any) -> Any:
        try:
            return cls(value) if issubclass(cls, Enum) else _refuse()
        except (ValueError, TypeError) as error:
            raise _broken() from error

    def _record(self, cls: type, held: Any, depth: int) -> Any:
        if not is_dataclass(cls) or not isinstance(held, dict):
            raise _broken()
        held = _with_groups(held) if cls.__name__ == "ModelShape" else held
        held = {RENAMED_FIELDS.get((cls.__name__, name), name): value for name, value in held.items()}
        known = {field.name: field for field in fields(cls) if field.init}
        if not held.keys() <= known.keys():
            raise BadRecording("This recording is broken or from another version of the app: it contains an unknown entry.")
        missing = [n for n, f in known.items() if n not in held and f.default is MISSING and f.default_factory is MISSING]
        values = {name: self.read(one, depth + 1) for name, one in held.items()}
        declared = hints(cls)
        wrong = [name for name, one in values.items() if not fits(one, declared[name])]
        if missing or wrong:
            raise BadRecording("This recording is broken (at {kind} → {missing}).", kind=cls.__name__, missing=(missing + wrong)[0][:40])
        try:
            return cls(**values)
        except ViewerError as error:
            raise BadRecording("This recording is broken: {error}", error=error) from error
        except (TypeError, ValueError, ArithmeticError) as error:
            raise _broken() from error

    def _step(self, entry: Any) -> TokenDistribution:
        if not isinstance(entry, list) or len(entry) != 6:
            raise _broken()
        index, position, words, rolled, text, held = entry
        if not all(isinstance(n, int) and 0 <= n < 2**31 for n in (index, position, words)) or words >= len(self._words):
            raise _broken()
        if not isinstance(text, str) or not isinstance(rolled, bool):
            raise _broken()
        try:
            file = StepFile.model_validate(held)
            step = step_of(file, index, position, settings_of(file.settings), self._words[words], text)
        except (ValidationError, ViewerError) as error:
            raise BadRecording("This recording is broken: one of its steps contradicts itself.") from error
        for token_id in file.token_ids:
            self._words[words].token(token_id)
        return step if rolled else TokenDistribution(**{f.name: getattr(step, f.name) for f in fields(TokenDistribution)})


def _with_groups(shape: dict[str, Any]) -> dict[str, Any]:
    """Return a shape of an old file, whose layers had one size, with groups of layers."""
    if "attention" in shape:
        return shape
    shape = dict(shape)
    window = shape.pop("window", None)
    given = [shape.pop("attention_layers", 0), shape.pop("window_layers", 0)]
    given += [shape.get(name, 0) for name in ("key_size", "value_size", "kv_head_count", "head_count", "latent_size")]
    if not all(isinstance(number, int) for number in given):
        raise _broken()
    layers, windowed, key, value, kv_heads, heads, latent = map(int, given)
    kept, products = latent or kv_heads * (key + value), heads * (key + value)
    groups = [
        {"layer_count": count, "cached_numbers": kept, "pair_multiply_adds": products, "window": limit}
        for count, limit in ((windowed, window), (layers - windowed, None))
        if count
    ]
    return shape | {"attention": {"tuple": [{"record": ["AttentionLayers", group]} for group in groups]}}


def _vocabulary(entry: Any) -> RecordedWords:
    if not isinstance(entry, dict) or set(entry) != {"ends", "tokens"} or not isinstance(entry["tokens"], dict):
        raise _broken()
    try:
        tokens = {int(i): lone_token(int(i), bytes.fromhex(raw), bool(special)) for i, (raw, special) in entry["tokens"].items()}
        return RecordedWords(tokens, frozenset(map(int, entry["ends"])))
    except (TypeError, ValueError) as error:
        raise _broken() from error


@cache
def hints(cls: type) -> dict[str, Any]:
    """Return the declared types of a class's fields, including types that its module imports only for type checking."""
    names: dict[str, Any] = {"Step": Step, "TokenDistribution": TokenDistribution}
    while True:
        try:
            return get_type_hints(cls, localns=names)
        except NameError as error:
            if error.name in names or error.name not in CLASSES:
                raise
            names[error.name] = getattr(import_module(CLASSES[error.name]), error.name)


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value has its declared type, including all elements.

    >>> fits((1, 2.5), tuple[float, ...]), fits(("a",), tuple[float, ...]), fits(None, int | None)
    (True, False, True)
    """
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint is None or hint is type(None):
        return value is None
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(inner) == 2 and inner[1] is Ellipsis:
            return all(fits(one, inner[0]) for one in value)
        return len(value) == len(inner) and all(map(fits, value, inner))
    if origin is list or origin is Sequence:
        return isinstance(value, list | tuple) and all(fits(one, inner[0]) for one in value)
    if origin is set:
        return isinstance(value, set) and all(fits(one, inner[0]) for one in value)
    if origin is dict or origin is Mapping:
        return isinstance(value, dict) and all(fits(key, inner[0]) and fits(one, inner[1]) for key, one in value.items())
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(hint, type) and isinstance(value, hint)


def _number(value: Any, spec: Any) -> Number:
    if not isinstance(value, int | float) or not isinstance(spec, str) or not _SPEC.fullmatch(spec):
        raise _broken()
    return Number(value, spec)


def _bytes(held: str) -> bytes:
    try:
        return bytes.fromhex(held)
    except ValueError as error:
        raise _broken() from error


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _broken()
    return value


def _pair(value: Any) -> tuple[Any, Any]:
    if not isinstance(value, list) or len(value) != 2:
        raise _broken()
    return value[0], value[1]


def _broken() -> BadRecording:
    return BadRecording("This recording is broken.")


def _refuse() -> Any:
    raise _broken()
