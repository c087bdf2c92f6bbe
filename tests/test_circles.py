"""No circles: the imports between the modules of core and pages are walked, those inside functions, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.test_public_interfaces import ROOT, imported, sources

# The methods of a run and a step that write a report import it inside the method.
CIRCLES = {("core.generation.run_base", "core.reports.page"), ("core.generation.run_base", "core.reports.animation")}
CIRCLES |= {("core.generation.run_base", "core.reports.files"), ("core.record.step", "core.reports.files")}


def own_imports(node: ast.AST, known: dict[str, Path]) -> Iterator[str]:
    """Our modules that this code imports, inside functions, too, but not for type checkers alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        for full, _name in imported(child):
            yield from [name for name in (full, full.rpartition(".")[0]) if name in known][:1]
        yield from own_imports(child, known)


def circle(left: dict[str, set[str]]) -> list[str]:
    """The modules that are left when those that import none of the others are taken away, again and again."""
    left = dict(left)
    while free := {name for name, found in left.items() if not found & left.keys()}:
        left = {name: found for name, found in left.items() if name not in free}
    return sorted(left)


@cache
def graph() -> dict[str, set[str]]:
    """The imports between our modules, without the declared exceptions."""
    paths = [path.relative_to(ROOT) for path in sources() if path.relative_to(ROOT).parts[0] != "tests"]
    known = {".".join(path.with_suffix("").parts).removesuffix(".__init__"): ROOT / path for path in paths}
    found = {name: set(own_imports(ast.parse(path.read_text("utf-8")), known)) - {name} for name, path in known.items()}
    return {name: {other for other in others if (name, other) not in CIRCLES} for name, others in found.items()}


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(graph()) == []


def test_a_circle_is_noticed() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]
