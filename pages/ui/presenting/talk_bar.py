"""Talk bar: the current stop of a talk, drawn above a page; its keys go to other stops."""

from __future__ import annotations

import streamlit as st

from pages.ui.charts import charts
from pages.ui.components.stage import texts
from pages.ui.components.talk_bar.talk_bar import talk_bar
from pages.ui.i18n.language import said
from pages.ui.presenting import talk
from pages.ui.presenting.talk import ActiveTalk
from pages.ui.session import current

KEY = "talk_bar"


def show_bar(active: ActiveTalk) -> None:
    """Draw the talk bar and receive its keys."""
    talk_bar(KEY, bar_data(active), _pressed)


def bar_data(active: ActiveTalk) -> dict[str, object]:
    """Return the data of the bar for the browser."""
    stops = active.talk.stops
    stop, later = stops[active.place], stops[active.place + 1 : active.place + 2]
    shown = {"name": active.talk.name, "place": active.place, "count": len(stops), "title": stop.title, "say": stop.say}
    return {
        "colours": charts.colours(),
        "talk": shown | {"words": stop.words, "next": later[0].title if later else ""},
        "texts": said(texts.TEXTS),
        "session": current.current_session().name,
    }


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
