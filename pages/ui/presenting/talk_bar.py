"""Talk bar: the current stop of a talk, drawn above a page; its keys go to other stops."""

from __future__ import annotations

import streamlit as st

from pages.ui.components.stage import texts
from pages.ui.components.talk_bar.talk_bar import talk_bar
from pages.ui.i18n.translation import said
from pages.ui.presenting import talk
from pages.ui.session import current

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
