"""The form of a constraint as a Lark grammar: from choices, a JSON schema, a JSON example, a regular expression, or such a grammar.

A constraint is a text `kind:form`. Choices and JSON may begin with one space, because most tokens of a word contain the space before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from core.errors import BadSetting
from core.message import Message

MOST_CHOICES = 1_000
MOST_FORMATS = 20  # unknown formats of a JSON schema that are ignored
_VALUES = ("const", "enum", "default", "examples")  # of a schema: plain values, no schemas
_DEMANDS = frozenset(
    "type const enum anyOf oneOf allOf not $ref properties required patternProperties additionalProperties items prefixItems minLength "
    "maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems minProperties "
    "maxProperties propertyNames contains uniqueItems if then else dependentRequired dependentSchemas".split()
)
DEEPEST = 40  # open brackets at one place; llguidance ends the whole process when its stack is full
ONE_SPACE = "start: /[ ]?/ "
# Without it, llguidance allows one way alone to split a text that is certain into tokens. The last one of a grammar counts.
OPTIONS = '\n%llguidance {"no_forcing": true}\n'
BETWEEN = {"whitespace_pattern": "[ ]?|\\n[ ]{0,12}"}  # JSON would allow white space without end


@lru_cache(maxsize=64)
def lark_of(constraint: str) -> str:
    """Return the grammar of a constraint. Raises BadSetting if it cannot be read, with the line and the reason."""
    kind, _colon, text = constraint.partition(":")
    _check_nesting(text)
    read: dict[str, Callable[[str], str]] = {"choices": _choices, "schema": _schema, "regex": _regex}
    read["example"] = lambda text: _of_schema(schema_of(_json(text, Message("JSON example"))))
    grammar = (read[kind](text) if kind in read else text) + OPTIONS
    _check(kind, grammar)
    return grammar


def choices_of(text: str) -> list[str]:
    """Return the choices of a text: its lines, each once. Raises BadSetting for none or too many."""
    named = [line for line in dict.fromkeys(text.replace("\r", "").split("\n")) if line.strip()]
    if not named or len(named) > MOST_CHOICES:
        raise BadSetting("Choices are 1 to {most} texts, one in each line, not {count}.", most=MOST_CHOICES, count=len(named))
    return named


def _choices(text: str) -> str:
    named = choices_of(text)
    alternatives = " | ".join(json.dumps(choice, ensure_ascii=False) for choice in named)
    return f"start: CHOICE\nCHOICE: /[ ]?/ ({alternatives})"  # one terminal, because 1,000 alternatives of a rule would exceed `limits`


def _schema(text: str) -> str:
    schema = _unwrapped(_json(text, Message("JSON schema")))
    if not isinstance(schema, dict):
        raise BadSetting("A JSON schema is an object in braces.")
    _check_numbers(schema)
    return _of_schema(_without_unknown_formats(schema)[0])


def notes(constraint: str) -> tuple[Message, ...]:
    """Return what a usable constraint does not demand, or cannot, one sentence each. Raises BadSetting."""
    kind, _colon, text = constraint.partition(":")
    if kind != "schema":
        return ()
    schema = _unwrapped(_json(text, Message("JSON schema")))
    sentences = [
        Message("The format {name} is ignored, as JSON Schema says of unknown formats.", name=name)
        for name in _without_unknown_formats(schema)[1]
    ]
    if any("patternProperties" in part for part in _schemas(schema)):
        sentences.append(Message("patternProperties holds each name and value to its pattern, but a name can come twice."))
    if isinstance(schema, dict) and not schema.keys() & _DEMANDS:
        sentences.append(Message("This JSON schema demands nothing, so any JSON fulfils it."))
    return tuple(sentences)


def _unwrapped(schema: Any) -> Any:
    """Return the schema in OpenAI's wrapper {"name", "strict", "schema"}, as a whole response_format or text.format has it, too."""
    for name in ("response_format", "text", "format", "json_schema"):  # none of them holds an object in a schema
        inner = schema.get(name) if isinstance(schema, dict) else None
        if isinstance(inner, dict) and schema.keys() <= {name, "type"}:
            schema = inner
    wrapped = isinstance(schema, dict) and isinstance(schema.get("schema"), dict) and "name" in schema
    of_wrapper = {"name", "strict", "schema", "description"} | ({"type"} if wrapped and schema.get("type") == "json_schema" else set())
    return schema["schema"] if wrapped and schema.keys() <= of_wrapper else schema


def _schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects of a schema that are no plain values."""
    if isinstance(schema, dict):
        yield schema
        for name, part in schema.items():
            if name not in _VALUES:
                yield from _schemas(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _schemas(part)


def _check_numbers(schema: Any) -> None:
    """Raise BadSetting for a whole number that llguidance would write as another one, because it reads it as a float."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        waiting += part.values() if isinstance(part, dict) else part if isinstance(part, list) else []
        if type(part) is int and not -(2**63) <= part < 2**64:
            raise BadSetting("The JSON schema has a whole number beyond 64 bits, which would become another one. Write it as a pattern.")


def _without_unknown_formats(schema: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the schema without formats that llguidance does not know, and their names."""
    from llguidance import LLMatcher

    copied, ignored = json.loads(json.dumps(schema)), list[str]()
    while len(ignored) < MOST_FORMATS:
        failed, messages = LLMatcher.validate_grammar_with_warnings(_of_schema(copied) + OPTIONS, None, limits=limits())
        unknown = re.search(r"Unknown format: (.+?)\.?$", messages[0], re.MULTILINE) if failed else None
        here = [part for part in _schemas(copied) if unknown is not None and part.get("format") == unknown[1]]
        if unknown is None or not here:
            break
        ignored.append(unknown[1])
        for part in here:
            del part["format"]
    return copied, ignored


def _of_schema(schema: dict[str, Any]) -> str:
    return f"{ONE_SPACE}%json {json.dumps({'x-guidance': BETWEEN} | schema)}"


def _regex(text: str) -> str:
    from llguidance import regex_to_lark

    if (len(text) - len(text.rstrip("\\"))) % 2:  # llguidance would read the rest
        raise BadSetting("Regular expression, line 1, character {place}: {reason}.", place=len(text), reason=Message("incomplete escape"))
    return f"start: /{regex_to_lark(text, '')}/" if text else 'start: ""'


def _json(text: str, name: Message) -> Any:
    """Return the value of a JSON text. Raises BadSetting with the line and the reason."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        message = Message("{name}, line {line}, character {place}: {reason}.")
        raise BadSetting(message.with_values(name=name, line=error.lineno, place=error.colno, reason=error.msg)) from error
    except (ValueError, RecursionError) as error:  # a number with thousands of digits
        raise BadSetting("The {name} has a number or a nesting that is too large.", name=name) from error


def schema_of(example: Any) -> dict[str, Any]:
    """Return a JSON schema that this value fulfils: the same names, and values of the same types.

    >>> schema_of({"name": "Ann", "age": 3})["required"]
    ['name', 'age']
    """
    if isinstance(example, dict):
        properties = {name: schema_of(value) for name, value in example.items()}
        return {"type": "object", "properties": properties, "required": list(example), "additionalProperties": False}
    if isinstance(example, list):
        kinds = list({json.dumps(kind): kind for kind in map(schema_of, example)}.values())
        return {"type": "array"} | ({"items": kinds[0] if len(kinds) == 1 else {"anyOf": kinds}} if kinds else {})
    if example is None or isinstance(example, bool):
        return {"type": "null" if example is None else "boolean"}
    return {"type": "string" if isinstance(example, str) else "integer" if isinstance(example, int) else "number"}


def _check_nesting(text: str) -> None:
    """Raise BadSetting for a text with too many open brackets."""
    depth = 0
    for character in text:
        depth = depth + 1 if character in "([{" else max(0, depth - 1) if character in ")]}" else depth
        if depth > DEEPEST:
            raise BadSetting("The constraint opens more than {most} brackets inside each other. Simplify it.", most=DEEPEST)


def _check(kind: str, grammar: str) -> None:
    """Raise BadSetting with line and reason if llguidance cannot read the grammar."""
    from llguidance import LLMatcher

    failed, messages = LLMatcher.validate_grammar_with_warnings(grammar, None, limits=limits())
    if not failed:
        return
    message, position = messages[0], re.match(r"(?:at )?(\d+)\((\d+)\): ", messages[0])
    why = reason(message)
    if kind == "lark" and position:
        raise BadSetting("Grammar, line {line}: {reason}.", line=int(position[1]), reason=why)
    if kind == "regex":
        pointer = re.search(r"^    ( *)\^", message, re.MULTILINE)
        at = len(pointer[1]) + 1 if pointer else 1
        raise BadSetting("Regular expression, line 1, character {place}: {reason}.", place=at, reason=why)
    if "oneOf" in message and "coerce_one_of" in message:
        raise BadSetting("The JSON schema has a oneOf whose parts can both be fulfilled by one value. Write anyOf instead.")
    names = {"lark": Message("grammar"), "choices": Message("list of choices")}
    raise BadSetting("The {name} cannot be used: {reason}.", name=names.get(kind, Message("JSON schema")), reason=why)


def reason(message: str) -> str:
    """Return the reason in a message of llguidance, in one line."""
    lines = re.findall(r"^error: (.*)$", message, re.MULTILINE)
    first = lines[-1] if lines else re.sub(r"^(?:at )?\d+\(\d+\): ", "", message).partition("\n")[0]
    clean = "".join(c if c.isprintable() else " " for c in first.removeprefix("failed to compile JSON schema: ")).strip(" .")
    return clean if len(clean) <= 160 else f"{clean[:159]}…"


def limits() -> Any:
    """Return the limits of a grammar: at most about 5 ms for a byte of a token, 60 ms for a step's mask, and 60 MB of states.

    Without max_items_in_row an ambiguous grammar (`e: e e | "a"`) takes seconds for a token, because time grows with the cube of the text.
    """
    from llguidance import LLParserLimits

    return LLParserLimits(max_items_in_row=500, max_lexer_states=30_000, max_grammar_size=100_000, verbose_errors=False)
