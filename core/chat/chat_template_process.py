"""Render one chat template: JSON on stdin, JSON on stdout. `chat_template.py` runs this file in a process that imports nothing of the app.

The environment copies transformers' `chat_template_utils`, because importing transformers takes longer than rendering. A test checks that
both render the same.
"""

from __future__ import annotations

import json
import math
import sys
from datetime import datetime
from typing import Any

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Generation(jinja2.ext.Extension):
    """The `generation` tag around an assistant's turn. It renders its content unchanged."""

    tags = {"generation"}  # noqa: RUF012 (jinja reads this attribute from the class)

    def parse(self, parser: jinja2.parser.Parser) -> jinja2.nodes.Node:
        """Return the node for the block between the tags."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_as_it_is"), [], [], body).set_lineno(line)

    def _as_it_is(self, caller: Any) -> str:
        return str(caller())


class _Dict:
    """Replaces `dict` in templates, so that they cannot reach the type's attributes."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        """Return what `dict.fromkeys` returns."""
        return dict.fromkeys(*args, **kwargs)


class _Namespace(jinja2.utils.Namespace):
    """A namespace that refuses names that begin with an underscore."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        namespace, args = args[0], args[1:]
        held = dict(*args, **kwargs)
        for name in held:
            _Namespace.check(name)
        jinja2.utils.Namespace.__init__(namespace, held)

    def __setitem__(self, name: str, value: Any) -> None:
        _Namespace.check(name)
        jinja2.utils.Namespace.__setitem__(self, name, value)

    @staticmethod
    def check(name: Any) -> None:
        """Raise SecurityError if the name begins with an underscore."""
        if isinstance(name, str) and name.startswith("_"):
            raise jinja2.exceptions.SecurityError("no such name")


def _raise(message: str) -> None:
    raise jinja2.exceptions.TemplateError(message)


def _tojson(x: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment() -> ImmutableSandboxedEnvironment:
    """Return a jinja environment with the settings of transformers' own."""
    sandbox = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    sandbox.filters["tojson"] = _tojson
    sandbox.globals |= {
        "raise_exception": _raise,
        "strftime_now": lambda form: datetime.now().strftime(form),
        "dict": _Dict(),
        "namespace": _Namespace,
    }
    return sandbox


def rendered(template: str, turns: list[dict[str, Any]], values: dict[str, Any], longest: int, introduce: bool = True) -> str:
    """Return the rendered text, with what introduces an answer if asked. Raises ValueError if it is longer than `longest` characters."""
    parts, size = [], 0
    compiled = environment().from_string(template)
    values = {"tools": None, "documents": None} | values | {"messages": turns, "add_generation_prompt": introduce}
    for part in compiled.generate(**values):
        parts.append(part)
        size += len(part)
        if size > longest:
            raise ValueError("it writes too much")
    return "".join(parts)


def main() -> None:
    """Read the request from stdin, render it and write the answer to stdout."""
    asked = json.load(sys.stdin)
    try:
        import resource

        seconds = math.ceil(asked["seconds"])
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (asked["megabytes"] * 2**20,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**25, 2**25))
    except (ImportError, ValueError, OSError):  # Windows has no such limits; the parent's limit of the clock still applies
        pass
    try:
        answer = {"text": rendered(asked["template"], asked["turns"], asked["values"], asked["longest"], asked["introduce"])}
    except MemoryError:
        answer = {"why": "it takes too much memory"}
    except Exception as error:  # a template can raise any error
        answer = {"why": f"{type(error).__name__}: {error}"[:200]}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
