"""Running out of pages: a text under a budget of real bytes, and what each way out does to the answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import streamlit as st

from core.costs.formulas import CARDS, MODELS, ModelShape, cache_bytes, readers_that_fit, weight_bytes
from core.errors import ViewerError
from core.kv_cache.paged import PagedKVCache
from core.labs.cache_budget import (
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
from pages.parts.charts import charts, cost_charts
from pages.parts.components.cache_text.cache_text import cache_text, fill_bar, share_bar
from pages.parts.layout import frame, palette
from pages.parts.runtime import experiment
from pages.parts.session import current
from pages.parts.text import cost_words as words
from pages.parts.text import numbers

frame.page()
FILL, WAYS = "memory", "memory_ways"
LONGEST_OWN = 4_000  # characters of one's own text
WRITTEN = 48  # tokens written behind a text of one's own
FEWEST, MOST_PAGES = 4, 96
LENGTHS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000)
THIS = "this model"


def choose() -> tuple[MemoryBudget, str]:
    """The budget, and what to do when it is used up."""
    model = current.model()
    each = page_bytes(model)
    source = st.segmented_control(
        "Text",
        list(words.MEMORY_SOURCES),
        default="story",
        key="memory_source",
        format_func=lambda key: words.MEMORY_SOURCES[key],
        required=True,
        label_visibility="collapsed",
    )
    with st.container(gap="xsmall"):
        policy = st.pills(
            words.MEMORY_POLICY,
            POLICIES,
            default=POLICIES[1],
            key="memory_policy",
            format_func=lambda key: words.POLICIES[key],
            required=True,
        )
        policy = policy or STOP
        st.caption(f"{words.POLICY_EFFECT[policy].removesuffix('.')} · {words.POLICY_TERMS[policy]}")
    budget, one, other = st.columns([0.46, 0.27, 0.27], gap="large")
    pages = budget.select_slider(
        words.MEMORY_BUDGET,
        range(FEWEST, MOST_PAGES + 1),
        value=40,
        key="memory_budget",
        format_func=lambda count: numbers.size(count * each),
    )
    readers = one.number_input(words.MEMORY_READERS, 1, MOST_READERS, 1, key="memory_readers", help=words.MEMORY_READERS_HELP)
    sinks = 4
    if policy == ATTENTION_SINKS:
        sinks = other.number_input(words.MEMORY_SINKS, 0, 16, 4, key="memory_sinks", help=words.MEMORY_SINKS_HELP)
    plan = MemoryBudget(int(pages) * each, policy, int(sinks), int(readers))
    size = numbers.size(page_bytes(model, plan.bits))
    st.caption(words.SHARE.format(pages=pages_that_fit(model, plan), each=size), help=words.MEMORY_LINES)
    return plan, source or "story"


def own_fields() -> tuple[str, str, str]:
    """The visitor's own text, question and right answer."""
    told = st.text_area(words.OWN_TEXT, current.prompt(), key="memory_own", height=110, max_chars=LONGEST_OWN)
    one, two = st.columns([0.65, 0.35], gap="large")
    question = one.text_input(words.OWN_QUESTION, key="memory_question", max_chars=400)
    answer = two.text_input(words.OWN_ANSWER, key="memory_answer", max_chars=LONGEST_OWN_ANSWER)
    return told or "", question or "", answer or ""


def begin(plan: MemoryBudget, source: str, own: tuple[str, str, str]) -> None:
    """Read the story, or the visitor's own text, under this plan."""
    model = current.model()
    task: RecallTask | None = RED_POT
    if source == "own":
        task = own_task(*own) if own[1].strip() else None
    text = own[0] if task is None else task.told + task.question
    make: Callable[[], Iterator[Any]] = lambda: (  # noqa: E731 (called by the experiment)
        fill(model, text, plan, current.settings(), WRITTEN) if task is None else before_and_after(model, plan, task)
    )
    about = {"plan": plan, "task": task, "question": own[1].strip() if source == "own" else words.ANSWER_QUESTION}
    experiment.start(FILL, make, about | {"texts": [token.text or token.piece for token in model.tokenize(text)]})


def notepad() -> None:
    """The text on its pages, and how full the notepad is."""
    run = experiment.of(FILL)
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
    cache_text(texts, kept, read, marked=key_tokens(current.model(), task) if task else range(0), label="".join(texts))
    held = last.bytes if last else 0
    said = words.HELD.format(pages=len(kept), size=numbers.size(held), share=numbers.size(plan.share))
    fill_bar(held / plan.share if plan.share else 1.0, said)
    if last is not None and last.full:
        frame.show_notice(words.ENDED[last.full])
    if run.error:
        frame.show_notice(run.error)


def answer() -> None:
    """Before and after: the probability of the right answer, and what it says itself."""
    run = experiment.of(FILL)
    task: RecallTask | None = run.about["task"] if run.about else None
    if task is None:
        return
    found = [seen for seen in run.seen if isinstance(seen, Answer)]
    frame.section(words.ANSWER_TITLE, words.ANSWER_TERM)
    st.caption(words.ANSWER_ASKED.format(question=plain(run.about["question"]), answer=plain(task.answer.strip(" ."))))
    left, right = st.columns(2, gap="large")
    for place, name, seen in zip((left, right), (words.BEFORE, words.AFTER), (*found, None, None), strict=False):
        with place:
            share_bar(name, seen.probability if seen else None, told(seen), says(seen))
    if len(found) == 2:
        last = [seen for seen in run.seen if isinstance(seen, CacheBlock)][-1]
        if found[1].probability is not None:
            key = key_tokens(current.model(), task)
            lost = any(position not in last.kept for position in key)
            plan: MemoryBudget = run.about["plan"]
            why = words.ANSWER_LOST if lost else words.ANSWER_ROUNDED if plan.bits else words.ANSWER_KEPT if key else words.ANSWER_NOWHERE
            st.markdown(f"{why} {fell(found[0].probability, found[1].probability)}")
        if (found[0].probability or 0) < 0.2:
            frame.show_notice(words.TOO_SMALL)


def plain(text: str) -> str:
    """A visitor's words inside Markdown: nothing in them may mean anything."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()#+-.!|<>$:~&" else c for c in " ".join(text.split()))


def fell(before: float | None, after: float) -> str:
    """How many times less likely the right answer became, where that is worth a sentence."""
    if not before or after <= 0 or before / after < 2:
        return ""
    factor = before / after
    return words.FELL.format(factor=numbers.count(factor) if factor >= 10 else f"{factor:.1f}")


def told(seen: Answer | None) -> str:
    """The probability in words."""
    return "…" if seen is None else numbers.percent(seen.probability)


def says(seen: Answer | None) -> str:
    """What it answers itself."""
    if seen is None:
        return ""
    if seen.probability is None and not seen.parts:
        return words.NEVER_ASKED
    if seen.probability is None:
        return words.NO_ROOM
    return words.SAYS.format(said=seen.said) if seen.said else words.SAYS_NOTHING


def ways() -> None:
    """Every way out side by side, under the same budget."""
    run = experiment.of(WAYS)
    if run.error:
        frame.show_notice(run.error)
    if not run.seen:
        return
    rows = [
        {
            "When it is full": words.POLICIES[way.policy],
            "lines": way.answer.pages,
            "bytes, counted": numbers.size(way.answer.bytes),
            "right answer": numbers.percent(way.answer.probability) if way.answer.probability is not None else "never asked",
            "it says": way.answer.said,
        }
        for way in run.seen
        if isinstance(way, PolicyOutcome)
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")


def stage() -> None:
    """All that moves."""
    with frame.error_boundary():
        notepad()
        answer()
        ways()
    experiment.advance(FILL)
    experiment.advance(WAYS)


def calculator() -> None:
    """Any known model on any known card: how many readers, and why."""
    frame.section(words.CALCULATOR, words.CALCULATOR_TERM)
    st.caption(words.CALCULATOR_LEAD)
    shapes: dict[str, ModelShape] = {name: known.shape for name, known in MODELS.items()}
    if (own := getattr(current.model(), "shape", None)) is not None:
        shapes = {THIS: own, **shapes}
    titles = {THIS: current.model().name} | {name: known.title for name, known in MODELS.items()}
    one, two, three = st.columns(3, gap="medium")
    name = one.selectbox(
        "Model", list(shapes), index=list(shapes).index("llama-3.1-8b"), key="memory_model", format_func=lambda key: titles[key]
    )
    card = CARDS[two.selectbox("Card", list(CARDS), index=1, key="memory_card", format_func=lambda key: CARDS[key].title)]
    shape = shapes[name]
    tokens = three.select_slider("Text of each reader", LENGTHS, value=8_000, key="memory_context", format_func=lambda n: f"{n:,} tokens")
    one, two, _ = st.columns(3, gap="medium")
    shipped = words.AS_SHIPPED
    choices: tuple[str | int, ...] = (shipped, 16, 8, 4)
    weights = one.segmented_control("Bits per weight", choices, default=shipped, key="memory_weights", required=True) or shipped
    notes = two.segmented_control("Bits per number in the notepad", (16, 8, 4), default=16, key="memory_notes", required=True) or 16
    model = current.model()
    own_item = model.weight_bytes / max(1, model.parameter_count)
    item = (MODELS[name].item_size if name in MODELS else own_item) if isinstance(weights, str) else float(weights) / 8
    verdict(shape, card.title, card.memory_bytes, int(tokens), item, notes / 8)
    if isinstance(weights, str) and name in MODELS and MODELS[name].expert_bits != MODELS[name].other_bits:
        st.caption(words.SHIPPED.format(experts=f"{MODELS[name].expert_bits:g}", others=f"{MODELS[name].other_bits:g}"))


def verdict(shape: ModelShape, card: str, memory: int, tokens: int, weight_item: float, item: float) -> None:
    """How many fit, as a sentence, as a bar, as a formula."""
    readers = readers_that_fit(shape, memory, tokens, weight_item, item)
    taken, each = weight_bytes(shape, weight_item), cache_bytes(shape, tokens, item)
    said = {
        "weights": numbers.size(taken),
        "card": card,
        "memory": numbers.size(memory),
        "context": f"{tokens:,}",
        "readers": f"{readers:,}",
    }
    if taken > memory:
        sentence = words.FITS_NONE
    elif readers == 0:
        sentence = words.FITS_TIGHT
        said |= {"each": numbers.size(each), "free": numbers.size(memory - taken)}
    else:
        sentence = words.FITS_ONE if readers == 1 else words.FITS
    st.markdown(f"#### {sentence.format(**said)}")
    charts.draw(
        cost_charts.shelf, shelf(memory, taken, each, readers), key="memory_shelf", alt_text=sentence.format(**said).replace("*", "")
    )
    colours = palette.of(charts.theme())
    frame.legend(
        (colours.removed, f"weights, {said['weights']}"), (colours.computed, f"one notepad, {numbers.size(each)}"), (colours.line, "free")
    )
    window = words.WINDOWED.format(count=shape.window_layers, window=f"{shape.window:,}") if shape.window else ""
    numbers_kept = (
        f"{shape.kv_head_count} KV heads × ({shape.key_size} + {shape.value_size})" if not shape.latent_size else str(shape.latent_size)
    )
    st.caption(
        words.FORMULA.format(
            layers=shape.attention_layers,
            numbers=numbers_kept,
            item=f"{item:g}",
            each=numbers.size(cache_bytes(shape, 1, item)),
            window=window,
        )
    )
    if tokens > shape.context_length:
        st.caption(words.BEYOND.format(limit=f"{shape.context_length:,}"))


def shelf(memory: int, taken: int, each: int, readers: int) -> pd.DataFrame:
    """The memory from left to right, as shares of the whole."""
    rows: list[tuple[float, float, str, str]] = [
        (0.0, min(1.0, taken / memory), "weights" if taken <= memory else "over", numbers.size(taken))
    ]
    shown = min(readers, 120)
    width = each * readers / memory / shown if shown else 0.0
    start = rows[0][1]
    for index in range(shown):
        rows.append(
            (
                start + index * width,
                start + (index + 1) * width,
                "notepads",
                f"reader {index + 1}" if shown == readers else f"{readers:,} readers",
            )
        )
    end = start + shown * width
    rows.append((end, 1.0, "free", numbers.size(max(0, memory - taken - each * readers))))
    return pd.DataFrame(rows, columns=["start", "end", "part", "tip"])


def elsewhere(budget: int) -> None:
    """The visitor's own budget, measured in other models' pages."""
    rows = [
        {
            "model": known.title,
            "one token": numbers.size(cache_bytes(known.shape, 1, 2)),
            "tokens": math.floor(budget / cache_bytes(known.shape, 1, 2)),
            "a full context": numbers.size(cache_bytes(known.shape, known.shape.context_length, 2)),
        }
        for known in MODELS.values()
    ]
    with st.expander(words.AS_IF, icon=":material/auto_stories:"):
        st.caption(words.AS_IF_LEAD.format(size=numbers.size(budget)))
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")


def positions() -> None:
    """What is said plainly about positions, forgetting and rounding."""
    with st.expander(words.PLAINLY, icon=":material/info:"):
        try:
            kind = PagedKVCache(current.model()).positions
        except ViewerError as error:
            st.markdown(str(error))
            return
        st.markdown("\n\n".join((words.POSITIONS[kind], words.NOT_UNDONE, words.ROUNDING)))


frame.header(words.MEMORY_TITLE, words.MEMORY_TERM, words.MEMORY_LEAD)
budget = 0
with frame.error_boundary():
    plan, source = choose()
    budget = plan.budget_bytes
    own = own_fields() if source == "own" else ("", "", "")
    busy = experiment.of(FILL).running or experiment.of(WAYS).running
    unasked = source == "own" and not own[1].strip()
    with st.container(horizontal=True, key="memory_buttons"):
        label = words.MEMORY_READ if source == "story" else words.MEMORY_ASK if own[1].strip() else words.MEMORY_WRITE
        st.button(
            label,
            on_click=current.error_boundary(begin),
            args=(plan, source, own),
            type="primary",
            icon=":material/menu_book:",
            key="memory_start",
        )
        task = lambda: own_task(*own) if source == "own" else RED_POT  # noqa: E731 (called with the experiment)
        make = lambda: every_policy(current.model(), plan, task())  # noqa: E731 (a callback that is called at the click)
        st.button(
            words.MEMORY_ALL,
            on_click=experiment.start,
            args=(WAYS, make),
            icon=":material/alt_route:",
            key="memory_all",
            disabled=busy or unasked,
        )
    colours = palette.of(charts.theme())
    frame.legend(*zip((colours.reused, colours.computed, colours.removed, colours.line), words.LEGEND, strict=True))
st.fragment(stage, run_every=experiment.of(FILL).interval or experiment.of(WAYS).interval)()
with frame.error_boundary():
    positions()
    st.divider()
    calculator()
    if budget:
        elsewhere(budget)
