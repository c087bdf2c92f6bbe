"""Sidebar: the model, the presets, the sliders. The same on every page; app.py draws it once."""

from __future__ import annotations

import streamlit as st

from core import list_models
from pages.parts.layout import frame
from pages.parts.session import current
from pages.parts.session.sampling_controls import CONTROLS, IN_SIGHT, LARGEST_SEED, PRESET_HELP, PRESETS, Control, value_words
from pages.parts.session.state import touched
from pages.parts.text import numbers, words


def sidebar(rolling: bool = True) -> None:
    """Draw the model's card and the settings. rolling: whether the page makes any use of the settings; else they rest."""
    with st.sidebar:
        with frame.error_boundary():
            _model()
        with frame.error_boundary(), st.container(key="settings" if rolling else "resting"):
            if not rolling:
                st.caption(words.RESTING)
            _settings()


def _model() -> None:
    names = current.model_names()
    if not names:
        frame.show_notice(words.NO_MODEL)
        return
    titles = {entry.name: entry.title for entry in list_models()}
    st.selectbox("Model", names, key="model", format_func=lambda name: titles.get(name, name), help=words.MODEL_HELP, on_change=touched)
    model = current.model()
    size = f"{numbers.count(model.parameter_count)} parameters · {numbers.size(model.weight_bytes)}"
    st.caption(f"{size} · {words.device(model.device)}")
    if model.speaks_in_turns:
        st.toggle("As a chat", key="as_chat", help=words.CHAT_HELP, persist_state="session")
    for note in getattr(model, "notes", ()):
        st.caption(note)


def _settings() -> None:
    current.mark_preset()
    st.pills("Presets", list(PRESETS), key="preset", on_change=current.use_preset, help=PRESET_HELP)
    for control in CONTROLS:
        if control.key in IN_SIGHT:
            _widget(control)
    with st.expander("More", icon=":material/tune:"):
        for control in CONTROLS:
            if control.key not in IN_SIGHT:
                _widget(control)
    st.button("Reset", on_click=current.reset_settings, help=words.RESET_HELP, icon=":material/restart_alt:", type="tertiary")


def _widget(control: Control) -> None:
    """One setting, and what its value does to the text."""
    start = current.first_value(control)
    with st.container(gap=None):
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
