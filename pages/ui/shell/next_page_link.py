"""The way on: the last line of every page. Nobody ends in a dead end."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.language import _
from pages.ui.i18n import page_titles
from pages.ui.presenting import talk, tour_state

GUIDED = frozenset({"tour", "stage", "notes"})  # pages that lead on by themselves
AFTER = {"watch.py": "inside.py"}  # where another page than the following one is the next thing to see


def following(path: str) -> tuple[str, str, str]:
    """The page to see after the one with this path: its file, its title, what one sees there."""
    listed = [(file, title, sight) for _group, file, title, sight in page_titles.PAGES if Path(file).stem not in GUIDED]
    files = [file for file, *_rest in listed]
    here = f"{path}.py" if f"{path}.py" in files else files[0]
    wanted = AFTER.get(here, files[(files.index(here) + 1) % len(files)])
    return listed[files.index(wanted)]


def show_next_page_link(path: str) -> None:
    """The last line of the page with this path."""
    if path in GUIDED or talk.active_talk() is not None:  # whoever gives a talk has an order of their own
        return
    file, title, sight = following(path)
    with st.container(key="next_page_link", gap="xsmall"):
        begun = tour_state.active_tour()
        if begun is not None:
            back = _("Back to the tour, stop {number}").format(number=begun.number)
            st.page_link(page_titles.FOLDER / "tour.py", label=back, icon=":material/hiking:", width="content")
        label = _("Next: **{title}.** {sight}").format(title=_(title), sight=_(sight))
        st.page_link(page_titles.FOLDER / file, label=label, icon=":material/arrow_forward:", width="content")
