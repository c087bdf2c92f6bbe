"""No regular expression of the app takes more than linear time, whatever text it reads: the code is read (`ast`), each pattern is timed.

A pattern in quadratic time is a way to stop the app: 40,000 characters of a link or of an opened file held the interpreter for minutes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from tests.source_code import ROOT, parsed

UNUSED = "core/bundled/recipe"  # makes the bundled models; the app does not import it (`test_project.py`)
FUNCTIONS = ("match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn")

# Patterns that are made of what a function is given, as the longest of them can be, by file.
MADE = {
    "core/experiments/shared/answer_in_text.py": r"\w+(?:\W+\w+){0,9}",
    "core/experiments/waiting/streamed_or_buffered.py": r"(?<!\w)(?:a|aa|a\ a)(?!\w)",
    "core/models/adapter.py": r"(.*\.)?(a.b)$",
    "core/models/bundled_models.py": r"A\ model\ (?P<a>[\d.]+)\ million,\ (?P<b>[\d.]+)\ more",
    "core/models/gguf/hub_file.py": r"(?:.*[-._])?Q4_K_M",
    "core/sources/ngram/ngram.py": (
        r"(?>\r\n|[\r\n])\s*[\r\n]| ?\w+(?:(?![\x00-\u02ff])[\u0301\u200d]+\w*)*(?:['’-]\w+(?:(?![\x00-\u02ff])[\u0301\u200d]+\w*)*)*"
        r"| ?--+| ?[^\w\s](?:(?![\x00-\u02ff])(?:[\u0301]|\u200d[^\w\s]))*|\r\n|\s"
    ),
}

PROBE = 3000  # characters
SUSPICIOUS = 0.0004  # seconds for PROBE characters: a linear pattern takes 0.0001, a quadratic one 0.0006 to 0.1
MEASURED = 3  # times that a pattern must look steep: on a busy machine one measurement can
STEEPEST = 9.0  # growth of the time for four times the length: linear 4, quadratic 16


class Use(NamedTuple):
    """A regular expression where it is used. function: of `re`."""

    place: str
    pattern: str | bytes
    flags: int
    function: str

    def run(self, text: str) -> float:
        """Return the seconds of the processor that reading `text` takes."""
        subject: Any = text.encode() if isinstance(self.pattern, bytes) else text
        read = getattr(re.compile(self.pattern, self.flags), self.function)
        arguments = (subject[:0], subject) if self.function.startswith("sub") else (subject,)
        start = process_time()
        result = read(*arguments)
        if self.function == "finditer":
            for _match in result:
                pass
        return process_time() - start


def sources() -> Iterator[tuple[Path, ast.Module]]:
    """Yield the files of the app with their code."""
    found = parsed("core/**/*.py") | parsed("pages/**/*.py")
    yield from ((path, tree) for path, tree in found.items() if UNUSED not in path.as_posix())


def calls_of_re(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls of functions of `re` that take a pattern."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=function)) if function in (*FUNCTIONS, "compile"):
                yield function, node


def value(node: ast.AST, path: Path) -> Any:
    """Return the value of an expression in its module."""
    module = import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))
    return eval(compile(ast.Expression(node), str(path), "eval"), dict(vars(module)))  # type: ignore[arg-type]


def names_of(tree: ast.AST, call: ast.Call) -> set[str]:
    """Return the names that a compiled pattern, or what contains it, has in this file."""
    return {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and call in ast.walk(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


@cache
def functions_by_name() -> dict[Path, dict[str, set[str]]]:
    """Return by which functions each file reads texts with each name: `search` of `_END.search(text)`."""
    found: dict[Path, dict[str, set[str]]] = {}
    for path, tree in sources():
        names = found.setdefault(path, {})
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in FUNCTIONS and isinstance(node.value, ast.Name | ast.Attribute):
                name = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                names.setdefault(name, set()).add(node.attr)
    return found


def functions_used(path: Path, names: set[str]) -> set[str]:
    """Return the functions by which a compiled pattern of this file reads texts: `search`, if nothing reads with its name."""
    used: set[str] = set()
    for other, by_name in functions_by_name().items():
        used |= {each for name in names if other == path or not name.startswith("_") for each in by_name.get(name, ())}
    return used or {"search"}


def uses() -> list[Use]:
    """Return every regular expression of the app as it is used."""
    found = []
    for path, tree in sources():
        file = str(path)
        for function, call in calls_of_re(tree):
            position = {"compile": 1, "split": 3, "sub": 4, "subn": 4}.get(function, 2)
            flags = next((word.value for word in call.keywords if word.arg == "flags"), None)
            flags = call.args[position] if len(call.args) > position else flags
            try:
                pattern = value(call.args[0], path)
            except NameError:
                assert file in MADE, f"{file}:{call.lineno}: what this pattern can be is missing in MADE"
                pattern = MADE[file]
            functions = functions_used(path, names_of(tree, call)) if function == "compile" else {function}
            found += [
                Use(f"{file}:{call.lineno}", pattern, 0 if flags is None else int(value(flags, path)), each) for each in sorted(functions)
            ]
    return found


JAVASCRIPT = re.compile(r"(?<![\w)\]\"'`<*/])/(?![/*\s])((?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([gimsuy]*)(?=[.,;)])")


def uses_in_javascript() -> list[Use]:
    """Return the regular expressions of the components, which read tokens in the browsers of others; Python reads each in the same way."""
    found = []
    for path in sorted([*(ROOT / "core").rglob("*.js"), *(ROOT / "pages").rglob("*.js")]):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            for pattern, marks in JAVASCRIPT.findall(line):
                flags = re.ASCII | (re.DOTALL if "s" in marks else 0) | (re.IGNORECASE if "i" in marks else 0)
                found.append(Use(f"{path.relative_to(ROOT)}:{number}", pattern, flags, "findall"))
    assert len(found) > 8
    return found


ALWAYS = [" ", "\t\n", "\n", "\r\n", "!", ".", "1", "a", "A", '"', "\\", "-", "a ", "a.", "1,", "é", "\u2028"]


class Recipe(NamedTuple):
    """A text that repeats what a pattern may read again and again, before something that it refuses."""

    head: str
    unit: str
    tail: str

    def text(self, length: int) -> str:
        """Return about `length` characters."""
        return self.head + self.unit * (length // len(self.unit)) + self.tail


def recipes(pattern: str | bytes) -> list[Recipe]:
    """Return texts for this pattern, of blanks, signs, digits and letters, and of what is written in the pattern."""
    written = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    literals = re.sub(r"\\[a-zA-Z]|\(\?[:=!<]*|\{\d+(,\d*)?\}", "|", written).replace("\\", "")
    words = list(dict.fromkeys(re.findall(r"[^\[\](){}|*+?.^$]{2,}", literals)))[:6]
    signs = list(dict.fromkeys(re.findall(r"\S", re.sub(r"\w{2,}", "", literals))))[:12]
    units = dict.fromkeys([*ALWAYS, *signs, *words])
    heads = dict.fromkeys(["", *signs, *words, "".join(words[:1] + signs[:1])])
    made = [Recipe(head, unit, tail) for head in heads for unit in units for tail in ("", "a", " \x01")]
    return made + [Recipe("", unit, sign) for unit in ALWAYS for sign in signs]


def steep(use: Use) -> Recipe | None:
    """Return the text that costs this pattern more than linear time, None if there is none."""

    def seconds(recipe: Recipe, length: int, runs: int = 1) -> float:
        text = recipe.text(length)
        return min(use.run(text) for _run in range(runs))

    def grows(recipe: Recipe) -> bool:
        short, long = seconds(recipe, PROBE // 4, 5), seconds(recipe, PROBE, 3)
        return long > SUSPICIOUS and long / short > STEEPEST

    for recipe in recipes(use.pattern):
        if any(seconds(recipe, length) > SUSPICIOUS and seconds(recipe, length, 3) > SUSPICIOUS for length in (20, 300)):
            return recipe
        if seconds(recipe, PROBE) > SUSPICIOUS and all(grows(recipe) for _again in range(MEASURED)):
            return recipe
    return None


def test_a_quadratic_pattern_is_found() -> None:
    for pattern, function in (
        (r"[^\w.-]+$", "sub"),
        (r"\s+$", "search"),
        (r"\s*\S+", "findall"),
        (r"[ \t]*[\r\n]+", "sub"),
        (r"(a|a)+b", "match"),
    ):
        assert steep(Use("", pattern, re.ASCII, function)), pattern
    for pattern, function in ((r"\S+\s*", "findall"), (r"^\s+", "sub"), (r"[\r\n]+", "sub"), (r"a{1,40}b", "search")):
        assert not steep(Use("", pattern, 0, function)), pattern


def test_no_pattern_takes_more_than_linear_time() -> None:
    assert not [path for path, tree in sources() if re.search(r"(?m)^(from re|import re as|import regex)\b", ast.unparse(tree))]
    found = uses()
    assert len(found) > 60
    slow = [f"{use.place} {use.function} {use.pattern!r}: {text}" for use in [*found, *uses_in_javascript()] if (text := steep(use))]
    assert slow == [], "\n".join(slow)
