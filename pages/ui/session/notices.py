"""Notices: sentences that tell the visitor what became of their latest action, and where on the page they are shown."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

import streamlit as st

from pages.ui.i18n.safe_text import plain
from pages.ui.session.state import Notice, current_session


@dataclass(slots=True)
class Action:
    """An action of the visitor. place: where its notices are shown."""

    place: str = ""


ACTION: ContextVar[Action | None] = ContextVar("action", default=None)


def anchor_notices(place: str) -> None:
    """Show later notices of this action beside the widget with this key; the page draws them with `elements.notices(place)`."""
    action = ACTION.get()
    if action is not None:
        action.place = place


def notify(sentence: str) -> None:
    """Add a notice. The visitor's next action removes it."""
    action, session = ACTION.get(), current_session()
    if all(note.text != sentence for note in session.notices.latest):
        session.notices.latest.append(Notice(sentence, action.place if action else ""))


def notify_next_page(sentence: str) -> None:
    """Add a notice to the page that the app switches to."""
    current_session().notices.next_page.append(sentence)


def show_notice(sentence: str) -> None:
    """Show one sentence as plain text, because it can contain a name or an error message that we did not write."""
    st.info(plain(sentence), icon=":material/info:")
