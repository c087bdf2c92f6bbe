"""The receipt, as a page and as a slip for other pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from core.costs.receipt import Amount, Receipt
from core.experiments.cost import RequestCost, answers
from pages.cost import receipt_sentences
from pages.ui.views import receipt
from tests.pages.apptest import Open, State, go, html, press, run_on, said


def test_the_bill_of_the_text_on_watch(open_app: Open, session: State) -> None:
    app = open_app(page="cost", steps="5")
    run = session(app).run
    bill = Receipt.of(run.path, run.model.shape)
    assert f"{bill.prompt_tokens} tokens read, 5 written" in html(app)
    for mark in ("measured", "computed", "assumed"):
        assert f'aria-label="{mark}"' in html(app)


def test_assumptions_are_used_and_kept(open_app: Open, session: State) -> None:
    app = open_app(page="cost", steps="3")
    app.number_input(key="cost_watts").set_value(900.0).run()
    assert "900 watts x" in html(app) and not app.exception
    go(app, "context")
    assert session(app).memory[receipt.Costs].assumptions.watts == 900.0


@pytest.mark.parametrize(
    ("brief", "long", "told"),
    [
        ((10, 100, 24), (30, 300, 24), "The second question costs **3.0 times**"),
        ((30, 300, 24), (10, 100, 24), "The first question costs **3.0 times**"),
        ((10, 100, 24), (10, 103, 24), "Both need the same work"),
        ((10, 100, 5), (30, 700, 23), "Reading the second question takes **3.0 times**"),
        ((30, 100, 5), (10, 700, 23), "Reading the first question takes **3.0 times**"),
        ((10, 100, 5), (10, 700, 23), "Reading both questions takes the same work"),
        ((None, None, 24), (30, 300, 24), "No comparison: the shape of this model is not known"),
    ],
)
def test_a_verdict_only_where_there_is_one(brief: Any, long: Any, told: str) -> None:
    def bills(read: int | None, whole: int | None, tokens: int) -> tuple[Receipt, Receipt]:
        empty = Receipt.of([], None)
        return replace(empty, multiply_adds=read, new_tokens=1), replace(empty, multiply_adds=whole, new_tokens=tokens)

    said_then = receipt_sentences.verdict(bills(*brief), bills(*long))
    assert told in said_then
    assert ("The answers cannot be compared" in said_then) == (brief[2] != long[2])


@pytest.mark.parametrize(
    ("brief", "long", "told"),
    [
        ((0.02,), (0.05,), ""),
        ((0.02, 0.01, 0.03), (0.05, 0.04, 0.06), "20 ms for the first question, 50 ms for the second."),
        ((0.02, 0.01, 0.05), (0.013, 0.012, 0.014), "they do not say which question is slower"),
    ],
)
def test_times_are_medians_of_several_answers_or_not_said(brief: tuple[float, ...], long: tuple[float, ...], told: str) -> None:
    sentence = receipt_sentences.times(brief, long).replace("\u00a0", " ")
    assert sentence.endswith(f"{told}." if told and not told.endswith(".") else told)


def test_the_receipt_of_a_question_is_that_of_its_answer_of_median_time() -> None:
    def answer(seconds: float) -> list[tuple[int, RequestCost]]:
        bill = replace(Receipt.of([], None), seconds=seconds)
        return [(0, RequestCost(cast(Any, None), "a" * count, replace(bill, new_tokens=count), None)) for count in (1, 2)]

    runs = answers([*answer(0.3), *answer(0.1), *answer(0.2)], 0)
    assert [run[-1].receipt.seconds for run in runs] == [0.2, 0.3, 0.1] and [len(run) for run in runs] == [2, 2, 2]


def test_a_question_of_nothing_is_one_sentence(open_app: Open) -> None:
    app = open_app(page="cost")
    app.text_area(key="cost_terse").set_value("").run()
    run_on(press(app, "cost_two_start"))
    assert "The text is empty" in said(app)


AMOUNTS = {
    "s": {0.0: "0 ms", 0.0123: "12 ms"},
    "B/s": {2.5e9: "2.5 GB/s"},
    "Wh": {0.0068: "6.8 mWh", 0.0: "0 Wh"},
    "FLOP": {1.4e14: "140 TFLOP", 8.2e17: "820 PFLOP"},
    "": {7.02e13: "70 trillion", 1.37: "1.4", 30: "30"},
    "$": {0: "$0", 12.5: "$12.50", 0.0042: "0.42 cents", 0.2: "20 cents", 7.256e-6: "0.00073 cents", 1e-12: "< 0.0000001 cents"},
}


@pytest.mark.parametrize("unit", AMOUNTS)
def test_amounts_are_said_as_people_say_them(unit: str) -> None:
    said = {value: receipt.said(Amount("", value, unit, "measured", "")).replace("\u00a0", " ") for value in AMOUNTS[unit]}
    assert said == AMOUNTS[unit]
