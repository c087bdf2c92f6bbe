"""Sidebar: the model, the presets, the sliders. The same on every page; app.py draws it once."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from core import list_models
from core.language import _
from pages.ui.i18n import numbers, phrases
from pages.ui.i18n.safe_text import plain
from pages.ui.server import loaded_models
from pages.ui.session import current, elements, roles
from pages.ui.session.sampling_controls import CONTROLS, IN_SIGHT, LARGEST_SEED, PRESET_HELP, PRESETS, Control, preset_of, value_words
from pages.ui.session.state import clear_notices


def sidebar(used: frozenset[str]) -> None:
    """Draw the model's card and the settings. used: the keys of those that change anything on the page; the others rest."""
    with st.sidebar:
        with elements.error_boundary():
            _model()
        with elements.error_boundary(), st.container(key="settings"):
            if not used.issuperset(control.key for control in CONTROLS):
                st.caption(
                    _("The grey ones rest here: they change nothing on this page as it is now.")
                    if used
                    else _("These rest on this page: nothing here is rolled with them.")
                )
            _settings(used)


def _model() -> None:
    names = current.model_names()
    if not names:
        elements.show_notice(_("There is no model on this machine. Put one into core/bundled, or open one by name."))
        return
    titles = {entry.name: entry.title for entry in list_models()}
    operator = roles.is_operator()

    def title(name: str) -> str:
        return titles.get(name) or (name if operator else loaded_models.title(name))

    st.selectbox(
        _("Model"),
        names,
        key="model",
        format_func=title,
        help=_("The network that writes. Bundled models need no network connection."),
        on_change=clear_notices,
    )
    model = current.model()
    parameters = _("{count} parameters").format(count=numbers.count(model.parameter_count))
    size = f"{parameters} · {numbers.size(model.weight_bytes)}"
    st.caption(f"{size} · {plain(phrases.device(model.device))}")
    if model.has_chat_template:
        st.toggle(
            _("As a chat"),
            key="as_chat",
            help=_("The model answers your text as one turn of a conversation. The pieces that its chat template adds are shown too."),
            persist_state="session",
        )
    for note in getattr(model, "notes", ()):
        st.caption(plain(_(note)))


def _settings(used: frozenset[str]) -> None:
    marked = preset_of(current.settings())
    with st.container(key="rests_presets" if len(used) <= 1 else "presets", gap="xsmall"):
        st.markdown(_("Presets"), help=_(PRESET_HELP))
        # Not one control that the settings turn, too: what it showed before would come back from a browser that has not heard of a turned
        # slider yet, look like a choice, and take the slider back.
        with st.container(horizontal=True, gap="xsmall", key="preset"):
            for name in PRESETS:
                look: Literal["primary", "secondary"] = "primary" if name == marked else "secondary"
                st.button(_(name), on_click=current.use_preset, args=(name,), type=look, key=f"preset_{name}")
    alone = used if len(used) == 1 else frozenset()  # the only one that counts stands in sight
    for control in CONTROLS:
        if control.key in IN_SIGHT or control.key in alone:
            _widget(control, control.key in used)
    with st.expander(_("More"), icon=":material/tune:"):
        for control in CONTROLS:
            if control.key not in IN_SIGHT and control.key not in alone:
                _widget(control, control.key in used)
    with st.container(key="rests_reset" if len(used) <= 1 else "reset"):
        st.button(
            _("Reset"),
            on_click=current.reset_settings,
            help=_("Everything off: the model's own odds."),
            icon=":material/restart_alt:",
            type="tertiary",
        )


def _widget(control: Control, used: bool) -> None:
    """One setting, and what its value does to the text."""
    start = current.first_value(control)
    with st.container(gap=None, key=f"setting_{control.key}" if used else f"rests_{control.key}"):
        if control.key == "greedy":
            value: float = st.toggle(
                _(control.label),
                value=bool(start),
                key=control.key,
                help=_(control.help),
                on_change=current.settings_changed,
            )
        elif control.key == "seed":
            value = st.number_input(
                _(control.label),
                min_value=0,
                max_value=LARGEST_SEED,
                value=int(start),
                step=1,
                key=control.key,
                help=_(control.help),
                on_change=current.settings_changed,
            )
        else:
            kind = type(control.start)
            value = st.slider(
                _(control.label),
                min_value=kind(control.low),
                max_value=kind(control.high),
                value=kind(start),
                step=kind(control.step),
                key=control.key,
                help=_(control.help),
                on_change=current.settings_changed,
            )
        st.caption(value_words(control, value))
