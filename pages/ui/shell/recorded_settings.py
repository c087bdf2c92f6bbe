"""The model, the prompt and the settings of an opened recording, in place of the visitor's own, which have no effect on it."""

from __future__ import annotations

import streamlit as st

from core.generation.generation import Generation
from core.sources.capabilities import Can
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.server import offered_models
from pages.ui.session.sampling_controls import CHIPS, CONTROLS, chip_text, is_on

LONGEST = 200  # characters


def sidebar(recording: Generation) -> None:
    """Draw the model and the settings of the recording. They cannot be changed."""
    st.text_input(_("Model"), offered_models.title(recording.model_name)[:LONGEST], disabled=True, max_chars=LONGEST)
    st.caption(_("What the recording was made with. Close it to return to your own settings."))
    if Can.FACTS not in recording.can:
        st.caption(_("The settings of a saved answer are not in its file."))
        return
    settings = recording.settings
    for row in CONTROLS:
        value = getattr(settings, row.name)
        if row.name == "seed" or (row.where == "sight" and not settings.greedy):
            text = f"{value:g}" if isinstance(value, float) else str(value)
            st.text_input(_(row.label), text[:LONGEST], disabled=True, max_chars=LONGEST)
    for name in CHIPS:
        if is_on(settings, name):
            st.caption(plain(chip_text(settings, name)))
