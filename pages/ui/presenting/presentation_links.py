"""Links that open the stage and the speaker's window, and the bar of a talk on every page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.language import _
from pages.ui.i18n import page_titles
from pages.ui.presenting import talk, talk_bar
from pages.ui.session.state import current_session

HERE = Path(__file__).parent
LINKS = ("stage", "notes")  # ?stage=1 leads onto the stage, ?notes=1 to the speaker's window


def follow_links(page: str) -> None:
    """Follow what the session's address asks for, once, and what the keys of a talk asked for. Ends the script if it leads elsewhere."""
    link = current_session().link
    for name in LINKS:
        if link.pop(name, "") == "1" and page != name:
            st.switch_page(page_titles.FOLDER / f"{name}.py")
    must_open_model = current_session().requested is not None  # Watch offers it; a page without a sidebar cannot
    if page in page_titles.CHROMELESS_PAGES and must_open_model:
        st.switch_page(page_titles.FOLDER / "watch.py")
    talk.follow()


def hidden_stage_link(page: str) -> None:
    """What the key S presses on a page that has no button for it: nobody sees it, and Tab passes by."""
    if page not in ("", "watch") and talk.active_talk() is None:
        with st.container(key="stage_way"):
            st.page_link(page_titles.FOLDER / "stage.py", label=_("On stage"))


def talk_bar_of_page(page: str) -> None:
    """While a talk is given: the page in larger letters with nothing around it, and the stop at its head."""
    active = talk.active_talk()
    if active is None:
        return
    if page == "talk":
        return
    st.html(f"<style>{(HERE / 'talk.css').read_text('utf-8')}</style>")
    talk_bar.show_bar(active)
