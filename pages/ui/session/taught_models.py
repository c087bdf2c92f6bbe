"""Models that belong to one session: trained or opened by the visitor, listed until the session ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.ui.i18n.translation import _
from pages.ui.session import current
from pages.ui.session.state import current_session

if TYPE_CHECKING:
    from core.sources.token_source import TokenSource

if TYPE_CHECKING:
    from core.sources.token_source import TokenSource

MOST_TAUGHT = 4  # models per visitor, about 25 MB each


def free_name(wanted: str) -> str:
    """Return this name, with a number if one of the visitor's models has it already."""
    plain = " ".join(wanted.split())[:40] or _("my model")
    taken = set(current.model_names())
    return next(name for name in (plain, *(f"{plain} {number}" for number in range(2, 1000))) if name not in taken)


def use_taught(model: TokenSource) -> None:
    """Add a model to the visitor's list and select it. Removes the oldest of more than MOST_TAUGHT."""
    session = current_session()
    session.taught[model.name] = model
    for name in list(session.taught)[:-MOST_TAUGHT]:
        del session.taught[name]
    st.session_state["model"] = model.name
