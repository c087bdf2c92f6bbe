"""Sidebar: the model, the presets, the sliders. The same on every page; app.py draws it once."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from core import list_models
from pages.parts.layout import frame
from pages.parts.runtime import loaded_models
from pages.parts.session import current, roles
from pages.parts.session.sampling_controls import CONTROLS, IN_SIGHT, LARGEST_SEED, PRESET_HELP, PRESETS, Control, preset_of, value_words
from pages.parts.session.state import touched
from pages.parts.text import numbers, words
from pages.parts.text.plain import plain


def sidebar(used: frozenset[str]) -> None:
    """Draw the model's card and the settings. used: the keys of those that change anything on the page; the others rest."""
    with st.sidebar:
        with frame.error_boundary():
            _model()
        with frame.error_boundary(), st.container(key="settings"):
            if not used.issuperset(control.key for control in CONTROLS):
                st.caption(words.RESTING_BUT if used else words.RESTING)
            _settings(used)


def _model() -> None:
    names = current.model_names()
    if not names:
        frame.show_notice(words.NO_MODEL)
        return
    titles = {entry.name: entry.title for entry in list_models()}
    operator = roles.is_operator()

    def title(name: str) -> str:
        return titles.get(name) or (name if operator else loaded_models.title(name))

    st.selectbox("Model", names, key="model", format_func=title, help=words.MODEL_HELP, on_change=touched)
    model = current.model()
    size = f"{numbers.count(model.parameter_count)} parameters · {numbers.size(model.weight_bytes)}"
    st.caption(f"{size} · {plain(words.device(model.device))}")
    if model.speaks_in_turns:
        st.toggle("As a chat", key="as_chat", help=words.CHAT_HELP, persist_state="session")
    for note in getattr(model, "notes", ()):
        st.caption(plain(note))


def _settings(used: frozenset[str]) -> None:
    marked = preset_of(current.settings())
    with st.container(key="rests_presets" if len(used) <= 1 else "presets", gap="xsmall"):
        st.markdown("Presets", help=PRESET_HELP)
        # Not one control that the settings turn, too: what it showed before would come back from a browser that has not heard of a turned
        # slider yet, look like a choice, and take the slider back.
        with st.container(horizontal=True, gap="xsmall", key="preset"):
            for name in PRESETS:
                look: Literal["primary", "secondary"] = "primary" if name == marked else "secondary"
                st.button(name, on_click=current.use_preset, args=(name,), type=look, key=f"preset_{name}")
    alone = used if len(used) == 1 else frozenset()  # the only one that counts stands in sight
    for control in CONTROLS:
        if control.key in IN_SIGHT or control.key in alone:
            _widget(control, control.key in used)
    with st.expander("More", icon=":material/tune:"):
        for control in CONTROLS:
            if control.key not in IN_SIGHT and control.key not in alone:
                _widget(control, control.key in used)
    with st.container(key="rests_reset" if len(used) <= 1 else "reset"):
        st.button("Reset", on_click=current.reset_settings, help=words.RESET_HELP, icon=":material/restart_alt:", type="tertiary")


def _widget(control: Control, used: bool) -> None:
    """One setting, and what its value does to the text."""
    start = current.first_value(control)
    with st.container(gap=None, key=f"setting_{control.key}" if used else f"rests_{control.key}"):
        if control.key == "greedy":
            value: float = st.toggle(
                control.label,
                value=bool(start),
                key=control.key,
                help=control.help,
                on_change=current.settings_changed,
            )
        elif control.key == "seed":
            value = st.number_input(
                control.label,
                min_value=0,
                max_value=LARGEST_SEED,
                value=int(start),
                step=1,
                key=control.key,
                help=control.help,
                on_change=current.settings_changed,
            )
        else:
            kind = type(control.start)
            value = st.slider(
                control.label,
                min_value=kind(control.low),
                max_value=kind(control.high),
                value=kind(start),
                step=kind(control.step),
                key=control.key,
                help=control.help,
                on_change=current.settings_changed,
            )
        st.caption(value_words(control, value))
