"""Written tokens tinted by probability, with a mark where the text leaves another text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from core.record.step import Step
from core.record.step_rows import tint_depth
from pages.ui.charts.css_colours import css
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _


def tinted_text(
    path: Sequence[Step], *, key: str, mark: int | None = None, label: str = "", small: bool = False, other: bool = False
) -> None:
    """Draw the steps. mark: index of the first step that differs from the text beside it; other: in the colour of the second branch."""
    tokens = [_token(step, index, mark) for index, step in enumerate(path)]
    head = f"<b>{escape(label)}</b>" if label else ""
    with st.container(key=key):
        st.html(
            f'<p class="tv-tinted{" small" if small else ""}" style="--tint:{css("other" if other else "dice")}">'
            f"{head}{''.join(tokens)}</p>"
        )


def _token(step: Step, index: int, mark: int | None) -> str:
    """Return one token as HTML; its title holds probability and rank."""
    text = step.text or ("" if step.key in getattr(step.vocabulary, "end_token_ids", ()) else step.piece)
    title = phrase(step)
    if index == mark:
        title = f"{_('the texts differ from here')} · {title}"
    kind = "mark" if index == mark else "same" if mark is not None and index < mark else ""
    return f'<span class="{kind}" title="{escape(title)}" style="--depth:{tint_depth(step):.0%}">{escape(text)}</span>'


def phrase(step: Step) -> str:
    """Return the model's probability of the written token, and its rank."""
    if not step.rank:
        return _("not measured")
    return _("{share} for the model, rank {rank}").format(share=numbers.percent(step.model_probability), rank=numbers.whole(step.rank))
