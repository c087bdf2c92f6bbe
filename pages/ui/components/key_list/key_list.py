"""The keys of the open page, listed at "?"."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.language import N_, _
from pages.ui.charts import charts, palette

KEYS = (
    (
        "→",
        N_("one step on"),
        (
            "step",
            "inside_step",
            "what_if_step",
            "candidates_beam_step",
        ),
    ),
    (
        "←",
        N_("one step back"),
        (
            "back",
            "inside_back",
        ),
    ),
    (
        N_("Space"),
        N_("play or pause; on a button reached with Tab it presses that button"),
        (
            "play",
            "pause",
            "what_if_play",
            "what_if_pause",
        ),
    ),
    (
        "S",
        N_("onto the stage"),
        ("to_stage", "stage_way"),
    ),
    (
        N_("Tab"),
        N_("on to the next control or group; Shift + Tab back"),
        (),
    ),
    (
        "← → ↑ ↓",
        N_("inside a group: along the words, the bars, the explained words, a slider"),
        (),
    ),
    (
        N_("Home, End"),
        N_("to the first and the last of a group"),
        (),
    ),
    (
        N_("Enter"),
        N_("take the bar, open the word, press the button"),
        (),
    ),
    (
        N_("Escape"),
        N_("close what is open"),
        (),
    ),
    (
        "?",
        N_("this list"),
        (),
    ),
)


HERE = Path(__file__).parent

_LIST = st.components.v2.component(
    "key_list",
    html='<dialog aria-labelledby="title"><h2 id="title"></h2><dl></dl><button type="button"></button></dialog>',
    css=(HERE / "key_list.css").read_text("utf-8"),
    js=(HERE / "key_list.js").read_text("utf-8"),
)


def key_list() -> None:
    """Stand ready; once for every page, from app.py. What has no button on the page is left out by the browser."""
    _LIST(
        key="key_list",
        data={
            "title": _("Keys of this page"),
            "close": _("Close"),
            "keys": [(_(keys), _(told), buttons) for keys, told, buttons in KEYS],
            "colours": palette.as_data(palette.of(charts.theme())),
        },
    )
