"""Two branches side by side: their common text once, then one column each. A click on a token opens it for another fork."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import streamlit as st

from core.record.step import Step
from core.tokens.token_text import Token
from pages.ui.charts.css_colours import css
from pages.ui.components.live import live
from pages.ui.i18n.translation import _
from pages.what_if.fork_playback import Picked, Side


def fork_view(
    prompt: Sequence[Token],
    shared: Sequence[Step],
    sides: tuple[Side, Side],
    *,
    key: str,
    opened: Picked | None = None,
    clickable: bool = True,
) -> Picked | None:
    """Draw both branches and return the token that was just clicked, None if there was no click."""

    def strip(side: int, tokens: Sequence[Token], steps: Sequence[Step], branch: str, first: int) -> Picked | None:
        sent = live.text(
            tokens,
            steps,
            key=f"{key}_{side}",
            opened=opened.index - first if opened is not None and opened.side == side else None,
            accent=False,
            on_click=(lambda: None) if clickable else None,
            hint=_("click to fork here"),
            branch=branch,
        )
        return picked(side, sent, first, len(steps))

    clicks = [strip(0, prompt, shared, "muted_text", 0)]
    for number, (column, side, branch) in enumerate(zip(st.columns(2, gap="medium"), sides, ("dice", "other"), strict=True), start=1):
        with column:
            st.html(f'<div style="border-top:4px solid {css(branch)};border-radius:4px"></div>')
            clicks.append(strip(number, (), side.steps, branch, len(shared)))
            if side.planned:
                st.html(f'<p class="planned" style="color:{css(f"{branch}_text")};font-style:italic;margin:0">{escape(side.planned)}</p>')
            if side.foot:
                st.caption(side.foot)
    return next((click for click in clicks if click is not None), None)


def picked(side: int, sent: Any, first: int, count: int) -> Picked | None:
    """Return the token that the browser sent, None if it is not a token of this side. first: the step index of the side's first token."""
    if not isinstance(sent, int) or isinstance(sent, bool) or not 0 <= sent < count:
        return None
    return Picked(side, first + sent)
