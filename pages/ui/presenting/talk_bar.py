"""Talk bar: the current stop of a talk, drawn above every page; its keys go to other stops, its links open the stage and the notes."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.ui import features
from pages.ui.components.stage import texts
from pages.ui.components.talk_bar.talk_bar import talk_bar
from pages.ui.i18n.translation import _, said
from pages.ui.presenting import talk
from pages.ui.session import current
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
    st.html(f"<style>{(HERE / 'talk.css').read_text('utf-8')}{only_shown()}</style>")
    show_bar()


KEY = "talk_bar"
DETAIL = '[class*="st-key-detail_"]'  # of the page, for a reader who has time; a talk leaves it out
PLAYER = '[data-testid="stBottom"]'  # the bar presses its button, though it is hidden


def only_shown() -> str:
    """Return the style that hides all of a page but the parts that the stop shows, its button, this bar and the list of keys; "" without.

    Within a part, a container with the key `detail_...` is hidden, too: figures and controls for which the screen has no room.

    A stop with a button hides all results until it is pressed, so that the audience does not see the answer before the question.

    A key of Streamlit is the class `st-key-<key>` of its element; the key of a result ends in `_outdated` after a change of controls.
    """
    active = talk.active_talk()
    stop = active.talk.stops[active.place] if active is not None else None
    if stop is None or not stop.shown:
        return ""
    begun = talk.new_results()
    keys = [*stop.shown, *([stop.start] if stop.start and not begun else []), KEY, "keys"]
    parts = [*(f".st-key-{key}" for key in keys), *(f".st-key-{key}_outdated" for key in stop.shown), ".stAlert", ".stException"]
    kept, inside = ", ".join(parts), ", ".join(f"{part} *" for part in parts)
    blocks = ':is(.stElementContainer, .stVerticalBlock, .stHorizontalBlock, .stColumn, .stLayoutWrapper, .stExpander, [class*="st-key-"])'
    others = f".stMainBlockContainer {blocks}:not(:has({kept})):not({kept}):not({inside})"
    details = f".stMainBlockContainer {DETAIL}, .stColumn:has(> * > :only-child > {DETAIL})"
    style = f"{others}, {details}, {PLAYER} {{ display: none !important; }}"
    if not stop.start:
        return style
    live = "".join(f":not(.st-key-result_{name})" for name in begun)
    return f'{style} .stMainBlockContainer [class*="st-key-result_"]{live} {{ display: none !important; }}'


def show_bar() -> None:
    """Draw the talk bar and receive its keys."""
    data = {"talk": talk.shown_stop(), "texts": said(texts.TEXTS), "session": current.current_session().name}
    talk_bar(KEY, data, _pressed)


@current.error_boundary
def _pressed() -> None:
    """Open the next or previous stop, or leave the talk."""
    event = getattr(st.session_state.get(KEY), "did", None)
    active = talk.active_talk()
    if active is None or not isinstance(event, dict):
        return
    if event.get("leave"):
        active.leave = True
    elif event.get("by") in (1, -1):
        active.go = talk.neighbour(event["by"])
