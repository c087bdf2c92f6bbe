"""Every page: the sidebar shows the settings that count on it, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.candidates import TRIES_VIEWS
from pages.compare import COMPARE_VIEWS
from pages.think import THINK_VIEWS
from pages.ui.features import NONE
from pages.ui.session.sampling_controls import ALL
from tests.pages.apptest import Open

# By page: which settings count as it opens, and after each of these choices, by the keys of their controls.
CHOICES: dict[str, tuple[frozenset[str], list[tuple[str, Any, frozenset[str]]]]] = {
    "compare": (frozenset({"seed"}), [("compare_count", 4, ALL), ("compare_view", COMPARE_VIEWS[1], ALL - {"temperature"})]),
    "candidates": (ALL, [("candidates_view", TRIES_VIEWS[1], NONE)]),
    "think": (NONE, [("think_view", THINK_VIEWS[1], frozenset({"seed"}))]),
    "memory": (NONE, [("memory_source", "own", ALL)]),
}


def blocks(root: Any) -> Iterator[Any]:
    """All containers of a page, the outer ones first."""
    for child in root.children.values():
        if getattr(child, "children", None):
            yield child
            yield from blocks(child)


def counting(app: AppTest) -> frozenset[str]:
    """Return the settings in the sidebar."""
    found = [re.search(r"-setting_(\w+)", block.proto.id) for block in blocks(app._tree) if hasattr(block.proto, "id")]
    return frozenset(match[1] for match in found if match)


@pytest.mark.parametrize("page", CHOICES)
def test_where_it_depends_on_a_choice_the_choice_decides(page: str, open_app: Open) -> None:
    app, (first, choices) = open_app(page), CHOICES[page]
    assert counting(app) == first
    for key, value, used in choices:
        app.segmented_control(key=key).set_value(value).run()
        assert not app.exception and counting(app) == used, key
