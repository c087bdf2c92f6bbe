"""The receipt: what the text on Watch cost, what it would have cost elsewhere, and where the seconds of one request went."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pandas as pd
import streamlit as st

from core.costs.formulas import CARDS, MODELS, ModelShape, answer_multiply_adds, attention_multiply_adds, forecast
from core.costs.receipt import Assumptions, Receipt
from core.engine.model import LanguageModel
from core.labs.request import LatencyTrace, request
from core.settings import SamplingSettings
from pages.parts.charts import charts, cost_charts
from pages.parts.components.receipt import receipt
from pages.parts.layout import frame, results
from pages.parts.runtime import experiment
from pages.parts.session import current, provenance
from pages.parts.session.provenance import Provenance
from pages.parts.session.state import STAYS
from pages.parts.text import cost_words as words
from pages.parts.text import numbers
from pages.parts.text.plain import plain

frame.page()
TWO, TIMED = "cost_two", "cost_timed"
ANSWER = 24  # tokens of each answer to the two prompts
WRITTEN = 32  # tokens of the request on the timeline
IMAGINED = 100  # tokens, where nothing has been written yet
TABLE = ("llama-2-7b", "llama-3.1-70b", "llama-3.1-405b")
PRICES = {"llama-2-7b": 0.20, "llama-3.1-70b": 0.90, "llama-3.1-405b": 3.50}
NOTICEABLE = 1.05  # times the work: less is no difference worth a sentence
LONGEST = 4_000  # characters of a question


def rates() -> Assumptions:
    """What is assumed, each to be changed."""
    now = receipt.assumptions()
    with st.expander(words.ASSUMPTIONS, icon=":material/edit:"):
        values = {
            field: st.number_input(label, 0.0, 100_000.0, float(getattr(now, field)), step, key=f"cost_{field}", format="%.2f", **STAYS)
            for field, label, step in words.RATES
        }
    changed = replace(now, **values)
    current.results()["assumptions"] = changed
    return changed


def this_text() -> None:
    """The bill for the visitor's own run."""
    run = current.run()
    left, right = st.columns([0.6, 0.4], gap="large")
    with right:
        frame.section("Three kinds of number")
        receipt.kinds()
        rates()
        shape = getattr(run.model, "shape", None)
        if shape is None:
            frame.show_notice(words.UNKNOWN_SHAPE)
        textbook()
    with left:
        if not run.path:
            recorded_bill()
            return
        model = run.model
        top = receipt.peak(model.device, model.dtype) if shape is not None and getattr(model, "network", None) is not None else None
        made = receipt.bill(run.path, model, top)
        receipt.paper(made, "This text")
        results.made("cost", Provenance(run.model_name, run.prompt), [])
        if made.bytes_per_second and top and made.bytes_per_second > top.bytes_per_second:
            st.caption(words.FAST_CACHE)


def recorded_bill() -> None:
    """Before anything was written: the bill of the request on the timeline."""
    frame.show_notice(words.COST_EMPTY)
    timed = experiment.of(TIMED)
    if timed.seen and not timed.running and timed.made_by is not None:
        receipt.paper(timed.seen[-1].receipt, words.COST_EXAMPLE)
        results.made("cost", timed.made_by, [])
        st.caption(words.COST_RECORDED.format(day=results.day(timed.recorded_on)) if timed.recorded_on else words.COST_TIMED)


def textbook() -> None:
    """70 billion parameters, 1,000 tokens."""
    shape = ModelShape.named("llama-3.1-70b")
    total = answer_multiply_adds(shape, 1, 1000)
    attention = sum(attention_multiply_adds(shape, context) for context in range(1, 1001))
    said = words.EXAMPLE.format(
        weights=numbers.count(shape.matrix_parameters),
        total=numbers.count(total),
        attention=numbers.percent(attention / total),
        flop=receipt.prefixed(2 * total, "FLOP"),
    )
    frame.section("The textbook example")
    st.markdown(said)


def elsewhere() -> None:
    """The same number of tokens on models of 7, 70 and 400 billion parameters."""
    run = current.run()
    read, written = len(run.prompt_tokens), len(run.path) or IMAGINED
    frame.section(words.ELSEWHERE, words.ELSEWHERE_TERM)
    first, *places = st.columns([0.4, 0.2, 0.2, 0.2], gap="medium")
    card = CARDS[
        first.selectbox("On cards of this kind", list(CARDS), index=4, key="cost_card", format_func=lambda key: CARDS[key].title, **STAYS)
    ]
    rows = []
    for name, place in zip(TABLE, places, strict=True):
        price = place.number_input(
            words.PRICE_OF.format(model=MODELS[name].title), 0.0, 1000.0, PRICES[name], 0.1, key=f"cost_price_{name}", **STAYS
        )
        expected = forecast(MODELS[name].shape, read, written, card)
        rows.append(
            {
                "model": MODELS[name].title,
                "ƒ operations": receipt.prefixed(2 * expected.multiply_adds, "FLOP"),
                "ƒ bytes fetched": numbers.size(expected.bytes_read),
                "ƒ memory": numbers.size(expected.memory_bytes),
                "✎ cards": expected.cards,
                "✎ at best": numbers.duration(expected.seconds),
                "✎ energy": receipt.prefixed(expected.watt_hours, "Wh"),
                "✎ price": receipt.money((read + written) * price / 1e6),
            }
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
    st.caption(f"{read:,} tokens read, {written:,} written. {words.ELSEWHERE_NOTE}")


def both(
    model: LanguageModel, questions: tuple[str, str], settings: SamplingSettings, assumed: Assumptions
) -> Iterator[tuple[int, LatencyTrace]]:
    """Ask the short question, then the long one."""
    for place, question in enumerate(questions):
        for progress in request(model, question, settings, ANSWER, assumed):
            yield place, progress


def two_questions() -> None:
    """The same question, briefly and at length."""
    frame.section(words.TWO_TITLE, words.TWO_TERM)
    st.caption(words.TWO_LEAD)
    left, right = st.columns(2, gap="large")
    terse = left.text_area("Briefly", words.TERSE, key="cost_terse", height=120, max_chars=LONGEST, **STAYS)
    verbose = right.text_area("At length", words.VERBOSE, key="cost_verbose", height=120, max_chars=LONGEST, **STAYS)
    questions = (terse or "", verbose or "")
    now = provenance.now({words.BY_SHORT_QUESTION: questions[0], words.BY_LONG_QUESTION: questions[1]}, assumed(), prompt=False)

    @current.error_boundary
    def begin() -> None:
        current.at(TWO)
        model, settings, rates = current.model(), current.settings(), receipt.assumptions()
        experiment.start(TWO, lambda: both(model, questions, settings, rates), now)

    start_or_stop(TWO, words.TWO_START, begin, ":material/receipt_long:", "cost_two")

    def draw() -> None:
        with results.shown(TWO, now, begin) as seen:
            last: dict[int, LatencyTrace] = dict(seen.seen)
            for place, column in enumerate(st.columns(2, gap="large")):
                if place in last:
                    with column:
                        st.markdown(f":gray[…]{plain(last[place].text)}")
                        receipt.paper(last[place].receipt, ("Briefly", "At length")[place])
            if len(last) == 2 and not seen.running and not seen.error:
                read = [next(trace.receipt for number, trace in seen.seen if number == place) for place in (0, 1)]
                st.markdown(receipt.verdict((read[0], last[0].receipt), (read[1], last[1].receipt)))

    results.live(draw, TWO, key="cost_two_fragment")


def assumed() -> dict[str, str]:
    """The rates that a bill is made with."""
    return {words.BY_RATES: str(receipt.assumptions())}


def start_or_stop(name: str, label: str, begin: Callable[[], None], icon: str, key: str) -> None:
    """One button: begin, or end what runs. Not in a callback: what was typed a moment ago is to count."""
    if experiment.of(name).running:
        st.button(words.CACHE_STOP, on_click=experiment.stop, args=(name,), icon=":material/stop:", key=f"{key}_stop")
    elif st.button(label, icon=icon, key=key):
        begin()
        st.rerun()


def verdict(brief: Receipt, long: Receipt) -> str:
    """Which question cost more, where that can be said: both computed, and both answers equally long."""
    if not brief.flops or not long.flops:
        return words.TWO_UNKNOWN
    if brief.new_tokens != long.new_tokens:
        return words.TWO_UNEVEN.format(brief=brief.new_tokens, long=long.new_tokens)
    factor = long.flops / brief.flops
    if max(factor, 1 / factor) < NOTICEABLE:
        return words.TWO_SAME
    return words.TWO_SAYS.format(factor=f"{factor:.1f}") if factor > 1 else words.TWO_LESS.format(factor=f"{1 / factor:.1f}")


def seconds() -> None:
    """One request as a timeline."""
    frame.section(words.TIMELINE, words.TIMELINE_TERM)
    st.caption(words.TIMELINE_LEAD)
    now = provenance.now(None, assumed())

    @current.error_boundary
    def begin() -> None:
        current.at(TIMED)
        model, prompt, settings, rates = current.model(), current.prompt(), current.settings(), receipt.assumptions()
        experiment.start(TIMED, lambda: request(model, prompt, settings, WRITTEN, rates), now)

    start_or_stop(TIMED, words.TIMELINE_START, begin, ":material/timer:", "cost_timed")

    def draw() -> None:
        with results.shown(TIMED, now, begin) as seen:
            if seen.seen:
                last: LatencyTrace = seen.seen[-1]
                st.markdown(words.TIMELINE_SAYS.format(first=numbers.duration(last.first_token), total=numbers.duration(last.total)))
                charts.draw(
                    cost_charts.timeline,
                    stretches(last),
                    key="cost_timeline",
                    alt_text=words.TIMELINE_ALT,
                    rows=len(last.parts),
                )

    results.live(draw, TIMED, key="cost_timed_fragment")


def stretches(progress: LatencyTrace) -> pd.DataFrame:
    """The timeline's rows."""
    rows = []
    for order, part in enumerate(progress.parts):
        kind = "assumed" if part.kind == "assumed" else "computing" if part.name in ("prefill", "decode") else "waiting"
        said = numbers.duration(part.seconds)
        name = f"{receipt.MARKS[part.kind]} {words.PARTS[part.name]}"
        row = {"order": order, "name": name, "start": part.start, "end": part.start + part.seconds, "kind": kind, "label": said}
        rows.append(row | {"tip": f"{said}, {part.kind}"})
    return pd.DataFrame(rows)


frame.header(words.COST_TITLE, words.COST_TERM, words.COST_LEAD)
with frame.error_boundary():
    this_text()
    st.divider()
    elsewhere()
    st.divider()
    two_questions()
    st.divider()
    seconds()
