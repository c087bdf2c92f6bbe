"""Play or Pause, and the speed, for a page whose steps are drawn by Streamlit, as What if."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.ui.components.keys.key_bindings import bound
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _
from pages.ui.session import current


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
