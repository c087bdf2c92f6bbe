"""The player at the foot of the page: Restart, Back, Step, Play, speed; also on the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from pages.parts import visit, words


def player(redraw: Sequence[str] = ()) -> float:
    """Draw the player, always in reach; returns the speed in steps a second.

    Stands outside the fragments that it drives. redraw: the keys of those fragments; a step then redraws only them, not the whole page.
    """
    playing = visit.playing()
    only = [] if playing else list(redraw)
    with st.bottom, st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center", key="player"):
        st.button("Restart", on_click=_then, args=(visit.restart, only), icon=":material/skip_previous:", type="tertiary", key="restart")
        st.button("Back", on_click=_then, args=(visit.go_back, only), icon=":material/undo:", shortcut="Left", key="back")
        st.button(
            "Step", on_click=_then, args=(visit.step, only), icon=":material/arrow_forward:", shortcut="Right", type="primary", key="step"
        )
        st.button(
            "Pause" if playing else "Play",
            on_click=visit.play_or_pause,
            icon=":material/pause:" if playing else ":material/play_arrow:",
            shortcut="Space",
            key="play",
        )
        speed = st.select_slider(
            "Speed",
            visit.SPEEDS,
            value=5.0,
            key="speed",
            format_func=words.speed,
            label_visibility="collapsed",
            persist_state="session",
            width=160,
        )
    return float(speed)


def _then(verb: Callable[[], None], redraw: list[str]) -> None:
    """Do it, then redraw what it changes."""
    verb()
    if redraw:
        st.rerun(redraw)
