"""Links that open the stage and the speaker's window, and the talk bar on every page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.ui import features
from pages.ui.i18n.translation import _
from pages.ui.presenting import talk, talk_bar
from pages.ui.session.state import current_session

HERE = Path(__file__).parent
LINKS = ("stage", "notes")  # ?stage=1 opens the stage, ?notes=1 the speaker's window


def follow_links(page: str) -> None:
    """Open the page of ?stage=1 or ?notes=1, once, and follow the keys of a talk. Ends the script on a change of page."""
    link = current_session().link
    for name in LINKS:
        if link.pop(name, "") == "1" and page != name:
            st.switch_page(features.file_of(name))
    must_open_model = current_session().requested is not None  # Watch offers it; pages without a sidebar do not
    if features.feature_of(page).bare and must_open_model:
        st.switch_page(features.file_of("watch"))
    talk.follow()


def hidden_stage_link(page: str) -> None:
    """Draw an invisible link to the stage for the key S, on pages without a visible one. Tab skips it."""
    if page not in ("", "watch") and talk.active_talk() is None:
        with st.container(key="stage_way"):
            st.page_link(features.file_of("stage"), label=_("On stage"))


def is_stop(page: str) -> bool:
    """Return whether the page is shown as a stop of the talk in progress."""
    return talk.active_talk() is not None and page != "talk"


def talk_bar_of_page(page: str) -> None:
    """During a talk, enlarge the page, hide its frame and draw the talk bar at its head."""
    if not is_stop(page):
        return
    st.html(f"<style>{(HERE / 'talk.css').read_text('utf-8')}{talk_bar.only_shown()}</style>")
    talk_bar.show_bar()
