"""The custom components that show numbers, each with the menu that saves it: dice, token strip, branch tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import streamlit as st

from core.record.step import Step, TokenDistribution
from core.record.tables import steps_table
from core.tokens.tokens import Token
from pages.ui.charts import component_drawings
from pages.ui.charts.tree_rows import Row
from pages.ui.components.branch_tree.branch_tree import TreeAction
from pages.ui.components.branch_tree.branch_tree import branch_tree as tree_component
from pages.ui.components.dice import dice
from pages.ui.components.token_strip import token_strip as strip_component
from pages.ui.i18n.translation import _
from pages.ui.session import provenance
from pages.ui.session.state import drawn
from pages.ui.views.chart import Saved, menu


@contextmanager
def saved_as(key: str, make: Callable[[], Saved]) -> Iterator[None]:
    """Context of drawing a component: the menu that saves it follows in the same container."""
    with st.container(key=f"chart_{key}", gap=None):
        yield
        menu(key, make)


def dice_strip(seen: TokenDistribution | Step, *, key: str, still: bool = False) -> None:
    """Draw the dice strip; see the component."""

    def saved() -> Saved:
        made_by = provenance.with_settings(seen.settings)
        return Saved(_("The dice"), lambda c: component_drawings.dice(seen, c), component_drawings.dice_table(seen), made_by=made_by)

    with saved_as(key, saved):
        dice.dice_strip(seen, key=key, still=still)


def token_strip(prompt: Sequence[Token], path: Sequence[Step], *, key: str, tint: str = "likely", **options: Any) -> Any:
    """Draw the token strip; see the component."""

    def saved() -> Saved:
        ends = [_(end) for end in strip_component.TINT_ENDS.get(tint, ())]
        return Saved(
            _("The text so far, token by token"),
            lambda c: component_drawings.token_text(prompt, path, tint, c),
            steps_table(path),
            _newest(len(prompt) + len(path)),
            (("line", ends[0]), ("doubt" if tint == "unsure" else "dice", ends[1])) if ends else (),
        )

    with saved_as(key, saved):
        return strip_component.token_strip(prompt, path, key=key, memory=drawn(), tint=tint, **options)


def _newest(count: int) -> str:
    most = component_drawings.MOST_TOKENS
    return _("The newest {most} of {count} tokens.").format(most=most, count=count) if count > most else ""


def branch_tree(rows: Sequence[Row], *, key: str, title: str, **options: Any) -> TreeAction | None:
    """Draw the branch tree; see the component."""
    most = component_drawings.MOST_TREE_ROWS
    note = _("The first {most} of {count} rows.").format(most=most, count=len(rows)) if len(rows) > most else ""

    def saved() -> Saved:
        return Saved(title, lambda c: component_drawings.tree(rows, c), component_drawings.tree_table(rows), note)

    with saved_as(key, saved):
        return tree_component(rows, key=key, **options)
