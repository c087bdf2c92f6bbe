"""The tour: fifteen stops, each with a live widget and one thing to try, in three voices."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import streamlit as st

from pages.tour import tour_widgets
from pages.ui import features
from pages.ui.components.keys.key_bindings import bound
from pages.ui.i18n.translation import _
from pages.ui.presenting import tour_experiment, tour_state, tour_texts
from pages.ui.session import elements, linked_controls, provenance
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.shell import frame

frame.page()

OWN: dict[str, Callable[[], None]] = {
    "send": tour_widgets.send,
    "pieces": tour_widgets.pieces,
    "meaning": tour_widgets.meaning,
    "layers": tour_widgets.layers,
    "odds": tour_widgets.odds,
    "why": tour_widgets.why,
    "dice": tour_widgets.throw,
    "loop": tour_widgets.loop,
    "price": tour_widgets.price,
}


def widget(stop: str) -> None:
    """Draw the widget of a stop: the tour's own one, or that of the page that shows more."""
    drawn = OWN.get(stop) or import_module(f"pages.{tour_texts.STOPS[stop]}.tour_stop").draw
    drawn()


def top(now: tour_state.Tour) -> None:
    """Draw the number of the stop, how many stops were tried, and the choice of the voice."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="tour_top"):
        count = len(tour_texts.ORDER)
        stop, tried = (
            _("Stop {number} of {count}").format(number=now.number, count=count),
            _("tried {done} of {count}").format(done=len(now.tried), count=count),
        )
        st.caption(f"{_('The tour')} · {stop} · {tried}", width="content")
        st.segmented_control(
            _("Voice"),
            tour_texts.VOICES,
            default=now.voice,
            key="tour_voice",
            format_func=lambda name: tour_texts.voice(name).title,
            on_change=tour_state.voice_chosen,
            label_visibility="collapsed",
            required=True,
            persist_state="session",
            help=None,
        )
    st.progress(now.number / count)


def ways(now: tour_state.Tour) -> None:
    """Draw the buttons to the other stops."""
    with st.bottom, st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center", key="tour_ways"):
        first, last = now.number == 1, now.number == len(tour_texts.ORDER)
        st.button(_("Back"), on_click=tour_state.move, args=(-1,), icon=":material/arrow_back:", disabled=first, **bound("tour_back"))
        with st.popover(_("All stops"), icon=":material/list:"):
            stops = tour_texts.voice(now.voice).stops
            for number, stop in enumerate(tour_texts.ORDER, start=1):
                mark = ":material/check:" if stop in now.tried else None
                st.button(
                    f"{number}. {stops[stop].title}",
                    on_click=tour_state.go,
                    args=(stop,),
                    icon=mark,
                    type="tertiary",
                    key=f"tour_to_{stop}",
                )
        on, to = (_("Start again"), tour_texts.ORDER[0]) if last else (_("Next"), tour_texts.ORDER[now.number])
        st.button(on, on_click=tour_state.go, args=(to,), icon=":material/arrow_forward:", type="primary", **bound("tour_on"))


def deeper(now: tour_state.Tour) -> None:
    """Draw the link to the page of this stop."""
    page = tour_texts.STOPS[now.stop]
    elements.page_link(
        page,
        label=_("Go deeper: {title}").format(title=features.title_of(page)),
        icon=":material/open_in_new:",
        width="content",
    )


now = tour_state.tour()
if not linked_controls.is_written():
    tour_state.apply_query(st.query_params.to_dict())
linked_controls.put(now.address())
top(now)
text = tour_texts.voice(now.voice).stops[now.stop]
st.markdown(f"# {text.title}")
st.markdown(text.said)
attempt = st.container(key="tour_attempt")
with drawing_boundary(), st.container(border=True, key=f"tour_widget_{now.stop}"):
    with provenance.of_result(tour_experiment.made_by(prompt=None)):
        widget(now.stop)
    elements.notices("tour_widget")
linked_controls.put(now.address())
with attempt:
    if now.stop in now.tried:
        st.success(_("**Done.** {text}").format(text=text.noticed), icon=":material/check:")
    else:
        st.markdown(_("**Try it.** {text}").format(text=text.attempt))
    elements.notices()
st.caption(_("The limit of this picture: {text}").format(text=text.limit))
if now.number == len(tour_texts.ORDER):
    st.markdown(_("That was the last stop. The other pages show the same model with all settings."))
deeper(now)
ways(now)
