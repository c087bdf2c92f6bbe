"""The player at the foot of the page: Restart, Back, Step, Play, speed; also on the keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.ui.components.keys.key_bindings import bound
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _
from pages.ui.session import current, playback, player_actions


def player() -> float:
    """Draw the player below the page, and return the speed in steps per second.

    It must be drawn outside the fragments that it drives, so that Pause resets their clock.
    """
    with st.bottom, st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center", key="player"):
        st.button(_("Restart"), on_click=player_actions.restart, icon=":material/skip_previous:", type="tertiary", key="restart")
        st.button(
            _("New text"),
            on_click=player_actions.new_dice,
            icon=":material/casino:",
            type="tertiary",
            key="new_dice",
            help=_("Back to the prompt with another seed. The text so far stays among the branches."),
        )
        st.button(_("Back"), on_click=player_actions.go_back, icon=":material/undo:", **bound("back"))
        st.button(_("Step"), on_click=player_actions.step, icon=":material/arrow_forward:", type="primary", **bound("step"))
        speed = play_and_speed(current.playing(), player_actions.play, player_actions.pause)
        crowd = playback.shared(speed)
        if crowd is not None:
            st.caption(
                _("{players} visitors play now: {rate}").format(players=crowd[0], rate=numbers.speed(round(crowd[1], 1))),
                help=_("One machine computes for all visitors, so each of them plays a little slower."),
                width="content",
            )
    return speed


def play_and_speed(playing: bool, play: Callable[[], None], pause: Callable[[], None], prefix: str = "") -> float:
    """Draw Play or Pause, and the speed; return it in steps per second. prefix: of the keys."""
    # Two buttons with different keys: a press that arrives twice must not undo itself.
    # During a run both are on the page. They stand in one place, because a button that moves aside loses a click.
    with st.container(width="content", key=f"{prefix}play_or_pause"):
        if playing:
            st.button(_("Pause"), on_click=pause, icon=":material/pause:", **bound(f"{prefix}pause"))
        else:
            st.button(_("Play"), on_click=play, icon=":material/play_arrow:", **bound(f"{prefix}play"))
    widget_options: dict[str, Any] = {"label_visibility": "collapsed", "persist_state": "session", "width": 160}
    return float(st.select_slider(_("Speed"), current.SPEEDS, value=5.0, key=f"{prefix}speed", format_func=numbers.speed, **widget_options))
