"""Results store keys and values of controls. Their words are looked up when they are shown, also for a stranger's values."""

from __future__ import annotations

import ast
from itertools import chain
from pathlib import Path

import pytest

from pages.ui import features
from pages.ui.i18n import controls, spoken_language
from pages.ui.i18n.controls import Value


@pytest.mark.parametrize(
    ("key", "values", "english", "german"),
    [
        ("length", (40,), "40 tokens", "40 Tokens"),
        ("lengths", (4, 8), "4 to 8 tokens", "4 bis 8 Tokens"),
        ("policies", ("static", "continuous"), "Static batches | Continuous batching", "Feste Gruppen | Fortlaufendes Bündeln"),
        ("question", ("What is 95 + 83?",), "What is 95 + 83?", "What is 95 + 83?"),
        ("gamma", (0.25,), "gamma 0.25", "Gamma 0,25"),
        ("watermark_key", (15485863,), "key 15485863", "Schlüssel 15485863"),
        ("column_2", ("Greedy", "storyteller"), "Greedy, Storyteller", "Gierig, Storyteller"),
        ("first_way", ("bfloat16", "texts_4"), "bfloat16 | 4 texts", "bfloat16 | 4 Texte"),
    ],
)
def test_values_are_shown_in_the_language(key: str, values: tuple[Value, ...], english: str, german: str) -> None:
    for language, shown in (("en", english), ("de", german)):
        with spoken_language.speaking(language):
            assert features.controls()[key].words(values) == shown


@pytest.mark.parametrize("values", [(), ("{count}",), (1, "b", True), (-1e300,), (2**62,), ("a\n" * 1000,), (False,)])
def test_every_control_shows_every_value_that_a_file_can_have(values: tuple[Value, ...]) -> None:
    for language in ("en", "de"):
        with spoken_language.speaking(language):
            assert all(isinstance(control.words(values), str) for control in features.controls().values())


def test_each_control_is_declared_once() -> None:
    keys = [*controls.COMMON, *chain.from_iterable(feature.controls for feature in features.features().values())]
    assert len(keys) == len(set(keys))


def test_the_controls_of_each_page_are_declared() -> None:
    passed = set()
    for path in Path(features.FOLDER).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "provenance.now":
                passed |= {keyword.arg for keyword in node.keywords if keyword.arg is not None}
    assert passed - {"model", "prompt", "settings"} <= set(features.controls()) and len(passed) > 40
