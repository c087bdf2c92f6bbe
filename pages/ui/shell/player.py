"""The player at the foot of the page: Restart, Back, Step, Play, speed; also on the keyboard."""

from __future__ import annotations

import streamlit as st

from core.language import _
from pages.ui.i18n import numbers
from pages.ui.session import current, playback


def player() -> float:
    """Draw the player, always in reach; returns the speed in steps a second.

    Stands outside the fragments that it drives, so that Pause resets their clock.
    """
    on = current.playing()
    with st.bottom, st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center", key="player"):
        st.button(_("Restart"), on_click=current.restart, icon=":material/skip_previous:", type="tertiary", key="restart")
        st.button(
            _("New dice"),
            on_click=current.new_dice,
            icon=":material/casino:",
            type="tertiary",
            key="new_dice",
            help=_("Back to the prompt with another seed. What was written stays among the branches."),
        )
        st.button(_("Back"), on_click=current.go_back, icon=":material/undo:", shortcut="Left", key="back")
        st.button(
            _("Step"),
            on_click=current.step,
            icon=":material/arrow_forward:",
            shortcut="Right",
            type="primary",
            key="step",
        )
        # Two buttons with names of their own: a press that arrives twice (a tick of the clock can come in between) must not undo itself.
        if on:
            st.button(_("Pause"), on_click=current.pause, icon=":material/pause:", shortcut="Space", key="pause")
        else:
            st.button(_("Play"), on_click=current.play, icon=":material/play_arrow:", shortcut="Space", key="play")
        speed = st.select_slider(
            _("Speed"),
            current.SPEEDS,
            value=5.0,
            key="speed",
            format_func=numbers.speed,
            label_visibility="collapsed",
            persist_state="session",
            width=160,
        )
        crowd = playback.shared(float(speed))
        if crowd is not None:
            st.caption(
                _("{players} play here now: {rate}").format(players=crowd[0], rate=numbers.speed(round(crowd[1], 1))),
                help=_("One machine writes for everybody who plays. Nobody waits in line; all go a little slower."),
                width="content",
            )
    return float(speed)
