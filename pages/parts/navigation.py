"""Which pages there are: one line each. A page that is not in this table cannot be opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parents[2]

# group, file under pages/, title in plain words, what one sees there
PAGES: tuple[tuple[str, str, str, str], ...] = (
    ("Watch", "watch.py", "Watch", "Watch a model write, one piece at a time."),
    ("Watch", "read.py", "Read a text", "What the model makes of a text that is there already, piece by piece."),
    ("How it works", "inside.py", "Inside one step", "The way of one piece through the model, from letters to dice."),
)


def pages() -> dict[str, Sequence[st.Page]]:
    """The pages by group, for st.navigation; the first one is where a visitor lands."""
    groups: dict[str, list[st.Page]] = {}
    for number, (group, file, title, sight) in enumerate(PAGES):
        groups.setdefault(group, []).append(st.Page(ROOT / "pages" / file, title=title, help=sight, default=number == 0))
    return {group: list(listed) for group, listed in groups.items()}
