"""Models of a session's own: taught or opened here, in the visitor's list until they leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.language import _
from pages.ui.session import current
from pages.ui.session.state import current_session

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

MOST_TAUGHT = 4  # models of a visitor's own; each is some 25 MB


def free_name(wanted: str) -> str:
    """This name, or one like it that none of the visitor's models has."""
    plain = " ".join(wanted.split())[:40] or _("my model")
    taken = set(current.model_names())
    return next(name for name in (plain, *(f"{plain} {number}" for number in range(2, 1000))) if name not in taken)


def use_taught(model: LanguageModel) -> None:
    """Put a model that was made or opened here into the visitor's list, and use it. The oldest of more than four is let go of."""
    session = current_session()
    session.taught[model.name] = model
    for name in list(session.taught)[:-MOST_TAUGHT]:
        del session.taught[name]
    st.session_state["model"] = model.name
