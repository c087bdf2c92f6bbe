"""The tour: fourteen stops from a press to the last word, each with a live widget and one thing to try, told in three voices."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.parts.layout import frame, navigation, tour_experiments, tour_stops
from pages.parts.runtime import touring
from pages.parts.session import current
from pages.parts.text import tour_words as words

frame.page()

WIDGETS: dict[str, Callable[[], None]] = {
    "send": tour_stops.send,
    "pieces": tour_stops.pieces,
    "meaning": tour_stops.meaning,
    "layers": tour_stops.layers,
    "odds": tour_stops.odds,
    "dice": tour_stops.throw,
    "loop": tour_stops.loop,
    "notepad": tour_experiments.notepad,
    "full": tour_experiments.full,
    "many": tour_experiments.many,
    "guess": tour_experiments.guess,
    "price": tour_stops.price,
    "aloud": tour_experiments.aloud,
    "back": tour_stops.back,
}


def top(now: touring.Tour) -> None:
    """Where one is, how much was tried, and who tells it."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="tour_top"):
        count = len(touring.ORDER)
        where, done = words.WHERE.format(number=now.number, count=count), words.DONE.format(done=len(now.tried), count=count)
        st.caption(f"{words.TITLE} · {where} · {done}", width="content")
        st.segmented_control(
            words.VOICE,
            words.VOICES,
            default=now.voice,
            key="tour_voice",
            format_func=lambda name: words.voice(name).title,
            on_change=touring.speak,
            label_visibility="collapsed",
            required=True,
            persist_state="session",
            help=None,
        )
    st.progress(now.number / count)


def ways(now: touring.Tour) -> None:
    """Back, on, all stops."""
    with st.bottom, st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center", key="tour_ways"):
        first, last = now.number == 1, now.number == len(touring.ORDER)
        st.button(
            words.BACK, on_click=touring.by, args=(-1,), icon=":material/arrow_back:", shortcut="Left", disabled=first, key="tour_back"
        )
        with st.popover(words.AROUND, icon=":material/list:"):
            stops = words.voice(now.voice).stops
            for number, stop in enumerate(touring.ORDER, start=1):
                mark = ":material/check:" if stop in now.tried else None
                st.button(
                    f"{number}. {stops[stop].title}", on_click=touring.go, args=(stop,), icon=mark, type="tertiary", key=f"tour_to_{stop}"
                )
        on, to = (words.AGAIN, touring.ORDER[0]) if last else (words.ON, touring.ORDER[now.number])
        st.button(on, on_click=touring.go, args=(to,), icon=":material/arrow_forward:", shortcut="Right", type="primary", key="tour_on")


def deeper(now: touring.Tour) -> None:
    """The page behind this stop."""
    file = touring.STOPS[now.stop]
    title = next(title for _, listed, title, _ in navigation.PAGES if listed == file)
    st.page_link(frame.PAGES / file, label=words.DEEPER.format(title=title), icon=":material/open_in_new:", width="content")


now = touring.tour()
if not current.current_session().place:
    touring.arrive(st.query_params.to_dict())
current.current_session().place = now.address()
top(now)
told = words.voice(now.voice).stops[now.stop]
st.markdown(f"# {told.title}")
st.markdown(told.said)
attempt = st.container(key="tour_attempt")
with frame.error_boundary(), st.container(border=True, key=f"tour_widget_{now.stop}"):
    WIDGETS[now.stop]()
    frame.notices("tour_widget")
current.current_session().place = now.address()
with attempt:
    if now.stop in now.tried:
        st.success(words.NOTICED.format(text=told.noticed), icon=":material/check:")
    else:
        st.markdown(words.TRY.format(text=told.attempt))
    frame.notices()
st.caption(words.LIMIT.format(text=told.limit[0].lower() + told.limit[1:]))
if now.number == len(touring.ORDER):
    st.markdown(words.END)
deeper(now)
ways(now)
