"""The dialog "All samplers" with the form of a constraint and the order of the stages, and a chip for every setting that is on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.errors import ViewerError
from core.sampling.samplers.bias_and_constraint import check_ids
from core.sampling.settings import CONSTRAINTS, LONGEST_CONSTRAINT, ORDERS, SETTINGS, SamplingSettings
from core.sampling.settings_row import Setting
from pages.ui.components.sampler_order.sampler_order import order, sampler_order
from pages.ui.i18n import numbers
from pages.ui.i18n.glossary import terms
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _, said, say
from pages.ui.session import current, elements, sampler_actions
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.notices import show_notice
from pages.ui.session.own_presets import ENGINES
from pages.ui.session.sampling_controls import CHIPS, CONTROLS, GROUPS, MORE, chip_text, is_on, without_effect
from pages.ui.session.state import memory
from pages.ui.views.kept_by_engine import kept_line

KIND, FORM = "constraint_kind", "constraint_form"
EXAMPLES = {
    N_("Answer yes or no"): "choices:yes\nno\nYes\nNo",
    N_("A date"): "regex: ?[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])",
    N_("A JSON object with name and age"): 'example:{"name": "Ann", "age": 7}',
}
WRITE = {
    "choices": N_("One text in each line. A space before it is allowed."),
    "schema": N_("A JSON schema. The text becomes a value that fulfils it."),
    "example": N_("A JSON value. The text becomes a value with the same names and types."),
    "regex": N_("A regular expression for the whole text, without look-around."),
    "lark": N_("A Lark grammar with a rule that is called start."),
}
TERM = "term"  # in the address of the glossary: the term that is looked up


def constraint_form(settings: SamplingSettings) -> None:
    """Draw the kind, the text, the examples and the buttons."""
    kind, _colon, form = settings.constraint.partition(":")
    kinds = list(CONSTRAINTS)
    with st.container(gap="xsmall", key="sampler_constraint"):
        st.caption(_("Allows only tokens with which the text can still match a choice, JSON, a regular expression or a grammar."))
        with st.container(horizontal=True, gap="xsmall"):
            for name, constraint in EXAMPLES.items():
                st.button(_(name), on_click=use_example, args=(constraint,), key=f"constraint_{constraint.partition(':')[0]}")
        chosen = st.selectbox(
            _("Kind of form"),
            kinds,
            kinds.index(kind or kinds[0]),
            format_func=said(CONSTRAINTS).__getitem__,
            key=KIND,
        )
        most = LONGEST_CONSTRAINT - len("example:")
        st.text_area(_("Form"), form, max_chars=most, key=FORM, help=_(WRITE[chosen]), height=110)
        elements.notices(FORM)
        with st.container(horizontal=True, gap="xsmall"):
            st.button(_("Apply the constraint"), on_click=apply_form, type="primary", key="constraint_apply")
            if settings.constraint:
                st.button(_("Remove the constraint"), on_click=sampler_actions.remove, args=("constraint",), key="constraint_off")
        if settings.order == "llama.cpp":
            st.caption(_("llama.cpp applies a grammar only if its first draw does not fit. Here the constraint always counts."))


def use_example(constraint: str) -> None:
    """Write an example into the form and apply it."""
    kind, _colon, form = constraint.partition(":")
    current.fill(KIND, kind)
    current.fill(FORM, form)
    sampler_actions.set_constraint(constraint)


@dataclass(slots=True)
class Dialog:
    """closed: whether the visitor has closed the dialog."""

    closed: bool = False


def apply_form() -> None:
    """Apply what is written."""
    sampler_actions.set_constraint(f"{current.field(KIND)}:{current.field(FORM) or ''}")


def button() -> None:
    """Draw the button that opens the dialog."""
    about = _("Penalties, cut-offs, bias, and the order of all stages.")
    if elements.pressed(_("All samplers"), help=about, icon=":material/format_list_bulleted:", type="tertiary", key="all_samplers"):
        memory(Dialog).closed = False
        st.dialog(_("All samplers"), width="large", on_dismiss=_closed)(_dialog)()


def chips(few: bool = False) -> None:
    """Draw a chip for every setting of the dialog that is on; a press switches it off. few: also for top-k and top-p."""
    settings = current.settings()
    changed = {row.name for row in settings.changed()}
    on = [name for name in (*(("top_k", "top_p") if few else ()), *CHIPS) if name in changed]
    if not on:
        return
    with st.container(horizontal=True, gap="xsmall", key="chips"):
        for key in on:
            about = without_effect(settings, key) or _("Press to switch it off.")
            widget_options: dict[str, Any] = {"icon": ":material/close:", "help": about, "key": f"chip_{key}"}
            st.button(chip_text(settings, key), on_click=sampler_actions.remove, args=(key,), **widget_options)


def _closed() -> None:
    memory(Dialog).closed = True


def _dialog() -> None:
    """Draw the dialog: the order, and the controls in groups."""
    if memory(Dialog).closed:
        # A browser sends a new value and the closing together if they come within a tenth of a second, and then asks for the dialog alone.
        st.rerun()
    with drawing_boundary():
        elements.notices()
        settings = current.settings()
        samplers, stages = st.columns([0.55, 0.45], gap="large")
        with samplers:
            _samplers(settings)
        with stages:
            _order(settings)


def _searched(row: Setting) -> str:
    """Return the text in which a sampler is searched: its names, its sentence, and its definition."""
    definition = " ".join(f"{term.title} {term.text}" for term in terms() if term.key == row.term)
    return f"{_(row.label)} {row.name} {_(row.help)} {definition}".casefold()


def _samplers(settings: SamplingSettings) -> None:
    wanted = (st.text_input(_("Find a sampler"), key="find_sampler", max_chars=40) or "").strip().casefold()
    any_listed = False
    for title in GROUPS:
        above = [row for row in CONTROLS if row.group == title and wanted in _searched(row)]
        group = [row for row in MORE if row.group == title]
        listed = [row for row in group if wanted in _searched(row)]
        if not above and not listed:
            continue
        any_listed = True
        opened = bool(wanted) or any(is_on(settings, row.name) for row in group)
        with st.expander(_(title), expanded=opened, key=f"samplers_{title}_{opened}"):
            for row in above:
                _of_sidebar(row, getattr(settings, row.name))
            for row in listed:
                if row.name == "constraint":
                    constraint_form(settings)
                else:
                    _control(row, without_effect(settings, row.name))
                if row.term:
                    _definition(row.term)
    if not any_listed:
        st.caption(_("No sampler contains this text. Try a shorter one."))


def _of_sidebar(row: Setting, value: float) -> None:
    """Draw one setting of the sidebar. A second control for it would send its old value with every change in the dialog."""
    sentence = _("**{name}** {value}: {effect}. {help} Its control is in the sidebar.")
    st.caption(sentence.format(name=_(row.label), value=numbers.short(value), effect=_(row.effect(value)), help=_(row.help)))


def _definition(term: str) -> None:
    """Draw the link to a sampler's definition."""
    named = {entry.key: entry.title for entry in terms()}
    label = _("Definition: {term}").format(term=named.get(term, term))
    elements.page_link("glossary", label=label, icon=":material/menu_book:", query_params={TERM: term}, width="content")


def _control(row: Setting, note: str) -> None:
    """Draw one setting with its sentence."""
    start = current.first_value(row)
    widget_options: dict[str, Any] = {"key": row.name, "on_change": sampler_actions.settings_changed, "args": (row.name,)}
    with st.container(gap=None, key=f"sampler_{row.name}"):
        if row.choices:
            values = list(row.choices)
            st.selectbox(_(row.label), values, index=values.index(start), format_func=said(row.choices).__getitem__, **widget_options)
        elif isinstance(row.off, bool):
            st.toggle(_(row.label), value=start, **widget_options)
        elif row.text is not None:
            text = st.text_input(_(row.label), value=start, max_chars=2000, **widget_options)
            if why := fault_of(row, text or ""):
                show_notice(why)
        else:
            elements.number(row, start, **widget_options)
        st.caption(f"{_(row.help)} {note}".strip())


def fault_of(row: Setting, text: str) -> str:
    """Return why the text of a setting cannot be used with the visitor's model, "" if it can."""
    try:
        settings = SamplingSettings(**{row.name: row.parse(text)})
        if size := current.model().vocabulary_size:
            check_ids(settings, size)
    except ViewerError as error:
        return say(error)
    except (ValueError, TypeError, RecursionError):
        example = row.text.example if row.text is not None else ""
        return _("This text cannot be read, so it has no effect. It should look like this: {example}").format(example=example)
    return ""


def _order(settings: SamplingSettings) -> None:
    elements.section(_(SETTINGS["order"].label), help=_("Drag a stage, or move it with Alt and the arrow keys. Stages in bold are on."))
    with st.container(horizontal=True, gap="xsmall", key="engines"):
        for engine, name in ENGINES.items():
            button_type: Any = "primary" if settings.order == engine else "secondary"
            st.button(name, on_click=sampler_actions.set_order, args=(engine,), type=button_type, key=f"engine_{engine}")
    active = settings.active_stages
    sampler_order(
        [(name, _(name), name in active) for name in settings.stage_order],
        key="sampler_order",
        label=_(SETTINGS["order"].label),
        moved=_("{name} is now in place {place}."),
        on_move=_moved,
    )
    line = kept_line(settings)
    if line:
        st.caption(line)
    if settings.counting_excluded:
        names = ", ".join(map(_, settings.counting_excluded))
        counted = _("llama.cpp itself also counts tokens that were excluded before, so its result of {names} can differ from the one here.")
        st.caption(counted.format(names=names))
    engine_of_server = {"vLLM": "vLLM", "llama-server": "llama.cpp"}.get(getattr(current.model(), "server_kind", ""))
    if engine_of_server:
        st.caption(_("The server of this model samples in the order of {engine}.").format(engine=engine_of_server))
    for engine, name in ENGINES.items():
        if missing := settings.missing_in(engine):
            st.caption(_("{engine} does not have: {names}.").format(engine=name, names=", ".join(map(_, missing))))
    _as_arguments(settings)


def _as_arguments(settings: SamplingSettings) -> None:
    """Draw the settings as the arguments of each engine."""
    from core.reports.settings_text import arguments

    with st.expander(_("As arguments of an engine"), key="engine_arguments"):
        st.caption(_("The engines draw their own random numbers, so the same seed gives another text there."))
        for engine, name in ENGINES.items():
            try:
                text = arguments(engine, settings)
            except ViewerError as error:
                st.caption(f"{name}: {plain(say(error))}")
                continue
            st.caption(name)
            st.code(text, language="json" if engine == "llama.cpp" else "python", wrap_lines=True)


def _moved() -> None:
    names = order("sampler_order")
    usual = ORDERS["transformers"]
    if len(names) == len(usual) and sorted(names) == sorted(usual):
        sampler_actions.set_order(names)
