"""Memory: a text under a budget of real bytes, what each policy for a full KV cache does to the answer, and what rounding changes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import streamlit as st

from core.engine.kv_cache.token_eviction import ATTENTION_SINKS
from core.experiments.memory.cache_budget import (
    LONGEST_OWN_ANSWER,
    MOST_READERS,
    POLICIES,
    RED_POT,
    MemoryBudget,
    RecallTask,
    before_and_after,
    every_policy,
    fill,
    key_tokens,
    kv_bytes_per_token,
    own_task,
    tokens_that_fit,
)
from core.experiments.memory.rounded_cache import rounded_cache
from core.experiments.shared.own_text import along_own_text
from pages.memory import STORY, memory_view
from pages.ui.charts.css_colours import legend
from pages.ui.experiments import results
from pages.ui.i18n import names, numbers
from pages.ui.i18n.translation import N_, _
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.shell import frame

frame.page()

SOURCES = {"story": STORY, "own": N_("My own text")}
FILL, WAYS, ROUNDED = "memory", "memory_ways", "quantization_notepad"
LONGEST_OWN = 4_000  # characters of the visitor's own text
WRITTEN = 48  # tokens written after a text without a question
FEWEST, MOST_PAGES = 4, 96


def choose_budget() -> MemoryBudget:
    """Draw the controls of the budget, and return it."""
    model = current.model()
    each = kv_bytes_per_token(model)
    with st.container(gap="xsmall"):
        title = lambda key: _(names.EVICTION[key])  # noqa: E731 (a short format function)
        policy = st.pills(
            _("When it is full"), POLICIES, default=POLICIES[1], key="memory_policy", format_func=title, required=True, **PERSISTENT
        )
        policy = policy or POLICIES[1]
        st.caption(f"{_(names.EVICTION_EFFECT[policy]).removesuffix('.')} · {_(names.EVICTION_TERMS[policy])}")
    budget, middle, right = st.columns([0.46, 0.27, 0.27], gap="large")
    size = lambda count: numbers.size(count * each)  # noqa: E731 (a short format function)
    counts = range(FEWEST, MOST_PAGES + 1)
    pages = budget.select_slider(_("Memory for the KV cache"), counts, value=40, key="memory_budget", format_func=size, **PERSISTENT)
    shared = _("Each request gets an equal share. With fewer requests, each one has more lines.")
    requests = middle.number_input(_("Requests that share it"), 1, MOST_READERS, 1, key="memory_readers", help=shared, **PERSISTENT)
    sinks = 4
    if policy == ATTENTION_SINKS:
        first = _("Many models attend to the very first tokens. Keeping a few of them often helps.")
        sinks = right.number_input(_("First lines to keep"), 0, 16, 4, key="memory_sinks", help=first, **PERSISTENT)
    plan = MemoryBudget(int(pages) * each, policy, int(sinks), int(requests))
    st.caption(
        _("{pages} lines of {each} for each request").format(
            pages=tokens_that_fit(model, plan), each=numbers.size(kv_bytes_per_token(model, plan.bits))
        ),
        help=_("One line holds the keys and values of one token in all layers. vLLM allocates blocks of 16 tokens (PagedAttention)."),
    )
    return plan


def own_fields() -> tuple[str, str, str]:
    """Draw the fields for the visitor's own text, question and right answer, and return their texts."""
    text = st.text_area(_("Your text"), current.prompt(), key="memory_own", height=110, max_chars=LONGEST_OWN, **PERSISTENT)
    left, right = st.columns([0.65, 0.35], gap="large")
    question = left.text_input(
        _("Your question (without one, the model continues the text)"), key="memory_question", max_chars=400, **PERSISTENT
    )
    answer = right.text_input(_("The right answer, after “Answer: It is”"), key="memory_answer", max_chars=LONGEST_OWN_ANSWER, **PERSISTENT)
    return text or "", question or "", answer or ""


def made_with(plan: MemoryBudget, fields: tuple[str, str, str] | None, every_policy: bool) -> provenance.Provenance:
    """Return what makes a result. fields: the visitor's text, question and answer, None for the story."""
    text, *asked = fields or (None,)
    return provenance.now(
        prompt=False,
        settings=not every_policy and fields is not None and not fields[1].strip(),
        story=fields is None or None,
        text=text,
        eviction=None if every_policy else plan.policy,
        memory_budget=plan.budget_bytes,
        memory_requests=plan.readers,
        sinks=plan.sinks if every_policy or plan.policy == ATTENTION_SINKS else None,
        asked=asked or None,
    )


def read_text(plan: MemoryBudget, fields: tuple[str, str, str] | None) -> Iterator[Any]:
    """Read the story, or the visitor's own text, with this budget."""
    if fields is not None and not fields[1].strip():
        return fill(current.model(), fields[0], plan, current.settings(), WRITTEN)
    return before_and_after(current.model(), plan, RED_POT if fields is None else own_task(*fields))


def about(
    plan: MemoryBudget, fields: tuple[str, str, str] | None
) -> tuple[MemoryBudget, RecallTask | None, str, list[str], tuple[int, ...]]:
    """Return what the page stores with the result: plan, task, the visitor's question, tokens of the text, and the positions to mark."""
    model = current.model()
    task = RED_POT if fields is None else own_task(*fields) if fields[1].strip() else None
    text = task.text + task.question if task is not None else fields[0] if fields else ""
    question = fields[1].strip() if fields else ""
    texts = [token.text or token.piece for token in model.tokenize(text)]
    return plan, task, question, texts, tuple(key_tokens(model, task)) if task else ()


frame.header(
    _("What if the notepad is full?"),
    _("KV cache eviction and quantization"),
    _("Every token takes one line of the notepad (KV cache). When the memory is full, a policy decides what to drop or to store smaller."),
)
with drawing_boundary():
    source = elements.choice(
        _("Text"), list(SOURCES), "story", "memory_source", format_func=lambda key: _(SOURCES[key]), label_visibility="collapsed"
    )
    plan = choose_budget()
    written = own_fields() if source == "own" else None
    now, now_all = made_with(plan, written, False), made_with(plan, written, True)
    begin = results.starter(FILL, now, partial(read_text, plan, written), partial(about, plan, written))
    begin_all = results.starter(
        WAYS, now_all, lambda: every_policy(current.model(), plan, RED_POT if written is None else own_task(*written))
    )
    with st.container(horizontal=True, key="memory_buttons"):
        results.start_button(FILL, _("Read the text"), begin, type="primary", icon=":material/menu_book:")
        unasked = written is not None and not written[1].strip()
        results.start_button(WAYS, _("Try every policy"), begin_all, icon=":material/alt_route:", disabled=unasked)
    kinds = (_("in the cache"), _("just added"), _("dropped"), _("not read yet"))
    legend(*zip(("reused", "computed", "removed", "line"), kinds, strict=True))
    results.part(FILL, now, begin, memory_view.cache_and_answers, _("Press the button: the model reads the text with this much memory."))
    results.part(WAYS, now_all, begin_all, memory_view.policies_table)
    memory_view.positions()
    memory_view.other_models(plan.budget_bytes)
with drawing_boundary():
    elements.section(_("What does rounding change?"), _("KV cache with 8 and 4 bits"))
    now = provenance.now(settings=False)
    begin = results.starter(ROUNDED, now, lambda: along_own_text(rounded_cache, current.model(), current.prompt()))
    results.start_button(ROUNDED, _("Round the cache"), begin, icon=":material/note_stack:")
    idle = _("Press the button: the model reads the same text with the full cache, then with 8 and 4 bits per number.")
    results.part(ROUNDED, now, begin, memory_view.rounding, idle)
