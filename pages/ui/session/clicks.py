"""Clicks on the bars and on the text."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from core import Generation
from core.sources.capabilities import Can
from pages.ui.i18n.translation import _
from pages.ui.session import current, explained_token
from pages.ui.session.state import error_boundary, notify


def picked(key: str) -> dict[str, Any]:
    """Return the fields of the mark that was clicked in the chart with this key, none if there was no click."""
    marks = (st.session_state.get(key) or {}).get("selection", {}).get("pick")
    return marks[0] if marks else {}


@error_boundary
def show_excluded(shown: bool) -> None:
    """Show or fold the excluded candidates on Watch."""
    st.session_state["cut_shown"] = shown


@error_boundary
def bar_clicked() -> None:
    """Choose the token whose bar was clicked."""
    entry = picked("odds")
    token_id, index = entry.get("token_id"), entry.get("step")
    if not isinstance(token_id, int) or token_id < 0:
        return
    if index != current.shown().index:
        notify(_("That bar belongs to another step. Click it again."))
        return
    current.force(token_id)


@error_boundary
def word_clicked(strip: str = "strip") -> None:
    """Reopen the step of the token that was clicked in the text. strip: the key of the token strip."""
    index = getattr(st.session_state.get(strip), "opened", None)
    if isinstance(index, int):
        current.select_step(index)


@error_boundary
def word_explained(strip: str = "strip") -> None:
    """Measure what the token that was clicked depends on. strip: the key of the token strip."""
    word_clicked(strip)
    explained_token.ask_about_step()


@error_boundary
def word_asked(strip: str = "strip") -> None:
    """Ask why the token whose button was pressed was chosen. strip: the key of the token strip."""
    index = getattr(st.session_state.get(strip), "asked", None)
    if isinstance(index, int):
        current.select_step(index)
        explained_token.ask_about_step()
        st.session_state[explained_token.PRESSED] = True


def can_ask_why(run: Generation) -> bool:
    """Return whether Why this token? can explain the steps of this run: it needs the model and token ids."""
    return not current.playing() and run.can >= {Can.NEW_TOKENS, Can.TOKEN_IDS}


def why_button(run: Generation, strip: str) -> dict[str, Any]:
    """Return the options of a token strip with this key that draw a button "Why?" beside its tokens."""
    return {"ask": _("Why?"), "on_ask": partial(word_asked, strip)} if can_ask_why(run) else {}
