"""README, core/README and CONTRIBUTING: every Python block runs, and every name and file in them exists."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

import pytest

from tests.source_code import ROOT, parsed

DOCUMENTS = ("README.md", "core/README.md", "pages/ui/README.md", "CONTRIBUTING.md")
# Of other programs and libraries; files that a document invents for its example.
FOREIGN = {
    "token",
    "probability",
    "viewer",
    "token_probability_viewer",
    "generate",
    "output_scores",
    "LogitsProcessor",
    "no_forcing",
    "fastReruns",
    "false",
    "minCachedMessageSize",
    "UV_TORCH_BACKEND",
    "cpu",
}
OBJECTS = ("run", "step", "model", "source")  # that everybody knows
ENDINGS = ("py", "js", "css", "toml", "txt", "po", "json")
EXAMPLES = (
    "tests/core/experiments/test_echo.py",
    "tests/core/experiments/impossible/echo.py",
    "tests/browser/observed/echo.py",
    "core/experiments/echo.py",
    "core/experiments/echo/",
    "pages/echo",
    "pages/ui/i18n/languages/fr/LC_MESSAGES/viewer.po",
)


def text_of(document: str) -> str:
    return (ROOT / document).read_text("utf-8")


def blocks() -> list[str]:
    return [block for document in DOCUMENTS for block in re.findall(r"```python\n(.*?)```", text_of(document), re.DOTALL)]


def spans(document: str) -> list[str]:
    """The words in backticks outside of blocks."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text_of(document), flags=re.DOTALL))


@cache
def defined() -> frozenset[str]:
    """All names that the app's code defines: functions, classes, fields, arguments, modules, settings from the environment."""
    names: set[str] = set()
    for path, tree in (parsed("core/**/*.py") | parsed("pages/**/*.py") | parsed("app.py")).items():
        names |= {path.stem, *path.parent.parts}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                names.add(node.attr)
            elif isinstance(node, ast.arg | ast.alias):
                names.add(node.arg if isinstance(node, ast.arg) else (node.asname or node.name))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                names.update(re.findall(r"TOKEN_VIEWER_\w+", node.value))
    return frozenset(names)


def missing_names(span: str) -> Iterator[str]:
    """Names in a piece of code that nothing defines."""
    try:
        tree = ast.parse(span)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            module = importlib.import_module(node.module)
            yield from (alias.name for alias in node.names if not (hasattr(module, alias.name) or find_spec(f"{node.module}.{alias.name}")))
        name = node.attr if isinstance(node, ast.Attribute) else (node.id if isinstance(node, ast.Name) else None)
        if name is not None and name not in defined() | FOREIGN and not hasattr("", name) and find_spec(name) is None:
            yield name


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_name_of_a_document_exists(document: str) -> None:
    written = spans(document)
    files = [span for span in written if re.fullmatch(r"[\w./-]+(/|\.(py|md|toml|js|po))", span) and span not in EXAMPLES]
    missing = [span for span in files if not (ROOT / span).exists() and not any(ROOT.rglob(span.strip("/")))]
    missing += [span for span in written if span.startswith("python -m") and find_spec(span.split()[2]) is None]
    code = [
        span for span in written if span not in files and "/" not in span and not (ROOT / span).exists() and re.match(r"[A-Za-z_]", span)
    ]
    missing += [f"{name} in {span}" for span in code for name in missing_names(span)]
    assert missing == [], "files that do not exist, and names that app.py, core and pages do not define"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_name_stands_in_the_module_that_is_written_with_it(document: str) -> None:
    """In `name` of `core/module.py` it can be imported from there; in `module.name` a file with this name defines it."""
    pairs = re.findall(r"`(\w+)(?:\([^`]*\))?`[\s,]+(?:of|in)\s+`((?:core|pages)[\w./]*?)(?:\.py)?`", text_of(document))
    modules = [(name, module.strip("/").replace("/", ".")) for name, module in pairs]
    wrong = [f"{name} of {module}" for name, module in modules if not hasattr(importlib.import_module(module), name)]
    files = {path.stem: (ROOT / path).read_text("utf-8") for path in parsed("core/**/*.py") | parsed("pages/**/*.py")}
    for first, name in re.findall(r"`([a-z_]+)\.([a-z_]+)(?:\([^`]*\))?`", text_of(document)):
        if first not in OBJECTS and name not in ENDINGS:
            wrong += [] if re.search(rf"(?m)^(?:def {name}\b|class {name}\b|{name}\b.* = )", files.get(first, "")) else [f"{first}.{name}"]
    assert wrong == []
    if document in ("README.md", "CONTRIBUTING.md"):  # those about the code name no such pair
        assert modules


def test_the_block_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """As in a notebook, and then the sentences below it: a slide and the chart."""
    notebook: dict[str, object] = {}
    exec(compile(blocks()[0], "README.md", "exec"), notebook)
    assert len(capsys.readouterr().out) > 40
    assert len(notebook["run"].path) >= 3  # type: ignore[attr-defined]


def test_the_readme_s_disk_and_memory_are_those_of_the_benchmark() -> None:
    """In GB, of the rows of `footprint` in MB: the app with its packages; a process that shows its first page."""
    rows = (ROOT / "tests/benchmarks/README.md").read_text("utf-8")
    disk = re.search(r"with torch's CPU build, of which torch \| (\d+) MB; ([\d,]+) MB", rows)
    memory = re.search(r"a browser shows the first page \| \d+ MB; (\d+) MB", rows)
    cuda = re.search(r"torch's CUDA build[^|]* \| ([\d,]+) MB \|", rows)
    assert disk and memory and cuda
    small, large = int(disk[1]) + int(disk[2].replace(",", "")), int(cuda[1].replace(",", ""))
    said = " ".join(text_of("README.md").split())
    assert f"in all {small / 1000:.1f} GB on disk instead of {large / 1000:.1f} GB" in said
    assert f"it takes {int(memory[1]) / 1000:.1f} GB of memory" in said


def test_the_readme_s_speed_of_the_live_page_is_that_of_the_benchmark() -> None:
    rows = (ROOT / "tests/benchmarks/README.md").read_text("utf-8")
    fast = re.search(r"\| a live page, storyteller, [^|]*\| ([\d.]+) MB; ([\d.]+) s; (\d+);", rows)
    plain = re.search(r"\| the same in plain JavaScript; with storyteller-mini \| [\d.]+ s, (\d+), \d+; ([\d.]+) MB,", rows)
    memory = re.search(r"memory of the tab at the first bars, after Play; with storyteller-mini \| (\d+), ", rows)
    assert fast and plain and memory
    said = " ".join(text_of("README.md").split())
    assert f"({fast[1]} MB; with a smaller one, `--model mini`, {plain[2]} MB)" in said
    assert (
        f"first bars after {fast[2]} s and computes {fast[3]} tokens a second ({plain[1]} without SIMD), in {memory[1]} MB of memory"
        in said
    )


def test_the_readme_reads_torch_s_version_as_the_dockerfile_does() -> None:
    version = "\"$(grep '^torch==' requirements.txt)\""
    assert f"pip install {version} --index-url https://" in text_of("README.md") and version in text_of("Dockerfile")
