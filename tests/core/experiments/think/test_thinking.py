"""The chance of an answer is the model's joint probability, answers are found in the text, and counts carry their error."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.engine.kv_cache.prefix_reuse import KVCache
from core.experiments.shared.answer_in_text import (
    _ends_a_sentence,
    answer_of,
    first_answer,
    goes_on,
    is_complete,
    normal,
    same_answer,
    spellings,
)
from core.experiments.shared.confidence_interval import wilson
from core.experiments.shared.prompting_styles import CHAIN_OF_THOUGHT, DIRECT, PromptingStyle
from core.experiments.shared.questions.grammar import held_out
from core.experiments.think.thinking import Question, chance_of, count, given, sums, think
from tests.core.plain import plain_odds
from tests.tiny_models import some

QUESTION = Question("2 + 3?\n", "5")


def joint(network: Any, ids: list[int], answer: list[int]) -> float:
    """The probability of these tokens behind those, from full passes of the plain model."""
    chance = 1.0
    for token in answer:
        chance *= plain_odds(network, ids)[token]
        ids = [*ids, token]
    return chance


def ending(network: Any, model: Any, ids: list[int], longer: str) -> float:
    """The probability that the next token does not begin with what makes the answer longer, token by token."""
    odds = plain_odds(network, ids)
    texts = [model.token(i).raw.decode("utf-8", "replace") for i in range(len(odds))]
    return 1 - sum(p for p, text in zip(odds, texts, strict=True) if re.match(longer, text))


@pytest.mark.parametrize("architecture", some(["llama", "gpt2", "mamba"], ["llama", "mamba"]))
@pytest.mark.parametrize("style", [DIRECT, CHAIN_OF_THOUGHT])
def test_the_chance_is_the_joint_probability_of_the_answer_and_its_end(
    architecture: str, style: PromptingStyle, tiny: Any, plain: Any
) -> None:
    model = tiny(architecture)
    run = Generation(model, QUESTION.text + style.begin, SamplingSettings(seed=3))
    run.step()
    run.go_to(-1)
    found = chance_of(model, run, style, "12", KVCache())
    asked = run.text if style is DIRECT else f"{run.text} {style.lead}"
    ids = model.encode(asked)
    answer = model.encode(f"{asked} 12")[len(ids) :]
    there = joint(plain(architecture), ids, answer)
    over = ending(plain(architecture), model, ids + answer, r"\d|[.,]\d")
    assert 0.001 < over < 0.999
    assert found == pytest.approx(there * over, rel=2e-3)


def test_a_number_with_a_digit_behind_it_is_another_number(tiny: Any, plain: Any) -> None:
    model = tiny("gpt2")

    def after(text: str, answer: str) -> float:
        run = Generation(model, QUESTION.text + DIRECT.begin)
        for token in model.encode(text):
            run.force(token)
        return chance_of(model, run, DIRECT, answer, KVCache())

    for answer in ("24", "4", "2"):
        assert after(" 240", answer) == 0.0
    assert after(" 24.5", "24") == 0.0
    assert after(" 240. So", "240") == 1.0
    assert after(" 1,000 km", "1000") == after(" 1000 km", "1,000") == 1.0
    assert after(" 1,0004", "1000") == 0.0
    for text in (" 24", " 24."):
        ids = model.encode(QUESTION.text + DIRECT.begin + text)
        assert after(text, "24") == pytest.approx(ending(plain("gpt2"), model, ids, r"\d" if text[-1] == "." else r"\d|[.,]\d"), rel=2e-3)
    assert after(" yes", "yes") == pytest.approx(
        ending(plain("gpt2"), model, model.encode(QUESTION.text + DIRECT.begin + " yes"), r"\w|\ufffd"), rel=2e-3
    )


@pytest.mark.parametrize(("written", "right"), [(" 240 so", False), (" 24 so", True), (" 24.5 x", False), (" 24", None)])
def test_an_answer_counts_when_it_has_ended(written: str, right: bool | None, tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tiny("gpt2").encode(written)
    monkeypatch.setattr(Generation, "step", lambda self, attempt=0: self.force(script[len(self.path)]))
    (answered,) = count(tiny("gpt2"), [Question("6 + 18?\n", "24")], [DIRECT], steps=len(script))
    assert answered.right is bool(right)
    assert (answered.given is None) == (right is None)  # cut off before it is known whether the number has ended


def test_answers_that_mean_the_same() -> None:
    for one, other in (
        ("1,000", "1000"),
        ("24.0", "24"),
        ("Yes", "yes "),
        ("\u22127", "-7"),
        ("007", "7"),
        ("-0", "0"),
        ("1,234,567.50", "1234567.5"),
    ):
        assert same_answer(one, other)
    for one, other in (("24", "240"), ("1,00", "100"), ("7", "-7"), ("1.000", "1,000"), ("9" * 39 + "1", "9" * 39 + "2")):
        assert not same_answer(one, other)
    assert spellings("-12345") == spellings("-12,345") == ("-12345", "-12,345")
    assert normal("") == ""


def test_a_minus_between_two_numbers_belongs_to_none() -> None:
    assert answer_of(": 10-5") == "5"
    assert [answer_of(text) for text in ("It is -5", "10 - 5", "(3)-4", "10 = -5.", "(-5)")] == ["-5", "5", "4", "-5", "-5"]
    assert first_answer(": 10-5") == given(": 10-5", DIRECT) == "10"
    assert goes_on("10", "-5") is False
    assert is_complete(" It is 24, I think", "7")
    assert not is_complete(" It is 24", "7")
    assert is_complete(" Nobody knows. ", "7")
    assert is_complete(" under the red pot", "under the pot")


@pytest.mark.parametrize(
    ("text", "style", "answer"),
    [
        (" 98.", DIRECT, "98"),
        (" 4 + 3 = 7. The answer is 110.", CHAIN_OF_THOUGHT, "110"),
        (" 4 + 3 = 7.", CHAIN_OF_THOUGHT, None),
        (" The answer is 1. No. The answer is 2", CHAIN_OF_THOUGHT, "2"),
        (" Yes, it is.", DIRECT, "Yes"),
        ("", DIRECT, None),
        (" …", DIRECT, None),
        (" -7 degrees", DIRECT, "-7"),
    ],
)
def test_answers_are_found_where_they_stand(text: str, style: PromptingStyle, answer: str | None) -> None:
    assert given(text, style) == answer


def test_a_model_that_knows_is_counted_right(tiny: Any, plain: Any, monkeypatch: Any) -> None:
    model = tiny("gpt2")
    question = Question("6 + 6 =\n", "12")
    script = model.encode(" 12. So it is")

    def obey(self: Generation, attempt: int = 0) -> Any:
        return self.force(script[len(self.path)])

    monkeypatch.setattr(Generation, "step", obey)
    (answered,) = count(model, [question], [DIRECT], steps=len(script))
    assert answered.right
    assert answered.given == "12"
    assert answered.text == " 12. "
    assert answered.tokens < len(script), "it stops as soon as the answer is complete"
    thoughts = list(think(model, question, DIRECT, steps=len(script)))
    assert thoughts[-1].finished == "answered"
    before = model.encode(f"{question.text}{DIRECT.begin} 12.")
    assert thoughts[-1].chance == pytest.approx(ending(plain("gpt2"), model, before, r"\d"), rel=2e-3)


def test_the_sums_are_sums_and_none_was_taught() -> None:
    questions = sums(50, seed=4)
    assert questions == sums(50, seed=4) != sums(50, seed=5)
    for question in questions:
        numbers = [int(word.strip("?")) for word in question.text.split() if word.strip("?").isdigit()]
        assert len(numbers) == 3
        assert all(10 <= n <= 99 for n in numbers)
        assert question.answer == str(sum(numbers))
        assert held_out(*sorted(numbers))


def test_wilson_agrees_with_the_tables() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 10) == pytest.approx((0.0, 0.27753), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.72247, 1.0), abs=1e-4)
    assert wilson(50, 100) == pytest.approx((0.40383, 0.59617), abs=1e-4)
    assert wilson(0, 10**7)[1] < 1e-6
    assert wilson(0, 50) == pytest.approx((0.0, 0.0713), abs=1e-4)
    assert wilson(50, 50) == pytest.approx((0.9287, 1.0), abs=1e-4)
    assert wilson(15, 50) == pytest.approx((0.1910, 0.4375), abs=1e-4)  # Newcombe 1998, method 3
    for right in range(21):
        low, high = wilson(right, 20)
        assert 0 <= low <= right / 20 <= high <= 1
        for bound in (low, high):
            if 0 < bound < 1:  # the bounds solve the equation they come from
                assert abs(right / 20 - bound) == pytest.approx(1.96 * math.sqrt(bound * (1 - bound) / 20), rel=1e-6)


@pytest.mark.parametrize(
    "text", ["1 of", "1 of.", "1 of. ", "-. ", "\n", "a\n", "a.\n", "?! \n.", "-\na", "-\na. b", "1,\n", "", "a", "a ", "no. 1"]
)
def test_where_a_sentence_ends_is_where_a_pattern_finds_it(text: str) -> None:
    assert _ends_a_sentence(text) == (re.search(r"\w[^\n]*?(?:[.!?]\s|\n)", text) is not None)
