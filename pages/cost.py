"""The receipt: what the text on Watch cost, what it would have cost elsewhere, and where the seconds of one request went."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pandas as pd
import streamlit as st

from core.costs.formulas import CARDS, MODELS, ModelShape, answer_multiply_adds, attention_multiply_adds, forecast
from core.costs.receipt import Assumptions, Receipt
from core.engine.model import LanguageModel
from core.experiments.request import LatencyTrace, request
from core.language import N_, _
from core.settings import SamplingSettings
from pages.ui.charts import charts, cost_charts
from pages.ui.experiments import experiment, results
from pages.ui.i18n import names, numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.session import current, elements, provenance
from pages.ui.session.provenance import Provenance
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame
from pages.ui.views import receipt

frame.page()

RATES = (
    (
        "watts",
        _("Watts while computing"),
        5.0,
    ),
    (
        "price_input",
        _("Dollars per million tokens read"),
        0.05,
    ),
    (
        "price_output",
        _("Dollars per million tokens written"),
        0.05,
    ),
    (
        "price_hour",
        _("Dollars per hour of hardware"),
        0.05,
    ),
    (
        "network_seconds",
        _("Seconds on the network, there and back"),
        0.01,
    ),
)
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
    with st.expander(_("Change what is assumed"), icon=":material/edit:"):
        values = {
            field: st.number_input(
                label, 0.0, 100_000.0, float(getattr(now, field)), step, key=f"cost_{field}", format="%.2f", **PERSISTENT
            )
            for field, label, step in RATES
        }
    changed = replace(now, **values)
    current.results()["assumptions"] = changed
    return changed


def this_text() -> None:
    """The bill for the visitor's own run."""
    run = current.run()
    left, right = st.columns([0.6, 0.4], gap="large")
    with right:
        elements.section(_("Three kinds of number"))
        receipt.kinds()
        rates()
        shape = getattr(run.model, "shape", None)
        if shape is None:
            elements.show_notice(_("This text comes from a recording of a model that is not here, so the work cannot be computed."))
        textbook()
    with left:
        if not run.path:
            recorded_bill()
            return
        model = run.model
        top = receipt.peak(model.device, model.dtype) if shape is not None and model.has_network else None
        made = receipt.bill(run.path, model, top)
        receipt.paper(made, _("This text"))
        results.provenance_line("cost", Provenance(run.model_name, run.prompt), [])
        if made.bytes_per_second and top and made.bytes_per_second > top.bytes_per_second:
            st.caption(
                _(
                    "Over 100 % is possible for a small model: its weights stay in the processor's own cache and "
                    "need not be fetched from memory."
                )
            )


def recorded_bill() -> None:
    """Before anything was written: the bill of the request on the timeline."""
    elements.show_notice(
        _("Nothing has been written yet, so there is nothing to pay. Write a few tokens on Watch, or let a question be answered below.")
    )
    timed = experiment.of(TIMED)
    if timed.seen and not timed.running and timed.made_by is not None:
        receipt.paper(timed.seen[-1].receipt, _("A text of 32 tokens"))
        results.provenance_line("cost", timed.made_by, [])
        st.caption(
            _("A recording of {day}: the request of the timeline below, which ran on another day and maybe another machine.").format(
                day=numbers.day(timed.recorded_on)
            )
            if timed.recorded_on
            else _("The request of the timeline below.")
        )


def textbook() -> None:
    """70 billion parameters, 1,000 tokens."""
    shape = ModelShape.named("llama-3.1-70b")
    total = answer_multiply_adds(shape, 1, 1000)
    attention = sum(attention_multiply_adds(shape, context) for context in range(1, 1001))
    said = _(
        "The textbook example: **70 billion parameters, 1,000 tokens**. Same function: {weights} "
        "weights met per token, and attention on top, make **{total} multiply-adds**, of which "
        "attention is {attention}. A receipt counts two operations for each: {flop}."
    ).format(
        weights=numbers.count(shape.matrix_parameters),
        total=numbers.count(total),
        attention=numbers.percent(attention / total),
        flop=receipt.prefixed(2 * total, "FLOP"),
    )
    elements.section(_("The textbook example"))
    st.markdown(said)


def elsewhere() -> None:
    """The same number of tokens on models of 7, 70 and 400 billion parameters."""
    run = current.run()
    read, written = len(run.prompt_tokens), len(run.path) or IMAGINED
    elements.section(_("What would this answer have cost on ..."), _("computed from published shapes; times from data sheets"))
    first, *places = st.columns([0.4, 0.2, 0.2, 0.2], gap="medium")
    card = CARDS[
        first.selectbox(
            _("On cards of this kind"), list(CARDS), index=4, key="cost_card", format_func=lambda key: _(CARDS[key].title), **PERSISTENT
        )
    ]
    rows = []
    for name, place in zip(TABLE, places, strict=True):
        price = place.number_input(
            _("{model}: $ per million").format(model=MODELS[name].title),
            0.0,
            1000.0,
            PRICES[name],
            0.1,
            key=f"cost_price_{name}",
            **PERSISTENT,
        )
        expected = forecast(MODELS[name].shape, read, written, card)
        rows.append(
            {
                "model": MODELS[name].title,
                _("ƒ operations"): receipt.prefixed(2 * expected.multiply_adds, "FLOP"),
                _("ƒ bytes fetched"): numbers.size(expected.bytes_read),
                _("ƒ memory"): numbers.size(expected.memory_bytes),
                _("✎ cards"): expected.cards,
                _("✎ at best"): numbers.duration(expected.seconds),
                _("✎ energy"): receipt.prefixed(expected.watt_hours, "Wh"),
                _("✎ price"): receipt.money((read + written) * price / 1e6),
            }
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
    counted = _("{read} tokens read, {written} written.").format(read=numbers.whole(read), written=numbers.whole(written))
    note = _(
        "Cards come in the numbers that tensor parallelism is run with: 1, 2, 4, 8, 16 ..., so that each holds the same number of heads. "
        "At best: every card at its paper speed, nobody else in the queue. Real services reach a part of it and serve many readers with "
        "the same pass, which is what makes a single answer cheap."
    )
    st.caption(f"{counted} {note}")


def both(
    model: LanguageModel, questions: tuple[str, str], settings: SamplingSettings, assumed: Assumptions
) -> Iterator[tuple[int, LatencyTrace]]:
    """Ask the short question, then the long one."""
    for place, question in enumerate(questions):
        for progress in request(model, question, settings, ANSWER, assumed):
            yield place, progress


def two_questions() -> None:
    """The same question, briefly and at length."""
    elements.section(_("Ask briefly or at length?"), _("two prompts, two receipts"))
    st.caption(_("The same question twice. The model reads every word of it, and you pay for reading too."))
    left, right = st.columns(2, gap="large")
    terse = left.text_area(_("Briefly"), "Where is the cat? The cat is", key="cost_terse", height=120, max_chars=LONGEST, **PERSISTENT)
    verbose = right.text_area(
        _("At length"),
        (
            "Good morning! I hope that you are well and that I do not disturb you. I would like to ask "
            "you something, if you do not mind, about our cat. We have looked everywhere, in the house "
            "and in the garden. Could you please be so kind and tell me, where is the cat? The cat is"
        ),
        key="cost_verbose",
        height=120,
        max_chars=LONGEST,
        **PERSISTENT,
    )
    questions = (terse or "", verbose or "")
    now = provenance.now({N_("the short question"): questions[0], N_("the long question"): questions[1]}, assumed(), prompt=False)

    @current.error_boundary
    def begin() -> None:
        current.anchor_notices(TWO)
        model, settings, rates = current.model(), current.settings(), receipt.assumptions()
        experiment.start(TWO, lambda: both(model, questions, settings, rates), now)

    start_or_stop(TWO, _("Ask both"), begin, ":material/receipt_long:", "cost_two")

    def draw() -> None:
        with results.shown(TWO, now, begin) as seen:
            last: dict[int, LatencyTrace] = dict(seen.seen)
            for place, column in enumerate(st.columns(2, gap="large")):
                if place in last:
                    with column:
                        st.markdown(f":gray[…]{plain(last[place].text)}")
                        receipt.paper(last[place].receipt, (_("Briefly"), _("At length"))[place])
            if len(last) == 2 and not seen.running and not seen.error:
                read = [next(trace.receipt for number, trace in seen.seen if number == place) for place in (0, 1)]
                st.markdown(receipt.verdict((read[0], last[0].receipt), (read[1], last[1].receipt)))

    results.live(draw, TWO, key="cost_two_fragment")


def assumed() -> dict[str, str]:
    """The rates that a bill is made with."""
    return {N_("the rates"): str(receipt.assumptions())}


def start_or_stop(name: str, label: str, begin: Callable[[], None], icon: str, key: str) -> None:
    """One button: begin, or end what runs. Not in a callback: what was typed a moment ago is to count."""
    if experiment.of(name).running:
        st.button(_("Stop"), on_click=experiment.stop, args=(name,), icon=":material/stop:", key=f"{key}_stop")
    elif st.button(label, icon=icon, key=key):
        begin()
        st.rerun()


def verdict(brief: Receipt, long: Receipt) -> str:
    """Which question cost more, where that can be said: both computed, and both answers equally long."""
    if not brief.flops or not long.flops:
        return _("No verdict: the shape of this model is not known here, so its work cannot be computed.")
    if brief.new_tokens != long.new_tokens:
        return _("The answers give no verdict: one has {brief} tokens, the other {long}.").format(
            brief=brief.new_tokens, long=long.new_tokens
        )
    factor = long.flops / brief.flops
    if max(factor, 1 / factor) < NOTICEABLE:
        return _("Both cost the same work, give or take a few percent.")
    return (
        _("The second question costs **{factor} times** the work of the first one, for the same number of new tokens.").format(
            factor=numbers.decimal(factor, 1)
        )
        if factor > 1
        else _("The first question costs **{factor} times** the work of the second one, for the same number of new tokens.").format(
            factor=numbers.decimal(1 / factor, 1)
        )
    )


def seconds() -> None:
    """One request as a timeline."""
    elements.section(_("Where did the seconds go?"), _("one request, from the question to the last token"))
    st.caption(
        _(
            "The network is assumed, the rest is measured here and now, and nothing is left out: the "
            "stretches together are the whole wait. Decoding, dice and drawing really take turns; here "
            "each is one stretch."
        )
    )
    now = provenance.now(None, assumed())

    @current.error_boundary
    def begin() -> None:
        current.anchor_notices(TIMED)
        model, prompt, settings, rates = current.model(), current.prompt(), current.settings(), receipt.assumptions()
        experiment.start(TIMED, lambda: request(model, prompt, settings, WRITTEN, rates), now)

    start_or_stop(TIMED, _("Ask once, with the clock running"), begin, ":material/timer:", "cost_timed")

    def draw() -> None:
        with results.shown(TIMED, now, begin) as seen:
            if seen.seen:
                last: LatencyTrace = seen.seen[-1]
                st.markdown(
                    _("The first word came after **{first}**, the last one after **{total}**.").format(
                        first=numbers.duration(last.first_token), total=numbers.duration(last.total)
                    )
                )
                charts.draw(
                    cost_charts.timeline,
                    stretches(last),
                    key="cost_timeline",
                    alt_text=_(
                        "One bar per stretch of the request, from left to right: network, queue, prefill, decode, "
                        "dice, bookkeeping, what lies between tokens."
                    ),
                    rows=len(last.parts),
                )

    results.live(draw, TIMED, key="cost_timed_fragment")


def stretches(progress: LatencyTrace) -> pd.DataFrame:
    """The timeline's rows."""
    rows = []
    for order, part in enumerate(progress.parts):
        kind = "assumed" if part.kind == "assumed" else "computing" if part.name in ("prefill", "decode") else "waiting"
        said = numbers.duration(part.seconds)
        name = f"{receipt.MARKS[part.kind]} {_(names.SPANS[part.name])}"
        row = {"order": order, "name": name, "start": part.start, "end": part.start + part.seconds, "kind": kind, "label": said}
        rows.append(row | {"tip": f"{said}, {part.kind}"})
    return pd.DataFrame(rows)


frame.header(_("What did that cost?"), _("the receipt"), _("The bill for the text on Watch, from the records of its own steps."))
with elements.error_boundary():
    this_text()
    st.divider()
    elsewhere()
    st.divider()
    two_questions()
    st.divider()
    seconds()
