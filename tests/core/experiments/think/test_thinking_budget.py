"""Answers after thoughts that were ended by force are those of plain runs with the same text; marks of a template end them, too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from core.chat.thoughts import MARKS
from core.engine.kv_cache.prefix_reuse import KVCache
from core.experiments.shared.continuation import continuation
from core.experiments.shared.prompting_styles import CHAIN_OF_THOUGHT, PromptingStyle
from core.experiments.think.thinking import Question, chance_of, sums, think
from core.experiments.think.thinking_budget import budget_curve, budget_set
from core.reports.step_picture import how_chosen
from pages.ui.charts import live_rows
from pages.ui.i18n import numbers
from tests.tiny_models import with_template

pytestmark = pytest.mark.usefixtures("templates_here")

GREEDY = SamplingSettings(greedy=True)
ASKED = {"role": "user", "content": "What is 2 + 3?"}
THINKING = (
    "{% for m in messages %}<|turn|>{{ m.role }}:{{ m.content.split('</think>')[-1] }}{% endfor %}"
    "{% if add_generation_prompt %}<|turn|>assistant:{% endif %}"
)


@pytest.fixture(scope="module")
def storyteller() -> Any:
    """The bundled model."""
    return load_model("storyteller")


@pytest.fixture
def thinker(tiny_folder: Callable[[str], Path], tmp_path: Path) -> Any:
    """A tiny model whose chat template has thinking marks."""
    return load_model(str(with_template(tiny_folder("large"), tmp_path / "thinker", THINKING)), device="cpu")


def test_each_point_is_what_a_plain_run_with_the_same_text_says(tiny: Any) -> None:
    model, question = tiny("llama"), Question("2 + 3?\n", "5")
    points = list(budget_curve(model, question, step=4, steps=10))
    thoughts = Generation(model, question.text + CHAIN_OF_THOUGHT.begin, GREEDY)
    thoughts.generate(10)
    assert [point.budget for point in points] == [0, 4, 8, 10] and not any(point.is_own_end for point in points)
    for point in points:
        plain = Generation(model, thoughts.prompt, GREEDY)
        for step in thoughts.path[: point.budget]:
            plain.force(step.key)
        assert point.chance == pytest.approx(chance_of(model, plain, CHAIN_OF_THOUGHT, "5", KVCache()), rel=1e-4)
        assert point.tokens > point.budget and point.seconds > 0


def test_thoughts_that_end_by_themselves_give_the_answer_of_a_run_that_nobody_ended(storyteller: Any) -> None:
    (question,) = sums(1, seed=4)
    points = list(budget_curve(storyteller, question))
    (own,) = [point for point in points if point.is_own_end]
    alone = list(think(storyteller, question, CHAIN_OF_THOUGHT))
    assert (own.given, own.tokens) == (alone[-1].given, len(alone))
    at_end = next(step for step in alone if step.tokens == own.budget + 1)
    assert own.chance == pytest.approx(at_end.chance, rel=1e-3)
    forced = next(point for point in points if point.budget == 20)
    assert forced.chance == pytest.approx(alone[20].chance, rel=1e-3, abs=1e-12)
    assert points[-1].waited and points[-1].budget > own.budget


def test_a_set_counts_each_question_at_each_budget(storyteller: Any) -> None:
    questions = sums(2, seed=1, hard=True)
    seen = list(budget_set(storyteller, questions, step=40))
    for question, one in zip(questions, seen, strict=True):
        assert one.question == question
        assert [one.at(budget).budget for budget in (0, 39, 40, 500)] == [0, 0, 40, one.unforced.budget]
        assert one.waited is not None and one.waited.waited and one.unforced.is_own_end


def test_a_model_with_thinking_marks_is_asked_in_a_conversation_and_ended_with_its_mark(thinker: Any) -> None:
    points = list(budget_curve(thinker, Question("What is 2 + 3?\n", "5"), step=5, steps=12))
    assert [point.budget for point in points] == [0, 5, 10, 12]
    plain = Generation(thinker, [ASKED], GREEDY)
    write(plain, "<think>\n")
    plain.generate(5)
    write(plain, "</think>")
    for token_id in continuation(thinker, plain.text, "\n\nThe answer is"):
        plain.force(token_id)
    asked = PromptingStyle(CHAIN_OF_THOUGHT.name, "", "\n\nThe answer is")
    assert points[1].chance == pytest.approx(chance_of(thinker, plain, asked, "5", KVCache()), rel=1e-4)
    assert points[1].tokens >= len(plain.path)


def write(run: Generation, text: str) -> None:
    """Force the tokens of a text, without those that a tokenizer puts around every text."""
    model: Any = run.model
    for token_id in model.encode(text):
        if not model.token(token_id).special:
            run.force(token_id)


def test_a_run_ends_its_thoughts_with_the_mark_when_the_budget_is_used_up(thinker: Any) -> None:
    closing = thinker.encode("</think>")
    run = Generation(thinker, [ASKED], GREEDY, thinking_budget=3)
    for token_id in thinker.encode("<think>"):
        run.force(token_id)
    opened = len(run.path)
    run.generate(len(closing) + 6)
    rest = run.path[opened:]
    assert [step.chosen_by for step in rest[:3]] == ["greedy"] * 3
    assert [step.key for step in rest[3 : 3 + len(closing)]] == closing
    assert {step.chosen_by for step in rest[3 : 3 + len(closing)]} == {"budget"}
    assert [step.chosen_by for step in rest[3 + len(closing) :]] == ["greedy"] * 3
    assert run.stops["thinking_budget"] == 3
    assert "forced by the budget" in numbers.step(rest[3]) and "budget for thoughts" in how_chosen(rest[3], "", "", "")
    assert "budget for thoughts" in live_rows.caption(rest[3]) and not live_rows.written_token(rest[3])[5], "nobody chose it"
    path, budgeted = list(run.path), [step.chosen_by for step in run.path]
    again = [step.chosen_by for step in Recording.loads(Recording.of(run).dumps()).replay(whole=True).stream()]
    linked = Generation(thinker, [ASKED], GREEDY, thinking_budget=3)
    for step in path:
        linked.force(step.key) if step.is_forced else linked.step()
    assert [step.chosen_by for step in linked.path] == again == budgeted, "also in a file and through a link"


def test_a_budget_of_zero_ends_thoughts_that_the_template_opens(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    opening = THINKING.replace("assistant:{%", "assistant:<think>{%")
    model = load_model(str(with_template(tiny_folder("large"), tmp_path / "opening", opening)), device="cpu")
    closing = model.encode("</think>")
    run = Generation(model, [ASKED], GREEDY, thinking_budget=0)
    run.generate(len(closing) + 2)
    assert [step.key for step in run.path[: len(closing)]] == closing
    assert [step.chosen_by for step in run.path[len(closing) :]] == ["greedy"] * 2


def test_a_text_of_ones_own_ends_the_thoughts_of_any_model(tiny: Any) -> None:
    model = tiny("llama")
    end = [token_id for token_id in model.encode(" The answer is") if not model.token(token_id).special]
    run = Generation(model, "2 + 3?", GREEDY, thinking_budget=4, thinking_end=" The answer is")
    run.generate(4 + len(end) + 2)
    assert [step.key for step in run.path[4 : 4 + len(end)]] == end
    assert [step.chosen_by == "budget" for step in run.path] == [False] * 4 + [True] * len(end) + [False] * 2


def test_another_token_within_the_end_begins_it_again(thinker: Any) -> None:
    closing = thinker.encode("</think>")
    if len(closing) < 2:
        pytest.skip("this tokenizer has the mark as one token")
    run = Generation(thinker, [ASKED], GREEDY, thinking_budget=2)
    for token_id in [*thinker.encode("<think>"), *thinker.encode("one two")]:
        run.force(token_id)
    run.step()
    run.force("x")
    run.generate(len(closing))
    assert [step.key for step in run.path[-len(closing) :]] == closing


def test_without_marks_and_without_a_text_nothing_is_forced(tiny: Any) -> None:
    run = Generation(tiny("llama"), "Once", GREEDY, thinking_budget=0)
    run.generate(4)
    assert {step.chosen_by for step in run.path} == {"greedy"}


def test_every_mark_is_found_open_and_closed() -> None:
    from core.chat.thoughts import open_thought

    for mark in MARKS:
        said = [mark.opening.encode(), b"one", b" two"]
        assert open_thought(b"", said, MARKS) == (2, mark)
        assert open_thought(mark.opening.encode() + b"a", [b"b"], MARKS) == (1, mark)
        assert open_thought(b"", [*said, mark.closing.encode()], MARKS) is None
    assert open_thought(b"one", [], MARKS) is None
