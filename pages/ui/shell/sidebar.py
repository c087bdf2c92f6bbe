"""Sidebar: the model, the presets (own ones too) and the sampling settings. app.py draws it on every page."""

from __future__ import annotations

from typing import Any, Literal

import streamlit as st

from core.generation import loops
from core.generation.ending import FEWEST_COPIES, LONGEST_TEXT, MOST_TEXTS, MOST_TOKENS
from core.sampling.presets import PRESETS
from core.sampling.settings_row import Setting
from core.sources.capabilities import Can
from pages.ui.features import Feature
from pages.ui.i18n import numbers, phrases, spoken_language
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.server import offered_models
from pages.ui.session import conversation, current, elements, notices, opened_recording, own_models, own_presets, sampler_actions
from pages.ui.session.elements import clear_notices
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.sampling_controls import ALL, CONTROLS, LARGEST_SEED, can_be_shown, preset_of, same_preset, without_effect
from pages.ui.session.state import current_session
from pages.ui.shell import all_samplers, recorded_settings

WATCH = ("", "watch")  # the paths of the Watch page, which is the landing page
MORE = "watch_more"  # key of the switch that shows all of Watch
LONGEST_STOPS = MOST_TEXTS * (LONGEST_TEXT + 1)  # characters


def save_settings() -> None:
    """Draw the popover."""
    about = _("Save these settings as a preset of your own. Your browser keeps it.")
    with st.popover(_("Save these settings"), help=about, icon=":material/bookmark_add:", type="tertiary", key="save_settings"):
        st.text_input(_("Name of the preset"), max_chars=own_presets.LONGEST_NAME, key=own_presets.NAME)
        elements.notices(own_presets.NAME)
        st.button(_("Save preset"), on_click=own_presets.save, type="primary", key="own_preset_save")
        for number, name in enumerate(own_presets.own_presets().presets):
            delete = _("Delete {name}").format(name=plain(name))
            st.button(
                delete, on_click=own_presets.delete, args=(name,), icon=":material/delete:", type="tertiary", key=f"own_delete_{number}"
            )


def used_settings(feature: Feature) -> frozenset[str]:
    """Return the names of the settings that count on a page now."""
    return ALL if feature.settings is None else feature.settings() if callable(feature.settings) else feature.settings


def sidebar(used: frozenset[str]) -> None:
    """Draw the model, and the settings that count on the page. used: their keys."""
    with st.sidebar:
        with drawing_boundary():
            recording = opened_recording.shown() if current_session().page.path in WATCH and current.model_names() else None
            if recording is not None:
                recorded_settings.sidebar(recording)
                return
        with drawing_boundary():
            _model()
        if used:
            with drawing_boundary(), st.container(key="settings"):
                _settings(used)


def _model() -> None:
    names = current.model_names()
    if not names:
        notices.show_notice(_("There is no model on this machine. Put one into core/bundled, or open one by name."))
        return
    st.selectbox(
        _("Model"),
        names,
        key="model",
        format_func=offered_models.title,
        on_change=clear_notices,
    )
    model = current.model()
    parameters = _("{count} parameters").format(count=numbers.count(model.parameter_count))
    memory = _("{size} in memory").format(size=numbers.size(model.weight_bytes))
    size = f"{parameters} · {memory} · " if model.parameter_count else ""
    st.caption(f"{size}{plain(phrases.device(model.device))}")
    if (pair := own_models.pair()) is not None:
        st.toggle(
            _("With its adapter"),
            value=model.name == pair.with_adapter,
            key=f"adapter_{pair.with_adapter}_{model.name}",
            on_change=own_models.switch,
            args=(pair,),
            help=_("Switches the adapter at this step: the text stays, and the probabilities are those of the other model."),
        )
    if Can.CHAT in model.can:
        st.toggle(
            _("As a chat"),
            key="as_chat",
            help=_("The model answers your text as one turn of a conversation. The tokens that its chat template adds are shown, too."),
            persist_state="session",
        )
    for note in getattr(model, "notes", ()):
        st.caption(plain(_(note)))


def _settings(used: frozenset[str]) -> None:
    own_presets.keep()
    shown = [row for row in CONTROLS if row.name in used]
    if len(shown) > 1:
        _presets()
    few = current_session().page.path in WATCH and not current.field(MORE)
    in_sight = [row for row in shown if row.name == "temperature" or (row.where == "sight" and not few) or len(shown) == 1]
    for row in in_sight:
        _widget(row, with_help=not few)
    if len(shown) > 1:
        all_samplers.chips(few and preset_of(current.settings()) is None)
    if (more := [row for row in shown if row not in in_sight]) and not few:
        with st.expander(_("More settings"), icon=":material/tune:", key="more_settings", on_change=clear_notices):
            for row in more:
                _widget(row)
            if current_session().page.path in WATCH:
                _ending()
            all_samplers.button()
            save_settings()
            about = _("The model's own probabilities are used. The seed stays.")
            st.button(
                _("All settings off"),
                on_click=sampler_actions.reset_settings,
                help=about,
                icon=":material/restart_alt:",
                type="tertiary",
                key="reset",
            )


def _ending() -> None:
    """Draw where the text of the Watch page stops by request."""
    around = current_session().around
    ending = around.ending
    fields = ("stop_texts", "most_new_tokens", "stop_on_loop", "thinking_budget", "thinking_end")
    keys = tuple(f"{name}_{around.times_set}" for name in fields)
    widget_options: dict[str, Any] = {"on_change": conversation.ending_changed, "args": keys}
    written = "\n".join(text.replace("\n", "\\n") for text in ending.texts)
    about = _("The text ends with the token that completes one of these texts. One per line; \\n stands for a line break.")
    st.text_area(_("Stop texts"), written, key=keys[0], help=about, max_chars=LONGEST_STOPS, height=68, **widget_options)
    about = _("The text ends after so many new tokens. 0: no limit.")
    st.number_input(_("Most new tokens"), 0, MOST_TOKENS, ending.tokens, key=keys[1], help=about, **widget_options)
    about = _("The text ends when its newest tokens have come so many times in a row, at least {least} tokens together.")
    copies = [0, *range(FEWEST_COPIES, 7)]
    copies += [ending.copies] if ending.copies not in copies else []  # of a link
    st.selectbox(
        _("Stop on a loop"),
        copies,
        copies.index(ending.copies),
        format_func=lambda count: _("after {count} copies").format(count=count) if count else _("off"),
        key=keys[2],
        help=about.format(least=numbers.whole(loops.LEAST)),
        **widget_options,
    )
    about = _("After so many tokens of thoughts, their end is written by force. Empty: no limit.")
    label, unlimited = _("Most tokens of thoughts"), _("no limit")
    st.number_input(label, 0, MOST_TOKENS, ending.thoughts, key=keys[3], help=about, placeholder=unlimited, **widget_options)
    if ending.thoughts is not None or ending.thoughts_end:
        marks = current.model().thinking_marks if current.model_names() else ()
        placeholder = marks[0].closing if marks else ""
        about = _("Empty: the closing tag of the chat template. With a text of your own, all new tokens are thoughts until it is written.")
        label = _("Text that ends thoughts")
        st.text_input(
            label, ending.thoughts_end, max_chars=LONGEST_TEXT, key=keys[4], help=about, placeholder=placeholder, **widget_options
        )
        if not marks and not ending.thoughts_end:
            st.caption(_("This model has no tags for thoughts. Write a text that ends them."))


def _presets() -> None:
    marked = preset_of(current.settings())
    with st.container(key="presets", gap="xsmall"):
        st.markdown(_("Presets"))
        # Buttons, not one control: the browser could send a control's old value after a slider was moved, and this would undo the slider.
        with st.container(horizontal=True, gap="xsmall", key="preset"):
            for name in PRESETS:
                button_type: Literal["primary", "secondary"] = "primary" if name == marked else "secondary"
                about = phrases.settings_summary(PRESETS[name])
                st.button(_(name), on_click=sampler_actions.use_preset, args=(name,), type=button_type, key=f"preset_{name}", help=about)
            _recommended(marked)
            for number, name in enumerate(own_presets.own_presets().presets):
                appearance: Literal["primary", "secondary"] = "primary" if own_presets.is_used(name, current.settings()) else "secondary"
                st.button(plain(name), on_click=own_presets.use, args=(name,), type=appearance, key=f"own_preset_{number}")


def _recommended(marked: str | None) -> None:
    """Draw the preset of the model's makers, for a loaded model that comes with one."""
    model = offered_models.in_memory().get(current.model_name()) if current.model_names() else None
    settings = model.recommended if model is not None else None
    if settings is None or not can_be_shown(settings):
        return
    now = current.settings()
    button_type: Literal["primary", "secondary"] = "primary" if marked is None and same_preset(settings, now) else "secondary"
    sentence = _("The settings that come with this model, in its generation_config.json or in the GGUF file.")
    st.button(
        _("As its makers recommend"),
        on_click=sampler_actions.use_preset,
        args=("recommended",),
        type=button_type,
        key="preset_own",
        help=sentence,
    )


def _widget(row: Setting, with_help: bool = True) -> None:
    """Draw one setting, and what its value does to the text."""
    start = current.first_value(row)
    label = _(row.label)
    widget_options: dict[str, Any] = {
        "key": row.name,
        "help": _(row.help) if with_help else None,
        "on_change": sampler_actions.settings_changed,
        "args": (row.name,),
    }
    with st.container(gap=None, key=f"setting_{row.name}"):
        if row.name == "greedy":
            value: float = st.toggle(label, value=bool(start), **widget_options)
        elif row.name == "seed":
            value = st.number_input(label, min_value=0, max_value=LARGEST_SEED, value=int(start), step=1, **widget_options)
        else:
            kind: Any = type(row.off)
            low, high, step = map(kind, row.control)
            number_format = None if spoken_language.current() == spoken_language.ENGLISH else "localized"
            value = st.slider(label, min_value=low, max_value=high, value=kind(start), step=step, format=number_format, **widget_options)
        st.caption(without_effect(current.settings(), row.name) or _(row.effect(value)))
