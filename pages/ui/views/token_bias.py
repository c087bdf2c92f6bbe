"""Logit bias from the bars of Watch: never this token, more of it, less of it."""

from __future__ import annotations

import math

import streamlit as st

from core.record.step import TokenDistribution
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, sampler_actions

STEP = 1.0  # added to a logit by one press


def token_bias(seen: TokenDistribution) -> None:
    """Draw the popover with the listed tokens and the three buttons."""
    if current.run().is_replay:
        return
    about = _("Make a token more or less likely at every step, or exclude it (logit bias).")
    with st.popover(_("Bias"), help=about, key="bias", on_change="rerun") as popover:
        if not popover.open:
            return
        tokens = {int(i): seen.vocabulary.token(int(i)).piece for i in seen.token_ids}
        chosen = st.selectbox(_("Token"), list(tokens), format_func=lambda token_id: plain(tokens[token_id]), key="bias_token")
        with st.container(horizontal=True, gap="xsmall"):
            for name, label, change in (
                ("never", _("Never this token"), -math.inf),
                ("more", _("More of this"), STEP),
                ("less", _("Less of this"), -STEP),
            ):
                verb = (sampler_actions.bias, (), chosen, change)
                st.button(label, on_click=elements.run_and_rerun, args=verb, key=f"bias_{name}")
