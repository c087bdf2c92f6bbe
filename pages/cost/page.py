"""The receipt: what the text on Watch cost, what it would cost on known models, and two prompts compared."""

from __future__ import annotations

from dataclasses import astuple, replace

import pandas as pd
import streamlit as st

from core.costs.assumptions import MODEL_PRICES
from core.costs.operations_and_bytes import CARDS, MODELS, answer_multiply_adds, attention_multiply_adds, forecast
from core.experiments.cost import answers, two_requests
from core.sources.capabilities import WHY_NOT, Can
from pages.cost import receipt_sentences
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, notices, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.provenance import Provenance
from pages.ui.shell import frame
from pages.ui.views import receipt

frame.page()

RATES = (
    ("watts", _("Watts while computing"), 5.0),
    ("price_input", _("Dollars per million prompt tokens"), 0.05),
    ("price_output", _("Dollars per million new tokens"), 0.05),
    ("price_hour", _("Dollars per hour of hardware"), 0.05),
)
TWO = "cost_two"
ANSWER = 24  # tokens of each answer to the two prompts
IMAGINED = 100  # tokens of the answer, if nothing has been written yet
LONGEST = 4_000  # characters of a question


def rates() -> None:
    """Draw the fields of what is assumed, and store the values."""
    now = receipt.assumptions()
    with st.expander(_("Change what is assumed"), icon=":material/edit:"):
        widget_options = {"format": "%.2f", **PERSISTENT}
        values = {
            field: st.number_input(label, 0.0, 100_000.0, float(getattr(now, field)), step, key=f"cost_{field}", **widget_options)
            for field, label, step in RATES
        }
    receipt.assume(replace(now, **values))


def this_text() -> None:
    """Draw the receipt of the visitor's own run."""
    run = current.run()
    left, right = st.columns([0.6, 0.4], gap="large")
    shape = run.model.known_shape
    with right:
        elements.section(_("Three kinds of number"))
        with st.container(key="receipt_kinds"):
            receipt.kinds()
        rates()
        if shape is None and Can.FACTS in run.can:
            recorded = _("This text comes from a recording of a model that is not here, so its work cannot be computed.")
            notices.show_notice(_(WHY_NOT[Can.SHAPE]) if Can.NEW_TOKENS in run.can else recorded)
        textbook()
    with left:
        if not run.path:
            notices.show_notice(_("Nothing has been written yet, so there is nothing to pay. Write a few tokens on Watch first."))
            return
        if not run.path[0].forward.measured:
            notices.show_notice(_("This is a saved answer of a server. Its times, its cache and its cost are not in this file."))
            return
        top = receipt.peak(run.model.device, run.model.dtype) if shape is not None and Can.NETWORK in run.model.can else None
        own_bill = receipt.bill(run.path, run.model, top)
        with st.container(key="receipt"):
            receipt.paper(own_bill, _("This text"))
        results.provenance_line("cost", Provenance(run.model_name, run.prompt), [])


def textbook() -> None:
    """Draw the example of 70 billion parameters and 1,000 tokens."""
    shape = MODELS["llama-3.1-70b"].shape
    total = answer_multiply_adds(shape, 1, 1000)
    attention = sum(attention_multiply_adds(shape, context) for context in range(1, 1001))
    elements.section(_("The textbook example"))
    st.markdown(
        _(
            "**70 billion parameters, 1,000 tokens**: {weights} weights are multiplied for each token. With attention this makes "
            "**{total} multiply-adds**; {attention} of them are attention. A receipt counts two operations for each: {flop}."
        ).format(
            weights=numbers.count(shape.matrix_parameters),
            total=numbers.count(total),
            attention=numbers.percent(attention / total),
            flop=numbers.prefixed(2 * total, "FLOP"),
        )
    )


def elsewhere() -> None:
    """Draw the same number of tokens on models of 7, 70 and 400 billion parameters."""
    run = current.run()
    read, written = len(run.prompt_tokens), len(run.path) or IMAGINED
    elements.section(_("What would this answer have cost on ..."), _("computed from published shapes; times from data sheets"))
    first, *places = st.columns([0.4, 0.2, 0.2, 0.2], gap="medium")
    title = lambda key: _(CARDS[key].title)  # noqa: E731 (a short format function)
    card = CARDS[first.selectbox(_("On cards of this kind"), list(CARDS), index=4, key="cost_card", format_func=title, **PERSISTENT)]
    rows = []
    for (name, usual), column in zip(MODEL_PRICES.items(), places, strict=True):
        published = MODELS[name]
        label = _("{model}: $ per million").format(model=published.title)
        price = column.number_input(label, 0.0, 1000.0, usual, 0.1, key=f"cost_price_{name}", **PERSISTENT)
        expected = forecast(published.shape, read, written, card)
        rows.append(
            {
                "model": published.title,
                _("ƒ operations"): numbers.prefixed(2 * expected.multiply_adds, "FLOP"),
                _("ƒ bytes read"): numbers.size(expected.bytes_read),
                _("ƒ memory"): numbers.size(expected.memory_bytes),
                _("✎ cards"): expected.cards,
                _("✎ at best"): numbers.duration(expected.seconds),
                _("✎ energy"): numbers.prefixed(expected.watt_hours, "Wh"),
                _("✎ price"): receipt.money((read + written) * price / 1e6),
            }
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
    counted = _("{read} tokens read, {written} written.").format(read=numbers.whole(read), written=numbers.whole(written))
    note = _(
        "The number of cards is a power of two, so that each card holds the same number of heads. At best: every card at the speed of its "
        "data sheet and no other request. Real services are slower per card, and serve many requests in the same pass."
    )
    st.caption(f"{counted} {note}")


def two_questions() -> None:
    """Draw two prompts for the same question, and the receipts of their answers."""
    elements.section(_("Ask briefly or at length?"), _("two prompts, two receipts"))
    st.caption(_("The same question, short and long. The model reads every token of the prompt, and each one costs."))
    left, right = st.columns(2, gap="large")
    widget_options = {"height": 120, **PERSISTENT}
    terse = left.text_area(_("Briefly"), EXAMPLES.asked_briefly, key="cost_terse", max_chars=LONGEST, **widget_options) or ""
    verbose = right.text_area(_("At length"), EXAMPLES.asked_at_length, key="cost_verbose", max_chars=LONGEST, **widget_options) or ""
    rates = astuple(receipt.assumptions())
    now = provenance.now(short_question=terse, long_question=verbose, rates=rates, prompt=False)
    begin = results.starter(
        TWO, now, lambda: two_requests(current.model(), (terse, verbose), current.settings(), ANSWER, receipt.assumptions())
    )
    results.start_button(TWO, _("Answer both"), begin, icon=":material/receipt_long:")
    results.part(TWO, now, begin, two_receipts)


def two_receipts(run: Experiment) -> None:
    """Draw the receipts of the answers of median time side by side, and which one is larger."""
    both = [answers(run.observations, index) for index in (0, 1)]
    for answered, title, column in zip(both, (_("Briefly"), _("At length")), st.columns(2, gap="large"), strict=True):
        if not answered:
            continue
        last = answered[0][-1]
        with column:
            st.markdown(f":gray[…]{plain(last.text)}")
            receipt.paper(last.receipt, title)
    if all(both) and not run.running and not run.error:
        bills = [(answered[0][0].receipt, answered[0][-1].receipt) for answered in both]
        times = receipt_sentences.times(*([answer[-1].receipt.seconds for answer in answered] for answered in both))
        st.markdown(f"{receipt_sentences.verdict(*bills)} {times}")


frame.header(
    _("What did that cost?"),
    _("tokens, time, energy, money"),
    _("The receipt of the text on Watch, computed from the records of its steps."),
)
with drawing_boundary():
    this_text()
    st.divider()
    elsewhere()
    st.divider()
    two_questions()
