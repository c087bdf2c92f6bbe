"""Stop “full” of the tour. A KV cache that is too small, and the answer that depends on it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.experiments.memory.cache_budget import (
    POLICIES,
    RED_POT,
    Answer,
    CacheStep,
    MemoryBudget,
    before_and_after,
    key_tokens,
    kv_bytes_per_token,
)
from pages.memory import cache_view
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import names
from pages.ui.i18n.translation import _
from pages.ui.presenting import tour_state
from pages.ui.presenting.tour_experiment import made_by, widget
from pages.ui.session.elements import PERSISTENT

PAGES = 40  # tokens that fit into the small notepad


def draw() -> None:
    """Draw the button and the result."""
    model = tour_state.model()
    policy = st.pills(
        _("When it is full"),
        POLICIES,
        default=POLICIES[1],
        key="tour_policy",
        format_func=lambda key: _(names.EVICTION[key]),
        required=True,
        **PERSISTENT,
    )
    plan = MemoryBudget(PAGES * kv_bytes_per_token(model), policy or POLICIES[1])
    now = made_by(None, eviction=plan.policy)

    def about() -> object:
        texts = [token.text or token.piece for token in model.tokenize(RED_POT.text + RED_POT.question)]
        return plan, texts, tuple(key_tokens(model, RED_POT))

    def result(run: Experiment) -> None:
        planned, texts, marked = run.about
        cache_view.cache_and_fill(
            [observation for observation in run.observations if isinstance(observation, CacheStep)], texts, planned.share, marked
        )
        answers = [observation for observation in run.observations if isinstance(observation, Answer)]
        cache_view.answer_bars(answers, (_("with a cache that holds everything"), _("with this one")))

    make = partial(before_and_after, model, plan, RED_POT)
    widget("full", now, make, result, about, label=_("Read the story"), icon=":material/menu_book:")
