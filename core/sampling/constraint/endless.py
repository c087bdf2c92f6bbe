"""Whether a grammar can end: which of its rules always contain themselves again. llguidance accepts such rules.

Only the structure counts. Strings, regular expressions and syntax that this parser does not know count as able to end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

SCHEMA = "%json"
_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|\#[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*"i?|/(?!/)(?:\\.|[^/\\\n])+/[imslux]*|<[^>\n]*>|@[\w-]+)
    |(?P<directive>%\w+)|(?P<name>[?!]?[A-Za-z_][\w-]*)|(?P<number>\d+)|(?P<mark>::|->|\.\.|[^\s])|(?P<line>\n)""",
    re.VERBOSE,
)
Token = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Either:
    """One of these parts is enough."""

    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Every:
    """All of these parts are needed."""

    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """An inline JSON schema."""

    schema: Any


Expression = Any  # Either, Every, Schema, the name of a rule, or True for what can end


def endless_rule(grammar: str) -> str:
    """Return the first rule that always contains itself, SCHEMA for a JSON schema that does, "" if all can end."""
    try:
        rules = _rules(list(_tokens(grammar)))
        for schema in _schemas(list(rules.values())):
            if not schema_ends(schema):
                return SCHEMA
    except (RecursionError, IndexError, ValueError):  # syntax that llguidance has read and this parser does not know
        return ""
    ends: set[str] = set()
    waiting, count = list(rules), -1
    while len(ends) != count:  # in alternating directions, because most rules are defined before or after those that they need
        count = len(ends)
        waiting.reverse()
        for name in waiting:
            if name not in ends and _ends(rules[name], ends, rules):
                ends.add(name)
    return next((name for name in rules if name not in ends and name in _needed(name, rules)), "")


def _needed(name: str, rules: dict[str, Expression]) -> set[str]:
    """Return the rules to which this one leads."""
    needed: set[str] = set()
    waiting: list[Expression] = [rules[name]]
    while waiting:
        rule = waiting.pop()
        if isinstance(rule, Either | Every):
            waiting += rule.parts
        elif isinstance(rule, str) and rule in rules and rule not in needed:
            needed.add(rule)
            waiting.append(rules[rule])
    return needed


def _ends(rule: Expression, ending: set[str], rules: dict[str, Expression]) -> bool:
    if isinstance(rule, Either):
        return any(_ends(part, ending, rules) for part in rule.parts)
    if isinstance(rule, Every):
        return all(_ends(part, ending, rules) for part in rule.parts)
    return rule in ending or rule not in rules if isinstance(rule, str) else True


def _tokens(grammar: str) -> Iterator[Token]:
    """Yield (kind, text) of each token; a JSON value after a directive is one token "json"."""
    position = 0
    while match := _TOKEN.search(grammar, position):
        position = match.end()
        kind = str(match.lastgroup)
        if kind == "comment":
            continue
        yield kind, match.group()
        if kind == "directive" and match.group() in ("%json", "%regex", "%llguidance"):
            begin = len(grammar) - len(grammar[position:].lstrip())
            _value, position = json.JSONDecoder().raw_decode(grammar, begin)
            yield "json", grammar[begin:position]


def _rules(tokens: list[Token]) -> dict[str, Expression]:
    """Return the expression of each rule by name."""
    starts = [(start, body) for start in range(len(tokens)) if (body := _body_after(tokens, start))]
    rules = {}
    for number, (start, body) in enumerate(starts):
        end = starts[number + 1][0] if number + 1 < len(starts) else len(tokens)
        rules[tokens[start][1].lstrip("?!")] = _Parser(_without_statements(tokens[body:end])).either()
    return rules


def _body_after(tokens: list[Token], start: int) -> int:
    """Return the index of the body of a rule that begins at this token; 0 if none does."""
    if tokens[start][0] != "name" or (start and tokens[start - 1][0] != "line"):
        return 0
    after = start + 1
    while after < len(tokens) and tokens[after][0] != "line":
        if tokens[after][1] == ":":
            return after + 1
        after += 1
    return 0


def _without_statements(tokens: list[Token]) -> list[Token]:
    """Return the tokens of a body without lines and without the directives that follow it."""
    for index, (kind, text) in enumerate(tokens):
        if kind == "directive" and text not in ("%json", "%regex", "%lark") and (index == 0 or tokens[index - 1][0] == "line"):
            tokens = tokens[:index]
            break
    return [token for token in tokens if token[0] != "line"]


class _Parser:
    """Parses the tokens of one body."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens, self._at = tokens, 0

    def _next(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _take(self) -> Token:
        self._at += 1
        return self._tokens[self._at - 1]

    def either(self) -> Expression:
        ways = [self._every()]
        while self._next() == "|":
            self._take()
            ways.append(self._every())
        return ways[0] if len(ways) == 1 else Either(tuple(ways))

    def _every(self) -> Expression:
        parts = []
        while self._next() not in ("", "|", ")", "]"):
            parts.append(self._part())
        return Every(tuple(parts))

    def _part(self) -> Expression:
        kind, text = self._take()
        part: Expression = True
        if text in ("(", "["):
            part = self.either()
            self._take()
            part = True if text == "[" else part
        elif kind == "name":
            part = text.lstrip("?!")
        elif text == SCHEMA:
            part = Schema(json.loads(self._take()[1]))
        elif text == "->":
            self._take()
        return self._repeated(part)

    def _repeated(self, part: Expression) -> Expression:
        while self._next() in ("*", "?", "+", "{", "~"):
            mark = self._take()[1]
            if mark == "{":
                part = True if self._next() in ("0", ",") else part
                while self._take()[1] != "}":
                    pass
            elif mark == "~":
                if self._next().isdigit():
                    part = True if self._take()[1] == "0" else part
            elif mark != "+":
                part = True
        return part


def _schemas(rules: list[Expression]) -> Iterator[Any]:
    for rule in rules:
        if isinstance(rule, Schema):
            yield rule.schema
        elif isinstance(rule, Either | Every):
            yield from _schemas(list(rule.parts))


def schema_ends(schema: Any) -> bool:
    """Return whether some value that ends can fulfil this JSON schema, by its types, required parts and references alone.

    >>> schema_ends({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]})
    False
    """
    ending: set[str] = set()
    while True:
        fulfilled = {ref for ref in _references(schema) if _fulfilled(_target(schema, ref), ending)}
        if fulfilled == ending:
            return _fulfilled(schema, ending)
        ending = fulfilled


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for value in part.values():
            yield from _references(value)
    elif isinstance(part, list):
        for value in part:
            yield from _references(value)


def _target(schema: Any, reference: str) -> Any:
    """Return the part of a schema to which a reference like #/$defs/node leads; True if it is not in it."""
    part = schema
    for name in reference.removeprefix("#").strip("/").split("/") if reference not in ("#", "") else ():
        name = name.replace("~1", "/").replace("~0", "~")
        part = part.get(name, True) if isinstance(part, dict) else True
    return part if reference.startswith("#") else True


def _fulfilled(schema: Any, ending: set[str]) -> bool:
    if not isinstance(schema, dict):
        return schema is not False
    groups = [schema[name] for name in ("anyOf", "oneOf") if isinstance(schema.get(name), list)]
    needed = schema["allOf"] if isinstance(schema.get("allOf"), list) else []
    if isinstance(schema.get("$ref"), str) and schema["$ref"] not in ending:
        return False
    if not all(_fulfilled(part, ending) for part in needed) or not all(
        any(_fulfilled(option, ending) for option in group) for group in groups
    ):
        return False
    kinds = schema.get("type", "any")
    return any(_value_ends(str(kind), schema, ending) for kind in (kinds if isinstance(kinds, list) else [kinds]))


def _value_ends(kind: str, schema: dict[str, Any], ending: set[str]) -> bool:
    if kind == "object":
        properties, required = schema.get("properties", {}), schema.get("required", [])
        return all(_fulfilled(properties.get(name, True), ending) for name in required if isinstance(name, str))
    if kind == "array" and isinstance(schema.get("minItems", 0), int):
        first, least = schema.get("prefixItems", []), schema.get("minItems", 0)
        own = [*first[:least], *[schema.get("items", True)] * (least > len(first))]
        return all(_fulfilled(item, ending) for item in own)
    return True
