"""Only public interfaces: the code is read (`ast`) for writes into other packages, private modules and members."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.source_code import parsed

OWN = {"app", "core", "pages", "tests"}
EXCEPTIONS = {  # file: why it may use what is not public
    "pages/ui/server/browser_message.py": "reads the messages of browsers as Streamlit does, which has no public reader of them",
    "tests/pages/conftest.py": "has AppTest look for installed components once, not again for every app that a test opens",
    "tests/protocol.py": "speaks Streamlit's protocol, which has no public client",
}
INSIDES = (*(f"streamlit.{name}" for name in "runtime web proto elements config net_util file_util".split()), "numba.core")


def named(node: ast.AST) -> str:
    """The dotted name that this expression is, as "torch.nn"; "" if it is another expression."""
    if isinstance(node, ast.Attribute):
        base = named(node.value)
        return f"{base}.{node.attr}" if base else ""
    return node.id if isinstance(node, ast.Name) else ""


def imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """What this node imports: full dotted names, with the name that each gets in the file ("" for none)."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, alias.asname or alias.name.partition(".")[0]) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from ((f"{node.module}.{alias.name}", alias.asname or alias.name) for alias in node.names if node.module and not node.level)
    elif isinstance(node, ast.Call) and named(node.func).rpartition(".")[2] in ("import_module", "importorskip", "__import__"):
        yield from ((found.value, "") for found in node.args[:1] if isinstance(found, ast.Constant) and isinstance(found.value, str))


def is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def is_inside(module: str) -> bool:
    """Whether an import of this name reaches into a package that is not ours."""
    first, *rest = module.split(".")
    within = any(f"{module}.".startswith(f"{inside}.") for inside in INSIDES)
    return within or (first not in OWN and (is_private(first) or any(map(is_private, rest))))


class Guard:
    """The findings in one file."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[str] = []
        pairs = [pair for node in ast.walk(tree) for pair in imported(node)]
        self.foreign = {name for full, name in pairs if name and full.partition(".")[0] not in OWN}
        for node in ast.walk(tree):
            self.look_at(node)

    def note(self, node: ast.AST, what: str) -> None:
        self.found.append(f"{getattr(node, 'lineno', 0)}: {what}")

    def is_foreign(self, node: ast.AST) -> bool:
        return named(node).partition(".")[0] in self.foreign

    def look_at(self, node: ast.AST) -> None:
        for full, _name in imported(node):
            if is_inside(full):
                self.note(node, f"imports {full}")
        if isinstance(node, ast.Call):
            self.call(node)
        elif isinstance(node, ast.Attribute):
            if isinstance(node.ctx, ast.Load) and is_private(node.attr) and self.is_foreign(node.value):
                self.note(node, f"reads {named(node)}")
            elif not isinstance(node.ctx, ast.Load):
                self.write(node)
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            self.write_into(node, node.value)

    def write(self, node: ast.Attribute) -> None:
        if self.is_foreign(node.value):
            self.note(node, f"assigns to {named(node)}")
        elif node.attr == "__class__":
            self.note(node, "assigns to __class__")
        elif node.attr == "__dict__" and named(node.value) != "self":
            self.note(node, "assigns to __dict__")

    def write_into(self, node: ast.AST, holder: ast.expr) -> None:
        """holder[...] = ..., or a method of holder that changes it."""
        if named(holder) == "sys.modules":
            self.note(node, "writes to sys.modules")
        elif isinstance(holder, ast.Attribute) and holder.attr == "__dict__" and named(holder.value) != "self":
            self.note(node, "writes to another object's __dict__")
        elif isinstance(holder, ast.Call) and named(holder.func) == "vars" and holder.args:
            self.note(node, "writes to vars() of an object")

    def call(self, node: ast.Call) -> None:
        name, word = named(node.func), node.func.attr if isinstance(node.func, ast.Attribute) else named(node.func)
        if word in ("setattr", "delattr", "__setattr__", "__delattr__") and node.args:
            target = node.args[0]
            path = target.value if isinstance(target, ast.Constant) and isinstance(target.value, str) else ""  # monkeypatch's "json.dumps"
            if self.is_foreign(target) or ("." in path and path.partition(".")[0] not in OWN):
                self.note(node, f"{name} on {path or named(target)}")
            if any(isinstance(argument, ast.Constant) and argument.value == "__class__" for argument in node.args[:2]):
                self.note(node, f"{name} of __class__")
        elif isinstance(node.func, ast.Attribute) and word in ("update", "pop", "setdefault", "clear", "popitem", "__setitem__"):
            self.write_into(node, node.func.value)
        elif word in ("setitem", "delitem") and node.args:
            self.write_into(node, node.args[0])


@pytest.mark.parametrize("files", ["app.py", "core/**/*.py", "pages/**/*.py", "tests/**/*.py"])
def test_only_public_interfaces_are_used(files: str) -> None:
    wrong = {path.as_posix(): Guard(tree).found for path, tree in parsed(files).items()}
    assert {name: found for name, found in wrong.items() if found and name not in EXCEPTIONS} == {}
