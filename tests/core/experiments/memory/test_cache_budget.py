"""Running out of cache pages: the budget is never exceeded, the plan decides what is kept, and the answer is scored."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from core import Generation, SamplingSettings
from core.engine.kv_cache.token_eviction import ATTENTION_SINKS, SLIDING_WINDOW, EvictingKVCache
from core.experiments.memory.cache_budget import (
    POLICIES,
    STOP,
    Answer,
    CacheStep,
    MemoryBudget,
    RecallTask,
    ask,
    fill,
    kv_bytes_per_token,
    own_task,
)
from tests.tiny_models import some

PROMPT = "Once upon a time"
ENOUGH = 10**9
SHORT = RecallTask("The key is red.", " What?", " red", "red")


def pages(model: Any, plan: MemoryBudget, length: int = 20, prompt: str = PROMPT) -> list[CacheStep]:
    return list(fill(model, prompt, plan, SamplingSettings(greedy=True), length))


@pytest.mark.parametrize("architecture", some(["llama", "gpt2", "qwen3", "mixtral", "phi3", "gpt_bigcode", "deepseek_v3"]))
def test_the_bytes_of_a_page_by_formula_are_those_of_its_tensors(architecture: str, tiny: Any) -> None:
    for bits in (0, 8, 4):
        notepad = EvictingKVCache(tiny(architecture), bits)
        notepad.read([20, 21, 22])
        assert notepad.bytes == 3 * kv_bytes_per_token(tiny(architecture), bits)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_budget_is_never_exceeded(policy: str, tiny: Any) -> None:
    model = tiny("llama")
    plan = MemoryBudget(10 * kv_bytes_per_token(model) + 17, policy)
    for page in pages(model, plan):
        assert page.bytes <= plan.share
        assert page.bytes == len(page.kept) * kv_bytes_per_token(model, plan.bits)


def test_to_stop_means_to_stop(tiny: Any) -> None:
    model = tiny("llama")
    filled = pages(model, MemoryBudget(10 * kv_bytes_per_token(model), STOP))
    assert [page.full for page in filled] == [None] * 10 + ["notepad full"]
    assert filled[-1].kept == tuple(range(10)) and filled[-1].position == 10


def test_to_forget_keeps_exactly_the_newest(tiny: Any) -> None:
    model = tiny("llama")
    filled = pages(model, MemoryBudget(10 * kv_bytes_per_token(model), SLIDING_WINDOW))
    assert filled[-1].full is None
    for page in filled:
        assert page.kept == tuple(range(max(0, page.position - 9), page.position + 1))
        assert page.gone == ((page.position - 10,) if page.position >= 10 else ())


@pytest.mark.parametrize("sinks", [0, 1, 4])
def test_to_keep_the_first_keeps_exactly_the_first_and_the_newest(sinks: int, tiny: Any) -> None:
    model = tiny("llama")
    for page in pages(model, MemoryBudget(10 * kv_bytes_per_token(model), ATTENTION_SINKS, sinks=sinks)):
        if page.position >= 10:
            assert page.kept == (*range(sinks), *range(page.position - 9 + sinks, page.position + 1))


def test_with_room_enough_it_writes_what_a_plain_run_writes(tiny: Any) -> None:
    model, settings = tiny("qwen3"), SamplingSettings(temperature=1.3, seed=9, repetition_penalty=1.2)
    written = [page.token_id for page in fill(model, PROMPT, MemoryBudget(ENOUGH), settings, 15) if page.written]
    run = Generation(model, PROMPT, settings)
    plain: list[int] = []
    while run.finished is None and len(plain) < 15:
        plain.append(run.step().token_id)
    assert written == plain and len(plain) > 5


def test_forgetting_changes_the_odds(tiny: Any) -> None:
    model = tiny("llama")
    prompt = PROMPT + " there was a small dragon"
    whole = list(fill(model, prompt, MemoryBudget(ENOUGH), length=0))
    short = list(fill(model, prompt, MemoryBudget(4 * kv_bytes_per_token(model), SLIDING_WINDOW), length=0))
    assert [page.token_id for page in whole] == [page.token_id for page in short]
    assert [page.probability for page in whole][:5] == pytest.approx([page.probability for page in short][:5])
    assert whole[-1].probability != pytest.approx(short[-1].probability, rel=0.01)


def test_the_answer_is_scored_word_for_word(tiny: Any, plain: Any) -> None:
    model = tiny("gpt2")
    answer = list(ask(model, MemoryBudget(ENOUGH), SHORT))[-1]
    assert isinstance(answer, Answer)
    asked, whole = (model.encode(text) for text in (SHORT.text + SHORT.question, SHORT.text + SHORT.question + SHORT.answer))
    with torch.inference_mode():
        distribution = plain("gpt2")(torch.tensor([whole])).logits[0].double().softmax(-1)
    expected = [float(distribution[place - 1, whole[place]]) for place in range(len(asked), len(whole))]
    assert [probability for _, probability in answer.parts] == pytest.approx(expected, rel=1e-3)
    assert answer.probability == pytest.approx(torch.tensor(expected).prod().item(), rel=1e-3)
    assert (answer.pages, answer.bytes) == (len(asked), len(asked) * kv_bytes_per_token(model))


def test_a_question_that_is_never_reached_has_no_answer(tiny: Any) -> None:
    model = tiny("gpt2")
    *read, answer = ask(model, MemoryBudget(5 * kv_bytes_per_token(model), STOP), SHORT)
    assert isinstance(read[-1], CacheStep) and read[-1].full == "notepad full"
    assert isinstance(answer, Answer)
    assert (answer.probability, answer.parts, answer.said, answer.pages) == (None, (), "", 5)


def test_a_question_of_ones_own_is_asked_as_the_storys_is() -> None:
    task = own_task("It rains. Tom put the BALL under the bed. A bird sings.", " Where is it? ", "the ball under")
    assert task.question == "\nQuestion: Where is it?\nAnswer: It is"
    assert task.answer == " the ball under"
    assert task.key_words == "Tom put the BALL under the bed."
    assert own_task("It rains.", "Where?", "nowhere").key_words == ""
