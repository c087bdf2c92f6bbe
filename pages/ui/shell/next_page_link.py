"""The link to the next page, at the end of every page."""

from __future__ import annotations

import streamlit as st

from pages.ui import features
from pages.ui.i18n import phrases
from pages.ui.i18n.translation import _
from pages.ui.presenting import talk, tour_state

GUIDED = frozenset({"tour", "stage", "notes", "operator"})  # pages with links of their own
AFTER = {"watch": "inside"}  # where the next page is not the following one in the menu


def following(path: str) -> features.Feature:
    """Return the page after the one with this path."""
    listed = [name for name in features.features() if name not in GUIDED]
    here = path if path in listed else features.LANDING
    return features.feature_of(AFTER.get(here, listed[(listed.index(here) + 1) % len(listed)]))


def show_next_page_link(path: str) -> None:
    """Draw the link at the end of the page with this path."""
    if path in GUIDED or talk.active_talk() is not None:  # a talk has its own order
        return
    feature = following(path)
    with st.container(key="next_page_link", gap="xsmall"):
        begun = tour_state.active_tour()
        if begun is not None:
            back = _("Back to the tour, stop {number}").format(number=begun.number)
            st.page_link(features.file_of("tour"), label=back, icon=":material/hiking:", width="content")
        label = _("Next: **{title}** {sight}").format(title=phrases.as_sentence(_(feature.title)), sight=_(feature.sight))
        st.page_link(feature.file, label=label, icon=":material/arrow_forward:", width="content")
