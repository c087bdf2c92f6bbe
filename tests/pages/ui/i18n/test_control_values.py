"""What a result was made with is stored in English and shown in the visitor's language, also for a recorded result."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pages.ui import features
from pages.ui.i18n import control_values, extract_sentences, spoken_language, translation


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
    with spoken_language.speaking("de"):
        shown = control_values.translated(stored)
    assert shown == german
    with spoken_language.speaking("en"):
        assert control_values.translated(stored) == stored


def test_every_stored_value_with_a_place_is_made_by_control_value() -> None:
    """`N_("{count} tokens").format(...)` would make a stored value that stays English: nothing in the catalogue says that it is one."""
    for path in Path(features.FOLDER).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
                template = node.func.value
                if isinstance(template, ast.Call) and isinstance(template.func, ast.Name) and template.func.id == "N_":
                    assert isinstance(template.args[0], ast.Constant)
                    # the name of a control, which is translated where it is compared
                    assert template.args[0].value == "column {number}", path


def test_the_extraction_says_which_sentences_are_stored_values() -> None:
    source = 'now({N_("the length"): control_value("{count} tokens", count=9)})'
    assert list(extract_sentences.in_python(source)) == [("the length", ""), ("{count} tokens", control_values.STORED)]
    stored = translation.commented("de", control_values.STORED)
    assert {"{count} tokens", "{least} to {most} tokens", "layer {count}"} <= set(stored) and "the length" not in stored
    assert translation.commented("en", control_values.STORED) == []
