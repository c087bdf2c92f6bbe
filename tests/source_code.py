"""The code of the project as the tests of its rules read it: parsed, once in each process."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


@cache
def parsed(pattern: str) -> dict[Path, ast.Module]:
    """Return the files of this pattern, parsed, by their paths from the root of the project."""
    return {path.relative_to(ROOT): ast.parse(path.read_text("utf-8")) for path in sorted(ROOT.glob(pattern))}


def name_of(call: ast.Call) -> str:
    """Return the last part of the called function's name, "" if the function is another expression."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def calls(node: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yield each call in this code with the last part of its function's name."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            yield name_of(inner), inner
