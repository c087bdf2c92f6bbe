"""The form of a constraint in the dialog "All samplers": its kind, its text, and examples."""

from __future__ import annotations

import streamlit as st

from core.sampling.settings import LONGEST_CONSTRAINT, SamplingSettings
from pages.ui.i18n.translation import N_, _
from pages.ui.session import current, elements, sampler_actions
from pages.ui.session.sampling_controls import CONSTRAINT_KINDS

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


def constraint_form(settings: SamplingSettings) -> None:
    """Draw the kind, the text, the examples and the buttons."""
    kind, _colon, form = settings.constraint.partition(":")
    kinds = list(CONSTRAINT_KINDS)
    with st.container(gap="xsmall", key="sampler_constraint"):
        st.caption(_("Allows only tokens with which the text can still match a choice, JSON, a regular expression or a grammar."))
        with st.container(horizontal=True, gap="xsmall"):
            for name, constraint in EXAMPLES.items():
                st.button(_(name), on_click=use_example, args=(constraint,), key=f"constraint_{constraint.partition(':')[0]}")
        chosen = st.selectbox(
            _("Kind of form"),
            kinds,
            kinds.index(kind or kinds[0]),
            format_func=lambda chosen_kind: _(CONSTRAINT_KINDS[chosen_kind]),
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


def apply_form() -> None:
    """Apply what is written."""
    sampler_actions.set_constraint(f"{current.field(KIND)}:{current.field(FORM) or ''}")
