"""The button that opens the stage with a vote of the audience."""

from __future__ import annotations

import streamlit as st

from pages.ui import features
from pages.ui.i18n.translation import _
from pages.ui.presenting import stage_state
from pages.ui.session import elements


def vote_button(key: str) -> None:
    """Draw it, if there is a stage."""
    if not features.is_here("stage"):
        return
    about = _("For an audience with phones: its answer beside the model's, on the stage. Key: V")
    if elements.pressed(_("Let the audience vote"), help=about, icon=":material/how_to_vote:", type="tertiary", key=key):
        stage_state.stage_state().opens_vote = True
        st.switch_page(features.file_of("stage"))
