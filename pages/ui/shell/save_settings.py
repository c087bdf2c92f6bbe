"""The popover in which a visitor saves the settings as a preset of their own, and deletes such presets."""

from __future__ import annotations

import streamlit as st

from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import elements, own_presets


def save_settings() -> None:
    """Draw the popover."""
    about = _("Save these settings as a preset of your own. Your browser keeps it.")
    with st.popover(_("Save these settings"), help=about, icon=":material/bookmark_add:", type="tertiary", key="save_settings"):
        st.text_input(_("Name of the preset"), max_chars=own_presets.LONGEST_NAME, key=own_presets.NAME)
        elements.notices(own_presets.NAME)
        st.button(_("Save preset"), on_click=own_presets.save, type="primary", key="own_preset_save")
        for number, name in enumerate(own_presets.own_presets().presets):
            delete = _("Delete {name}").format(name=plain(name))
            st.button(
                delete, on_click=own_presets.delete, args=(name,), icon=":material/delete:", type="tertiary", key=f"own_delete_{number}"
            )
