"""The button that brings back the run that another one replaced."""

from __future__ import annotations

import streamlit as st

from pages.ui.i18n.translation import _
from pages.ui.session import elements, undo


def undo_button(key: str = "bring_back") -> None:
    """Draw the button, if there is a replaced run."""
    if undo.can_undo():
        st.button(
            _("Bring back my text"),
            on_click=elements.run_and_rerun,
            args=(undo.undo, ()),
            help=_("Undo for a replaced run. Press again to return."),
            icon=":material/settings_backup_restore:",
            type="tertiary",
            key=key,
        )
