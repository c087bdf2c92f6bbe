"""Widgets of a page that choose a model follow the model of the sidebar."""

from __future__ import annotations

import streamlit as st

from pages.ui.session import current


def follow_model(key: str, choice: str) -> None:
    """Set the widget with this key to `choice` if another model was selected since it was drawn. Call it before the widget is drawn."""
    drawn, now = current.results().setdefault("model_choices", {}), current.model_name()
    if drawn.setdefault(key, now) != now:
        st.session_state[key] = choice
    drawn[key] = now
