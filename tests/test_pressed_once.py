"""Browser tests press once: none waits for a fixed time, and none presses, types or saves again until it has worked."""

from __future__ import annotations

import ast

import pytest

from tests.source_code import calls, parsed

WAITS = {"sleep", "wait_for_timeout"}
ACTS = {"click", "dblclick", "tap", "fill", "type", "press", "press_sequentially", "select_option", "set_input_files"}
# Functions that wait between two looks: at the page, and at a server that starts.
LOOKS = {("watching.py", "eventually"), ("conftest.py", "running_app")}
PICTURES = "look.py"  # a command that takes pictures, no test


def findings(tree: ast.Module, file: str = "test_x.py") -> list[str]:
    """What waits for a fixed time, or acts again, in this file."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    found = []
    for name, function in functions.items():
        if (file, name) not in LOOKS:
            found += [f"{file}:{call.lineno} waits" for called, call in calls(function) if called in WAITS]
    checks = [argument for called, call in calls(tree) if called == "eventually" for argument in call.args[1:2]]
    for check in checks:
        names = {part.id for part in ast.walk(check) if isinstance(part, ast.Name)}
        parts = [check, *(functions[name] for name in names & functions.keys())]
        found += [f"{file}:{call.lineno} acts in a check" for part in parts for called, call in calls(part) if called in ACTS]
    for loop in ast.walk(tree):
        if isinstance(loop, ast.While | ast.For):
            tries = [node for node in ast.walk(loop) if isinstance(node, ast.Try) and node.handlers]
            found += [f"{file}:{call.lineno} acts again" for node in tries for called, call in calls(node) if called in ACTS]
    return found


def test_no_browser_test_waits_for_a_time_or_acts_again() -> None:
    files = {path.name: tree for path, tree in parsed("tests/browser/*.py").items() if path.name != PICTURES}
    assert len(files) > 20
    assert [one for name, tree in files.items() for one in findings(tree, name)] == []


@pytest.mark.parametrize(
    ("code", "finding"),
    [
        ("def test(page):\n    page.wait_for_timeout(100)", "waits"),
        ("def test(page):\n    def once():\n        button.click()\n    eventually(page, once)", "acts in a check"),
        (
            "def test(page):\n    eventually(page, partial(press, page, 'step'))\ndef press(page, key):\n    page.click(key)",
            "acts in a check",
        ),
        ("def test(page):\n    eventually(page, lambda: field.fill('x'))", "acts in a check"),
        (
            "def test(page):\n    while True:\n        try:\n            button.click()\n        except TimeoutError:\n            pass",
            "acts again",
        ),
    ],
)
def test_what_waits_or_acts_again_is_found(code: str, finding: str) -> None:
    assert [one.split(" ", 1)[1] for one in findings(ast.parse(code))] == [finding]
