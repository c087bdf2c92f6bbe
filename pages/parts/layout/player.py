"""The player at the foot of the page: Restart, Back, Step, Play, speed; also on the keyboard."""

from __future__ import annotations

import streamlit as st

from pages.parts.runtime import playback
from pages.parts.session import current
from pages.parts.text import words


def player() -> float:
    """Draw the player, always in reach; returns the speed in steps a second.

    Stands outside the fragments that it drives, so that Pause resets their clock.
    """
    on = current.playing()
    with st.bottom, st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center", key="player"):
        st.button("Restart", on_click=current.restart, icon=":material/skip_previous:", type="tertiary", key="restart")
        st.button(
            words.NEW_DICE, on_click=current.new_dice, icon=":material/casino:", type="tertiary", key="new_dice", help=words.NEW_DICE_HELP
        )
        st.button("Back", on_click=current.go_back, icon=":material/undo:", shortcut="Left", key="back")
        st.button(
            "Step",
            on_click=current.step,
            icon=":material/arrow_forward:",
            shortcut="Right",
            type="primary",
            key="step",
        )
        # Two buttons with names of their own: a press that arrives twice (a tick of the clock can come in between) must not undo itself.
        if on:
            st.button("Pause", on_click=current.pause, icon=":material/pause:", shortcut="Space", key="pause")
        else:
            st.button("Play", on_click=current.play, icon=":material/play_arrow:", shortcut="Space", key="play")
        speed = st.select_slider(
            "Speed",
            current.SPEEDS,
            value=5.0,
            key="speed",
            format_func=words.speed,
            label_visibility="collapsed",
            persist_state="session",
            width=160,
        )
        crowd = playback.shared(float(speed))
        if crowd is not None:
            st.caption(words.SHARED.format(players=crowd[0], rate=words.speed(round(crowd[1], 1))), help=words.SHARED_HELP, width="content")
    return float(speed)
