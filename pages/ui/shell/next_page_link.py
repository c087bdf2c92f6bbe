"""The link to the next page, at the end of every page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.ui.i18n import page_titles, phrases
from pages.ui.i18n.translation import _
from pages.ui.presenting import talk, tour_state

GUIDED = frozenset({"tour", "stage", "notes", "operator"})  # pages with links of their own
AFTER = {"watch.py": "inside.py"}  # where the next page is not the following one in the menu


def following(path: str) -> tuple[str, str, str]:
    """Return file, title and sentence of the page after the one with this path."""
    listed = [(file, title, sight) for _group, file, title, sight in page_titles.PAGES if Path(file).stem not in GUIDED]
    files = [file for file, *_rest in listed]
    here = f"{path}.py" if f"{path}.py" in files else files[0]
    wanted = AFTER.get(here, files[(files.index(here) + 1) % len(files)])
    return listed[files.index(wanted)]


def show_next_page_link(path: str) -> None:
    """Draw the link at the end of the page with this path."""
    if path in GUIDED or talk.active_talk() is not None:  # a talk has its own order
        return
    file, title, sight = following(path)
    with st.container(key="next_page_link", gap="xsmall"):
        begun = tour_state.active_tour()
        if begun is not None:
            back = _("Back to the tour, stop {number}").format(number=begun.number)
            st.page_link(page_titles.FOLDER / "tour.py", label=back, icon=":material/hiking:", width="content")
        label = _("Next: **{title}** {sight}").format(title=phrases.as_sentence(_(title)), sight=_(sight))
        st.page_link(page_titles.FOLDER / file, label=label, icon=":material/arrow_forward:", width="content")
