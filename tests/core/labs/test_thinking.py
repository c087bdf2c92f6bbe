"""Chances of the right answer are the model's own joint probabilities; answers are found where they stand; counts carry their doubt."""

from __future__ import annotations

import math
from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.errors import BadSetting, EmptyPrompt, PromptTooLong
from core.kv_cache.kv_cache import KVCache
from core.labs.thinking import CHAIN_OF_THOUGHT, DIRECT, PromptingStyle, Question, chance_of, count, given, same_answer, sums, think, wilson
from core.training.lessons.grammar import held_out
from tests.core.plain import plain_odds

QUESTION = Question("2 + 3?\n", "5")


def joint(network: Any, ids: list[int], answer: list[int]) -> float:
    """The probability of these tokens behind those, from full passes of the plain model."""
    chance = 1.0
    for token in answer:
        chance *= plain_odds(network, ids)[token]
        ids = [*ids, token]
    return chance


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "mamba"])
@pytest.mark.parametrize("style", [DIRECT, CHAIN_OF_THOUGHT])
def test_the_chance_is_the_joint_probability_of_the_answer(architecture: str, style: PromptingStyle, tiny: Any, plain: Any) -> None:
    model = tiny(architecture)
    run = Generation(model, QUESTION.text + style.begin, SamplingSettings(seed=3))
    run.step()
    run.go_to(-1)
    found = chance_of(model, run, style, "12", KVCache())
    asked = run.text if style is DIRECT else f"{run.text} {style.lead}"
    ids = model.encode(asked)
    answer = model.encode(f"{asked} 12")[len(ids) :]
    assert found == pytest.approx(joint(plain(architecture), ids, answer), rel=2e-3)


def test_what_stands_there_decides_what_is_still_missing(tiny: Any, plain: Any) -> None:
    model = tiny("gpt2")

    def after(text: str) -> float:
        run = Generation(model, QUESTION.text + DIRECT.begin)
        for token in model.encode(text):
            run.force(token)
        return chance_of(model, run, DIRECT, "12", KVCache())

    assert after(" 12") == 1.0
    assert after(" 3") == 0.0
    assert after(" 12 and") == 1.0
    ids = model.encode(QUESTION.text + DIRECT.begin + " 1")
    assert after(" 1") == pytest.approx(plain_odds(plain("gpt2"), ids)[model.encode("2")[0]], rel=2e-3)


def test_probing_changes_nothing(tiny: Any) -> None:
    settings = SamplingSettings(temperature=0.9, seed=8)
    thoughts = list(think(tiny("llama"), QUESTION, CHAIN_OF_THOUGHT, settings, steps=12))
    alone = Generation(tiny("llama"), QUESTION.text + CHAIN_OF_THOUGHT.begin, settings)
    for _ in thoughts:
        alone.step()
    assert [t.step.token_id for t in thoughts] == [s.token_id for s in alone.path]
    assert [t.tokens for t in thoughts] == list(range(1, len(thoughts) + 1))
    assert all(0 <= t.chance <= 1 for t in thoughts)


def test_near_the_end_of_the_context_there_is_no_chance_to_tell(tiny: Any) -> None:
    model = tiny("llama")
    long = Question("one two " * 5 + "three\n", "5")
    thoughts = list(think(model, long, CHAIN_OF_THOUGHT, SamplingSettings(seed=1), steps=300))
    assert thoughts[-1].finished
    assert thoughts[-1].step.position < model.context_length
    assert all(math.isnan(t.chance) or 0 <= t.chance <= 1 for t in thoughts)


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


def test_a_set_is_answered_both_ways_and_can_be_stopped(tiny: Any) -> None:
    answers: Any = count(tiny("gpt2"), sums(3), settings=SamplingSettings(greedy=True), steps=6)
    first, second = next(answers), next(answers)
    answers.close()
    assert first.question == second.question == sums(3)[0]
    assert (first.style, second.style) == (DIRECT, CHAIN_OF_THOUGHT)
    for answered in (first, second):
        assert 1 <= answered.tokens <= 6
        assert answered.right == same_answer(answered.given, answered.question.answer)
        assert answered.seconds > 0
    assert len(list(count(tiny("gpt2"), sums(2), steps=2))) == 4


def test_a_model_that_knows_is_counted_right(tiny: Any, monkeypatch: Any) -> None:
    model = tiny("gpt2")
    question = Question("6 + 6 =\n", "12")
    script = model.encode(" 12. So")

    def obey(self: Generation, attempt: int = 0) -> Any:
        return self.force(script[len(self.path)])

    monkeypatch.setattr(Generation, "step", obey)
    (answered,) = count(model, [question], [DIRECT], steps=len(script))
    assert answered.right
    assert answered.given == "12"
    assert answered.text == " 12."
    assert answered.tokens < len(script), "it stops as soon as the answer is complete"
    thoughts = list(think(model, question, DIRECT, steps=len(script)))
    assert thoughts[-1].finished == "answered"
    assert thoughts[-1].chance == 1.0


def test_the_sums_are_sums_and_none_was_taught() -> None:
    questions = sums(50, seed=4)
    assert questions == sums(50, seed=4) != sums(50, seed=5)
    for question in questions:
        numbers = [int(word.strip("?")) for word in question.text.split() if word.strip("?").isdigit()]
        assert len(numbers) == 3
        assert all(10 <= n <= 99 for n in numbers)
        assert question.answer == str(sum(numbers))
        assert held_out(*sorted(numbers))


def test_hard_sums_carry_twice() -> None:
    for question in sums(50, seed=4, hard=True):
        a, b, c = (int(word.strip("?")) for word in question.text.split() if word.strip("?").isdigit())
        assert held_out(*sorted((a, b, c)))
        assert (a % 10 + b % 10 >= 10) and ((a + b) % 10 + c % 10 >= 10)


def test_wilson_agrees_with_the_tables() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 50) == pytest.approx((0.0, 0.0713), abs=1e-4)
    assert wilson(50, 50) == pytest.approx((0.9287, 1.0), abs=1e-4)
    assert wilson(15, 50) == pytest.approx((0.1910, 0.4375), abs=1e-4)  # Newcombe 1998, method 3
    for right in range(21):
        low, high = wilson(right, 20)
        assert 0 <= low <= right / 20 <= high <= 1
        for bound in (low, high):
            if 0 < bound < 1:  # the bounds solve the equation they come from
                assert abs(right / 20 - bound) == pytest.approx(1.96 * math.sqrt(bound * (1 - bound) / 20), rel=1e-6)


def test_impossible_wishes_get_one_sentence(tiny: Any) -> None:
    model = tiny("llama")
    for answer in ("", "  ", "9" * 41, "\n"):
        with pytest.raises(BadSetting):
            next(think(model, Question("x", answer), DIRECT))
    for number in (0, -1, 201, True, 2.5, "3", 10**30):
        with pytest.raises(BadSetting):
            sums(number)  # type: ignore[arg-type]
    with pytest.raises(BadSetting):
        sums(3, seed=-1)
    with pytest.raises(BadSetting):
        next(count(model, []))
    with pytest.raises(BadSetting):
        next(count(model, [QUESTION] * 201))
    with pytest.raises(BadSetting):
        next(think(model, QUESTION, DIRECT, steps=0))
    with pytest.raises(PromptTooLong):
        next(think(model, Question("word " * 900, "5"), DIRECT))
    with pytest.raises(EmptyPrompt):
        next(think(model, Question("", "5"), PromptingStyle("bare", "", "x")))
