"""What Memory draws: the text in the cache and the answers, all policies, the effect of rounding, other models, notes on positions."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.costs.operations_and_bytes import MODELS, cache_bytes
from core.engine.kv_cache.token_eviction import EvictingKVCache
from core.errors import ViewerError
from core.experiments.memory.cache_budget import Answer, CacheStep, PolicyOutcome, RecallTask
from pages.memory import cache_view
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import names, numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _
from pages.ui.session import current, elements

POSITIONS = {
    "kept": N_(
        "Tokens keep their positions. A kept token keeps the position it was computed with, and a new token gets its true position in the "
        "text. StreamingLLM renumbers the kept tokens instead."
    ),
    "closed up": N_("This model computes distances from places in the cache, so the gap closes: tokens that were far apart move together."),
}


def cache_and_answers(run: Experiment) -> None:
    """Draw the text with its tokens in the cache, and the answers with the full and with the limited cache."""
    task: RecallTask | None
    plan, task, question, texts, marked = run.about
    blocks = [observation for observation in run.observations if isinstance(observation, CacheStep)]
    texts = texts + [block.text for block in blocks if block.written and block.full is None and task is None]
    cache_view.cache_and_fill(blocks, texts, plan.share, marked)
    if task is None:
        return
    elements.section(_("Does it still know?"), _("probability of the right answer, token by token"))
    asked = _("{question} The right answer is “{answer}”.")
    st.caption(asked.format(question=plain(question or _("Where is Lily's key?")), answer=plain(task.answer.strip(" ."))))
    answers = [observation for observation in run.observations if isinstance(observation, Answer)]
    cache_view.answer_bars(answers, (_("With all lines kept"), _("With your cache")))
    if len(answers) == 2 and answers[1].probability is not None:
        positions = blocks[-1].kept
        lost = any(position not in positions for position in marked)
        st.markdown(cache_view.why(lost, bool(plan.bits), bool(marked), answers[0].probability, answers[1].probability))


def policies_table(run: Experiment) -> None:
    """Draw every policy under the same budget."""
    rows = [
        {
            _("When it is full"): _(names.EVICTION[outcome.policy]),
            _("lines"): outcome.answer.pages,
            _("bytes, counted"): numbers.size(outcome.answer.bytes),
            _("right answer"): numbers.percent(outcome.answer.probability) if outcome.answer.probability is not None else _("never asked"),
            _("it says"): outcome.answer.said,
        }
        for outcome in run.observations
        if isinstance(outcome, PolicyOutcome)
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")


def rounding(run: Experiment) -> None:
    """Draw how the probabilities change along a text when keys and values have fewer bits."""
    first = run.observations[0]
    head = (_("bits per number"), _("KV cache"), _("diver\u00adgence (KL, nats)"), _("same likeliest token"), _("perplex\u00adity"))
    rows = [(_("full precision"), numbers.size(first.full_bytes), "0", numbers.percent(1.0), numbers.decimal(first.full_perplexity, 2))]
    for rounded in run.observations:
        measured = (numbers.nats(rounded.kl), numbers.percent(rounded.kept), numbers.decimal(rounded.perplexity, 2))
        rows.append((str(rounded.bits), numbers.size(rounded.bytes), *measured))
    elements.table(head, rows)
    st.caption(
        _(
            "Along {count} tokens that the full model writes. Each key and value is rounded once, in groups of 32 with a scale and a "
            "lowest value. Bytes of the rounded tensors are **measured**, those of the full cache **computed**."
        ).format(count=first.tokens)
    )


def other_models(budget: int) -> None:
    """Draw how many tokens of other models the budget would hold."""
    rows = [
        {
            _("model"): published.title,
            _("one token"): numbers.size(cache_bytes(published.shape, 1, 2)),
            _("tokens"): budget // cache_bytes(published.shape, 1, 2),
            _("a full context"): numbers.size(cache_bytes(published.shape, published.shape.context_length, 2)),
        }
        for published in MODELS.values()
    ]
    with st.expander(_("The same memory in other models"), icon=":material/auto_stories:"):
        st.caption(_("How many tokens {size} of KV cache holds, with 16 bits per number.").format(size=numbers.size(budget)))
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")


def positions() -> None:
    """Draw the notes on positions and dropped tokens."""
    with st.expander(_("Positions and dropped tokens"), icon=":material/info:"):
        try:
            kind = EvictingKVCache(current.model()).positions
        except ViewerError as error:
            st.markdown(plain(error))
            return
        st.markdown(_(POSITIONS[kind]))
        st.markdown(
            _("A dropped token is not undone: later tokens have attended to it, and their keys and values still contain its effect.")
        )
