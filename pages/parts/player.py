"""The player at the foot of the page: Restart, Back, Step, Play, speed; also on the keyboard."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.parts import frame, visit, words


def player(redraw: Sequence[str] = ()) -> float:
    """Draw the player, always in reach; returns the speed in steps a second.

    Stands outside the fragments that it drives. redraw: the keys of those fragments; a step then redraws only them, not the whole page.
    """
    playing = visit.playing()
    only = tuple(redraw)
    with st.bottom, st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center", key="player"):
        st.button(
            "Restart", on_click=frame.then, args=(visit.restart, only), icon=":material/skip_previous:", type="tertiary", key="restart"
        )
        st.button("Back", on_click=frame.then, args=(visit.go_back, only), icon=":material/undo:", shortcut="Left", key="back")
        st.button(
            "Step",
            on_click=frame.then,
            args=(visit.step, only),
            icon=":material/arrow_forward:",
            shortcut="Right",
            type="primary",
            key="step",
        )
        # Two buttons with names of their own: a press that arrives twice (a tick of the clock can come in between) must not undo itself.
        if playing:
            st.button("Pause", on_click=visit.pause, icon=":material/pause:", shortcut="Space", key="pause")
        else:
            st.button("Play", on_click=visit.play, icon=":material/play_arrow:", shortcut="Space", key="play")
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
