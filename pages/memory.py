"""Running out of pages: a text under a budget of real bytes, and what each way out does to the answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.costs.formulas import MODELS, cache_bytes
from core.engine.kv_cache.paged import PagedKVCache
from core.errors import ViewerError
from core.experiments.cache_budget import (
    ATTENTION_SINKS,
    LONGEST_OWN_ANSWER,
    MOST_READERS,
    POLICIES,
    RED_POT,
    STOP,
    Answer,
    CacheBlock,
    MemoryBudget,
    PolicyOutcome,
    RecallTask,
    before_and_after,
    every_policy,
    fill,
    key_tokens,
    own_task,
    page_bytes,
    pages_that_fit,
)
from core.language import N_, _, in_english
from pages.ui.charts import charts, palette
from pages.ui.charts.legend import legend
from pages.ui.experiments import experiment, results
from pages.ui.i18n import names, numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.session import current, elements, provenance
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame
from pages.ui.views.cache_text import cache_text, fill_bar, share_bar
from pages.ui.views.memory_calculator import calculator

frame.page()

SOURCES = {
    "story": N_("The key under the red pot"),
    "own": N_("My own text"),
}
LEGEND = (
    _("on a line"),
    _("just written"),
    _("crossed out"),
    _("not read yet"),
)
ENDED = {
    "notepad full": _("The notepad is full: here it stopped."),
    "context full": _("The model knows no further positions: crossed-out lines make room, but no new places."),
    "end of text": _("Here the model ended its text."),
}
FILL, WAYS = "memory", "memory_ways"
LONGEST_OWN = 4_000  # characters of one's own text
WRITTEN = 48  # tokens written behind a text of one's own
FEWEST, MOST_PAGES = 4, 96


def choose() -> tuple[MemoryBudget, str]:
    """The budget, and what to do when it is used up."""
    model = current.model()
    each = page_bytes(model)
    source = st.segmented_control(
        _("Text"),
        list(SOURCES),
        default="story",
        key="memory_source",
        format_func=lambda key: _(SOURCES[key]),
        required=True,
        label_visibility="collapsed",
        **PERSISTENT,
    )
    with st.container(gap="xsmall"):
        policy = st.pills(
            _("When it is full"),
            POLICIES,
            default=POLICIES[1],
            key="memory_policy",
            format_func=lambda key: _(names.EVICTION[key]),
            required=True,
            **PERSISTENT,
        )
        policy = policy or STOP
        st.caption(f"{_(names.EVICTION_EFFECT[policy]).removesuffix('.')} · {_(names.EVICTION_TERMS[policy])}")
    budget, one, other = st.columns([0.46, 0.27, 0.27], gap="large")
    pages = budget.select_slider(
        _("Memory of the KV cache"),
        range(FEWEST, MOST_PAGES + 1),
        value=40,
        key="memory_budget",
        format_func=lambda count: numbers.size(count * each),
        **PERSISTENT,
    )
    readers = one.number_input(
        _("Readers who share it"),
        1,
        MOST_READERS,
        1,
        key="memory_readers",
        help=_("Each gets an equal share. Admitting fewer readers is the fourth way out: the others get more lines."),
        **PERSISTENT,
    )
    sinks = 4
    if policy == ATTENTION_SINKS:
        sinks = other.number_input(
            _("First lines to keep"),
            0,
            16,
            4,
            key="memory_sinks",
            help=_("Many models lean on the very first tokens, whatever they say. Keeping a few of them helps surprisingly often."),
            **PERSISTENT,
        )
    plan = MemoryBudget(int(pages) * each, policy, int(sinks), int(readers))
    size = numbers.size(page_bytes(model, plan.bits))
    st.caption(
        _("{pages} lines of {each} each, for each reader").format(pages=pages_that_fit(model, plan), each=size),
        help=_(
            "One line is one token, in all layers: its keys and values. Servers such as vLLM hand the "
            "same memory out in pages of 16 tokens (PagedAttention), so that little of it is left unused."
        ),
    )
    return plan, source or "story"


def own_fields() -> tuple[str, str, str]:
    """The visitor's own text, question and right answer."""
    told = st.text_area(_("Your text"), current.prompt(), key="memory_own", height=110, max_chars=LONGEST_OWN, **PERSISTENT)
    one, two = st.columns([0.65, 0.35], gap="large")
    question = one.text_input(_("Your question (or none: then it writes on)"), key="memory_question", max_chars=400, **PERSISTENT)
    answer = two.text_input(_("The right answer, behind “Answer: It is”"), key="memory_answer", max_chars=LONGEST_OWN_ANSWER, **PERSISTENT)
    return told or "", question or "", answer or ""


def now(plan: MemoryBudget, source: str, own: tuple[str, str, str]) -> provenance.Provenance:
    """What a reading would be made with."""
    chosen = {N_("what is done when it is full"): names.EVICTION[plan.policy], **budget_words(plan, plan.policy == ATTENTION_SINKS)}
    continues = source == "own" and not own[1].strip()
    return provenance.now(texts(source, own) | chosen, hidden_inputs(source, own), prompt=False, settings=continues)


def now_all(plan: MemoryBudget, source: str, own: tuple[str, str, str]) -> provenance.Provenance:
    """What reading in every way would be made with."""
    return provenance.now(texts(source, own) | budget_words(plan, True), hidden_inputs(source, own), prompt=False, settings=False)


def texts(source: str, own: tuple[str, str, str]) -> dict[str, str]:
    """What is read, as a line says it."""
    return {N_("the text"): own[0] if source == "own" else SOURCES[source]}


def hidden_inputs(source: str, own: tuple[str, str, str]) -> dict[str, str]:
    """What else a text of one's own is read with."""
    return {N_("the question"): own[1], N_("the right answer"): own[2]} if source == "own" else {}


def budget_words(plan: MemoryBudget, sinks: bool) -> dict[str, str]:
    """A budget as it was chosen."""
    said = {
        N_("the budget"): in_english(numbers.size, plan.budget_bytes),
        N_("the readers"): N_("readers: {count}").format(count=plan.readers),
    }
    return said | ({N_("the first words kept"): N_("first words kept: {count}").format(count=plan.sinks)} if sinks else {})


@current.error_boundary
def begin(plan: MemoryBudget, source: str, own: tuple[str, str, str]) -> None:
    """Read the story, or the visitor's own text, under this plan."""
    current.anchor_notices(FILL)
    model, settings = current.model(), current.settings()
    task: RecallTask | None = RED_POT
    if source == "own":
        task = own_task(*own) if own[1].strip() else None
    text = own[0] if task is None else task.told + task.question
    make: Callable[[], Iterator[Any]] = lambda: (  # noqa: E731 (called by the experiment)
        fill(model, text, plan, settings, WRITTEN) if task is None else before_and_after(model, plan, task)
    )
    about = {
        "plan": plan,
        "task": task,
        "question": own[1].strip() if source == "own" else _("Where is Lily's key?"),
        "texts": [token.text or token.piece for token in model.tokenize(text)],
        "marked": key_tokens(model, task) if task else range(0),
    }
    experiment.start(FILL, make, now(plan, source, own), about)


@current.error_boundary
def begin_all(plan: MemoryBudget, source: str, own: tuple[str, str, str]) -> None:
    """Read the story, or one's own text, in every way."""
    current.anchor_notices(WAYS)
    model, task = current.model(), own_task(*own) if source == "own" else RED_POT
    experiment.start(WAYS, lambda: every_policy(model, plan, task), now_all(plan, source, own))


def notepad(run: experiment.Experiment) -> None:
    """The text on its pages, and how full the notepad is."""
    about = run.about
    if about is None:
        model = current.model()
        tokens = model.tokenize(RED_POT.told + RED_POT.question)
        cache_text([token.text or token.piece for token in tokens], (), 0, marked=key_tokens(model, RED_POT), label=RED_POT.told)
        return
    task: RecallTask | None = about["task"]
    plan: MemoryBudget = about["plan"]
    pages = [seen for seen in run.seen if isinstance(seen, CacheBlock)]
    texts = about["texts"] + [page.text for page in pages if page.written and page.full is None and task is None]
    last = pages[-1] if pages else None
    read = 0 if last is None else last.position + (last.full is None)
    kept = last.kept if last else ()
    if task is not None:  # the answer's own tokens are scored, not shown
        read = min(read, len(texts))
    cache_text(texts, kept, read, marked=about["marked"], label="".join(texts))
    held = last.bytes if last else 0
    said = _("{pages} lines · {size} of {share}").format(pages=len(kept), size=numbers.size(held), share=numbers.size(plan.share))
    fill_bar(held / plan.share if plan.share else 1.0, said)
    if last is not None and last.full:
        elements.show_notice(ENDED[last.full])


def answer(run: experiment.Experiment) -> None:
    """Before and after: the probability of the right answer, and what it says itself."""
    task: RecallTask | None = run.about["task"] if run.about else None
    if task is None:
        return
    found = [seen for seen in run.seen if isinstance(seen, Answer)]
    elements.section(_("Does it still know?"), _("probability of the right answer, word for word"))
    st.caption(
        _("{question} The right answer is “{answer}”.").format(question=plain(run.about["question"]), answer=plain(task.answer.strip(" .")))
    )
    left, right = st.columns(2, gap="large")
    for place, name, seen in zip((left, right), (_("With every line"), _("With your notepad")), (*found, None, None), strict=False):
        with place:
            share_bar(name, seen.probability if seen else None, told(seen), says(seen))
    if len(found) == 2:
        last = [seen for seen in run.seen if isinstance(seen, CacheBlock)][-1]
        if found[1].probability is not None:
            lost = any(position not in last.kept for position in run.about["marked"])
            plan: MemoryBudget = run.about["plan"]
            kept = (
                _("Every line of the sentence with the answer is still there.")
                if run.about["marked"]
                else _("No sentence of this text holds the answer word for word, so nothing can be said about its lines.")
            )
            gone, blurred = (
                _("The answer stood on lines that are gone. What is not on the notepad cannot be known."),
                _("Every line is there, a little blurred."),
            )
            why = gone if lost else blurred if plan.bits else kept
            st.markdown(f"{why} {fell(found[0].probability, found[1].probability)}")
        if (found[0].probability or 0) < 0.2:
            unsure = _("This model is not sure of the answer even with every line; what counts is how far the probability falls.")
            elements.show_notice(unsure)


def fell(before: float | None, after: float) -> str:
    """How many times less likely the right answer became, where that is worth a sentence."""
    if not before or after <= 0 or before / after < 2:
        return ""
    factor = before / after
    return _("The right answer became **{factor} times less likely**.").format(
        factor=numbers.count(factor) if factor >= 10 else numbers.decimal(factor, 1)
    )


def told(seen: Answer | None) -> str:
    """The probability in words."""
    return "…" if seen is None else numbers.percent(seen.probability)


def says(seen: Answer | None) -> str:
    """What it answers itself."""
    if seen is None:
        return ""
    if seen.probability is None and not seen.parts:
        return _("It stopped before the question was even asked.")
    if seen.probability is None:
        return _("It heard the question, but no line was left for the answer.")
    return _("It says: “{said}”").format(said=seen.said) if seen.said else _("It says nothing.")


def ways(run: experiment.Experiment) -> None:
    """Every way out side by side, under the same budget."""
    if not run.seen:
        return
    rows = [
        {
            _("When it is full"): _(names.EVICTION[way.policy]),
            _("lines"): way.answer.pages,
            _("bytes, counted"): numbers.size(way.answer.bytes),
            _("right answer"): numbers.percent(way.answer.probability) if way.answer.probability is not None else _("never asked"),
            _("it says"): way.answer.said,
        }
        for way in run.seen
        if isinstance(way, PolicyOutcome)
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")


def stage() -> None:
    """All that moves."""
    with results.shown(FILL, now(plan, source, own), partial(begin, plan, source, own)) as run:
        notepad(run)
        answer(run)
    with results.shown(WAYS, now_all(plan, source, own), partial(begin_all, plan, source, own)) as run:
        ways(run)


def elsewhere(budget: int) -> None:
    """The visitor's own budget, measured in other models' pages."""
    rows = [
        {
            _("model"): known.title,
            _("one token"): numbers.size(cache_bytes(known.shape, 1, 2)),
            _("tokens"): math.floor(budget / cache_bytes(known.shape, 1, 2)),
            _("a full context"): numbers.size(cache_bytes(known.shape, known.shape.context_length, 2)),
        }
        for known in MODELS.values()
    ]
    with st.expander(_("With the notepad's memory from above"), icon=":material/auto_stories:"):
        st.caption(_("What {size} of notepad would mean elsewhere, in 16 bits a number.").format(size=numbers.size(budget)))
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")


def positions() -> None:
    """What is said plainly about positions, forgetting and rounding."""
    with st.expander(_("Said plainly: positions, forgetting, rounding"), icon=":material/info:"):
        try:
            kind = PagedKVCache(current.model()).positions
        except ViewerError as error:
            st.markdown(plain(error))
            return
        st.markdown(
            "\n\n".join(
                (
                    _(names.POSITIONS[kind]),
                    _("Forgetting is not undoing: what later lines had already taken from a crossed-out one is still in them."),
                    _(
                        "Each line is rounded once, when it is written, in groups of 32 numbers with a scale and a "
                        "lowest value of 16 bits each. The bytes are counted from the tensors."
                    ),
                )
            )
        )


frame.header(
    _("What if the notepad is full?"),
    _("KV cache eviction and quantization"),
    _("Every token the model reads takes a line of its notepad. Lines are memory, and memory ends. Then somebody has to decide what goes."),
)
budget = 0
with elements.error_boundary():
    plan, source = choose()
    budget = plan.budget_bytes
    own = own_fields() if source == "own" else ("", "", "")
    busy = experiment.of(FILL).running or experiment.of(WAYS).running
    unasked = source == "own" and not own[1].strip()
    with st.container(horizontal=True, key="memory_buttons"):
        label = (
            _("Read the story") if source == "story" else _("Read my text and answer") if own[1].strip() else _("Read my text and write on")
        )
        elements.button(
            label,
            partial(begin, plan, source, own),
            type="primary",
            icon=":material/menu_book:",
            key="memory_start",
        )
        elements.button(
            _("Try every way"),
            partial(begin_all, plan, source, own),
            icon=":material/alt_route:",
            key="memory_all",
            disabled=busy or unasked,
        )
        for name in (FILL, WAYS):
            if experiment.of(name).running:
                st.button(_("Stop"), on_click=experiment.stop, args=(name,), icon=":material/stop:", key=f"{name}_stop")
    colours = palette.of(charts.theme())
    legend(*zip((colours.reused, colours.computed, colours.removed, colours.line), LEGEND, strict=True))
    results.live(stage, FILL, WAYS, key="memory_stage")
with elements.error_boundary():
    positions()
    st.divider()
    calculator()
    if budget:
        elsewhere(budget)
