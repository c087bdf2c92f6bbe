"""Every chart of the app, in both themes: a constant specification without data."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pages.ui.features import FOLDER

EXAMPLES: dict[str, Any] = {"int": 8, "str": "", "bool": True, "float": 0.5}


def module_of(file: Path) -> str:
    """Return the dotted name of a module of the pages."""
    return ".".join(file.relative_to(FOLDER.parent).with_suffix("").parts)


def every_chart() -> Iterator[Callable[..., Any]]:
    """Each public function that `chart_spec` made: it takes a theme where its definition takes colours."""
    for file in sorted(file for file in FOLDER.rglob("*.py") if file.name != "page.py" and "@chart_spec" in file.read_text("utf-8")):
        for name, made in vars(import_module(module_of(file))).items():
            if callable(made) and not name.startswith("_") and made.__module__ == module_of(file):
                parameters = list(inspect.signature(made).parameters.values())
                if parameters and parameters[0].name == "colours" and inspect.signature(made).return_annotation == "alt.TopLevelMixin":
                    yield made


@pytest.mark.parametrize("chart", every_chart(), ids=lambda chart: f"{chart.__module__.rpartition('.')[2]}.{chart.__name__}")
def test_a_chart_is_one_constant_specification_without_data(chart: Callable[..., Any]) -> None:
    needed = [one for one in list(inspect.signature(chart).parameters.values())[1:] if one.default is one.empty]
    arguments = [EXAMPLES[one.annotation] for one in needed]
    for theme in ("light", "dark"):
        spec = chart(theme, *arguments)
        assert spec is chart(theme, *arguments)
        assert spec.get("layer") or spec.get("hconcat") or spec.get("mark")
        assert not {"data", "datasets"} & spec.keys()


def draws() -> Iterator[tuple[Path, int, ast.Call]]:
    """Each call of `chart.draw` in the pages, with its file and line, unless its chart was chosen or made before."""
    for file in sorted(FOLDER.rglob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        known = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        known |= {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "chart.draw"]
        yield from (
            (file, call.lineno, call) for call in calls if isinstance(call.args[0], ast.Attribute) or ast.unparse(call.args[0]) in known
        )


def test_a_chart_is_drawn_with_its_own_options() -> None:
    """`draw` hands its options on, so no type checker sees a wrong one."""
    calls = list(draws())
    assert len(calls) > 40
    for file, line, call in calls:
        room, _dot, chart = ast.unparse(call.args[0]).rpartition(".")
        own = file.with_name(f"{room}.py") if room else file
        module = module_of(own if own.exists() else FOLDER / "ui" / "charts" / own.name)
        parameters = inspect.signature(getattr(import_module(module), chart)).parameters
        given = {keyword.arg for keyword in call.keywords} - {"key", "alt_text", "title", "legend", "settings", "on_select", "described"}
        needed = {name for name, one in parameters.items() if one.default is one.empty}
        assert needed - {"colours"} <= given <= set(parameters), f"{file}:{line}"
