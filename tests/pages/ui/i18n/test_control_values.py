"""What a result was made with is stored in English and shown in the visitor's language, also for a recorded result."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pages.ui import features
from pages.ui.i18n import control_values, translation


@pytest.mark.parametrize(
    ("stored", "german"),
    [
        ("40 tokens", "40 Tokens"),
        ("4 to 8 tokens", "4 bis 8 Tokens"),
        ("One at a time | Continuous batching", "Einer nach dem anderen | Fortlaufendes Bündeln"),
        ("What is 95 + 83?", "What is 95 + 83?"),
    ],
)
def test_a_stored_value_is_shown_in_the_language(stored: str, german: str) -> None:
    with translation.speaking("de"):
        shown = control_values.translated(stored)
    assert shown == german
    with translation.speaking("en"):
        assert control_values.translated(stored) == stored


def test_every_template_of_a_stored_value_is_known() -> None:
    """`N_("{count} tokens").format(...)` makes a stored value: an English text that is translated when it is shown."""
    used = set()
    for path in Path(features.FOLDER).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
                made = node.func.value
                if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id == "N_":
                    assert isinstance(made.args[0], ast.Constant)
                    used.add(str(made.args[0].value))
    names = {text for text in used if text.startswith("column ")}  # the name of a control, which is translated where it is compared
    assert used - names == set(control_values.TEMPLATES)
