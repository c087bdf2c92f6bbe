"""Talk bar: the stop of the running order that is shown, over a page; its keys go on and back."""

from __future__ import annotations

import streamlit as st

from core.language import said
from pages.ui.charts import charts
from pages.ui.components.stage import texts
from pages.ui.components.talk_bar.talk_bar import talk_bar
from pages.ui.presenting import talk
from pages.ui.presenting.talk import ActiveTalk
from pages.ui.session import current

KEY = "talk_bar"


def show_bar(active: ActiveTalk) -> None:
    """Show where the talk is, and listen to its keys."""
    talk_bar(KEY, bar_data(active), _pressed)


def bar_data(active: ActiveTalk) -> dict[str, object]:
    """The bar as the browser gets it."""
    stops = active.talk.stops
    stop, later = stops[active.place], stops[active.place + 1 : active.place + 2]
    told = {"name": active.talk.name, "place": active.place, "count": len(stops), "title": stop.title, "say": stop.say}
    return {
        "colours": charts.colours(),
        "talk": told | {"words": stop.words, "next": later[0].title if later else ""},
        "texts": said(texts.TEXTS),
        "session": current.current_session().name,
    }


@current.error_boundary
def _pressed() -> None:
    """On, back, or out of the talk."""
    event = getattr(st.session_state.get(KEY), "did", None)
    active = talk.active_talk()
    if active is None or not isinstance(event, dict):
        return
    if event.get("leave"):
        active.leave = True
    elif event.get("by") in (1, -1):
        active.go = talk.neighbour(event["by"])
