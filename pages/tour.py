"""The tour: fourteen stops from a press to the last word, each with a live widget and one thing to try, told in three voices."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.language import _
from pages.parts.layout import frame, navigation, tour_experiments, tour_stops
from pages.parts.runtime import touring
from pages.parts.session import current
from pages.parts.text import voices

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
        where, done = (
            _("Stop {number} of {count}").format(number=now.number, count=count),
            _("tried {done} of {count}").format(done=len(now.tried), count=count),
        )
        st.caption(f"{_('The tour')} · {where} · {done}", width="content")
        st.segmented_control(
            _("Told in"),
            voices.VOICES,
            default=now.voice,
            key="tour_voice",
            format_func=lambda name: voices.voice(name).title,
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
            _("Back"), on_click=touring.by, args=(-1,), icon=":material/arrow_back:", shortcut="Left", disabled=first, key="tour_back"
        )
        with st.popover(_("All stops"), icon=":material/list:"):
            stops = voices.voice(now.voice).stops
            for number, stop in enumerate(touring.ORDER, start=1):
                mark = ":material/check:" if stop in now.tried else None
                st.button(
                    f"{number}. {stops[stop].title}", on_click=touring.go, args=(stop,), icon=mark, type="tertiary", key=f"tour_to_{stop}"
                )
        on, to = (_("Once more from the start"), touring.ORDER[0]) if last else (_("On"), touring.ORDER[now.number])
        st.button(on, on_click=touring.go, args=(to,), icon=":material/arrow_forward:", shortcut="Right", type="primary", key="tour_on")


def deeper(now: touring.Tour) -> None:
    """The page behind this stop."""
    file = touring.STOPS[now.stop]
    title = next(title for _group, listed, title, _sight in navigation.PAGES if listed == file)
    st.page_link(frame.PAGES / file, label=_("Go deeper: {title}").format(title=_(title)), icon=":material/open_in_new:", width="content")


now = touring.tour()
if not current.current_session().place:
    touring.arrive(st.query_params.to_dict())
current.current_session().place = now.address()
top(now)
told = voices.voice(now.voice).stops[now.stop]
st.markdown(f"# {told.title}")
st.markdown(told.said)
attempt = st.container(key="tour_attempt")
with frame.error_boundary(), st.container(border=True, key=f"tour_widget_{now.stop}"):
    WIDGETS[now.stop]()
    frame.notices("tour_widget")
current.current_session().place = now.address()
with attempt:
    if now.stop in now.tried:
        st.success(_("**You did.** {text}").format(text=told.noticed), icon=":material/check:")
    else:
        st.markdown(_("**Try it.** {text}").format(text=told.attempt))
    frame.notices()
st.caption(_("Where the picture ends: {text}").format(text=told.limit))
if now.number == len(touring.ORDER):
    st.markdown(_("That was the whole way, from a press to the last word. The rest of the app is the same machine with all its knobs."))
deeper(now)
ways(now)
