"""Impossible input to any experiment is refused with one sentence of the right kind, before anything is computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core import Generation
from core.batching.batch_server import ServerSettings
from core.costs.measured_hardware import Peak
from core.errors import BadSetting, EmptyPrompt, ModelError, NotForThisModel, PromptTooLong, ViewerError
from core.experiments import watermark
from core.experiments.batching.batch_curve import batch_curve
from core.experiments.cache import race
from core.experiments.candidates.beam import beam_search
from core.experiments.candidates.best_of_n import ranked, write_together
from core.experiments.compare.sweep import sweep
from core.experiments.context import measure
from core.experiments.cost import request
from core.experiments.looping import looping, looping_runs
from core.experiments.memory.cache_budget import MemoryBudget, fill, own_task
from core.experiments.memory.rounded_cache import rounded_cache
from core.experiments.pupil.cascade import cascade
from core.experiments.pupil.two_models import judge
from core.experiments.quantization.rounded_weights import quantize
from core.experiments.shared.planned_requests import planned_requests
from core.experiments.shared.prompting_styles import DIRECT
from core.experiments.shared.side_by_side import Column, side_by_side
from core.experiments.speculative import speculate
from core.experiments.think.thinking import Question, count, sums, think
from core.experiments.think.thinking_budget import budget_curve
from core.experiments.waiting.load import load_curve, watch_one
from core.experiments.what_if import Fork
from core.inspection.scoring import score_text
from core.sampling.settings import SamplingSettings
from core.sources.recorded_source import RecordedModel

TEXT = "Once upon a time"
LONG = "word " * 900
MARK = SamplingSettings(watermark="green")
COUNTS = [0, -1, 10**9, 1.5, True, None, "8"]
REAL = [-1.0, math.nan, math.inf, "x"]
PEAK = Peak(1, 1, "cpu", "float32", 1)
# What is asked: how it is called with a model and a value, and the values that are refused.
SETTINGS: dict[str, tuple[Callable[[Any, Any], Any], list[Any]]] = {
    "beams": (lambda m, v: beam_search(m, TEXT, beams=v), [*COUNTS, 17]),
    "beam steps": (lambda m, v: beam_search(m, TEXT, steps=v), [-1, 2.5]),
    "beam length penalty": (lambda m, v: beam_search(m, TEXT, length_penalty=v), [math.nan, math.inf, "x"]),
    "beam early stopping": (lambda m, v: beam_search(m, TEXT, early_stopping=v), ["sometimes", 1]),
    "tries": (lambda m, v: write_together(m, TEXT, count=v), [*COUNTS, 33]),
    "tokens of a try": (lambda m, v: write_together(m, TEXT, steps=v), [*COUNTS, 401]),
    "order of tries": (lambda m, v: ranked([], v), ["beauty"]),
    "race": (lambda m, v: race(m, TEXT, SamplingSettings(), v), [*COUNTS, math.nan]),
    "guesses": (lambda m, v: speculate(m, None, TEXT, guesses=v), [*COUNTS, 17]),
    "speculated tokens": (lambda m, v: speculate(m, None, TEXT, length=v), [*COUNTS, 401]),
    "readers": (lambda m, v: planned_requests(m, [TEXT], v), [*COUNTS, 33]),
    "prompts of readers": (lambda m, v: planned_requests(m, v), [[]]),
    "longest answer": (lambda m, v: planned_requests(m, [TEXT], longest=v), [0, -1, 10**6]),
    "arrivals": (lambda m, v: planned_requests(m, [TEXT], rate=v), [0, *REAL]),
    "common beginning": (lambda m, v: planned_requests(m, [TEXT], background_tokens=v), [-1, 10**9, 2.5]),
    "batch sizes": (lambda m, v: batch_curve(m, TEXT, PEAK, sizes=v), [(), (0,), (65,)]),
    "repeats of a curve": (lambda m, v: batch_curve(m, TEXT, PEAK, repeats=v), [0]),
    "sequences of a server": (lambda m, v: ServerSettings(max_num_seqs=v), [*COUNTS, 65]),
    "tokens of a server": (lambda m, v: ServerSettings(max_num_batched_tokens=v), [0, 7, 10**9, None]),
    "policy of a server": (lambda m, v: ServerSettings(v), ["fastest"]),
    "budget": (lambda m, v: MemoryBudget(v), [-1, 10**16, 1.5, "1"]),
    "readers of a budget": (lambda m, v: MemoryBudget(1000, readers=v), [0, 65, True]),
    "first tokens kept": (lambda m, v: MemoryBudget(1000, sinks=v), [-1, math.nan]),
    "length of a fill": (lambda m, v: fill(m, TEXT, MemoryBudget(10**9), length=v), [-1, 10**6, None, 2.5, True]),
    "own answer": (lambda m, v: own_task("Tom.", "Who?", v), ["", "  ", "x" * 81]),
    "lengths measured": (lambda m, v: measure(m, TEXT, v), [[], [0], [1.5], ["8"], [True], [4] * 25]),
    "repeats measured": (lambda m, v: measure(m, TEXT, [4], v), [0, 26, 1.5, math.nan, None, True]),
    "request": (lambda m, v: request(m, TEXT, length=v), [*COUNTS, 513]),
    "bits of weights": (lambda m, v: quantize(m, TEXT, TEXT, v), [(), (5,), (0,), (True,)]),
    "group of weights": (lambda m, v: quantize(m, TEXT, TEXT, (4,), v), [7]),
    "bits of a cache": (lambda m, v: rounded_cache(m, TEXT, v), [(), (3,), (16,), (True,), ("8",)]),
    "swept setting": (lambda m, v: sweep(m, TEXT, v), ["colour", "greedy", None]),
    "swept values": (lambda m, v: sweep(m, TEXT, "temperature", v), [(0.0,), (math.nan,), ("hot",), (1.0,) * 13]),
    "swept steps": (lambda m, v: sweep(m, TEXT, "top_k", steps=v), [0, 10**9, "5"]),
    "columns": (lambda m, v: side_by_side([Column(m, SamplingSettings())] * v, TEXT, 5), [0, 5]),
    "answer": (lambda m, v: think(m, Question("x", v), DIRECT), ["", "  ", "9" * 41, "\n"]),
    "sums": (lambda m, v: sums(v), [0, -1, 201, True, 2.5, "3"]),
    "questions": (lambda m, v: count(m, [Question("x", "5")] * v), [0, 201]),
    "judged tokens": (lambda m, v: judge(m, m, TEXT, None, v), COUNTS),
    "cascade thresholds": (lambda m, v: cascade(m, m, TEXT, None, v), [(), (-0.5,), (math.nan,), (99.0,), (True,), ("2",)]),
    "watched tokens": (lambda m, v: watch_one(m, TEXT, [TEXT], None, v), COUNTS),
    "rate of others": (lambda m, v: watch_one(m, TEXT, [TEXT], None, 4, v), [0.0, 1e9, *REAL[:3]]),
    "loads": (lambda m, v: load_curve(m, [TEXT], None, v), [(), (0.0,), (1.0,), (math.nan,), ("0.5",), (True,)]),
    "requests of a load": (lambda m, v: load_curve(m, [TEXT], None, (0.5,), v), [0, 1, 10**9, True]),
    "marked tokens": (lambda m, v: watermark.watch(m, TEXT, MARK, v), [*COUNTS, 401]),
    "marked runs": (lambda m, v: watermark.watch(m, TEXT, MARK, 5, v), [-1, 1001, 2.5, "3", True]),
    "length of a loop": (lambda m, v: looping(m, TEXT, SamplingSettings(), v), [*COUNTS, 401]),
    "copies of a loop": (lambda m, v: looping(m, TEXT, SamplingSettings(), 40, v), [*COUNTS, 1, 11]),
    "texts that loop": (lambda m, v: looping_runs([m], runs=v), [*COUNTS, 61]),
    "stride": (lambda m, v: score_text(m, TEXT, stride=v), [0, -1, 64, 1.5, "8", True]),
    "tokens to write": (lambda m, v: Generation(m, TEXT).stream(v), [-1, 1.5, "3", True]),
}
PROMPTS: dict[str, Callable[[Any, str], Any]] = {
    "beam search": lambda m, text: beam_search(m, text),
    "tries": lambda m, text: write_together(m, text),
    "race": lambda m, text: race(m, text),
    "speculation": lambda m, text: speculate(m, None, text),
    "readers": lambda m, text: planned_requests(m, [text]),
    "columns": lambda m, text: side_by_side([Column(m, SamplingSettings())], text, 5),
    "judge": lambda m, text: judge(m, m, text),
    "mark": lambda m, text: watermark.watch(m, text, MARK),
    "watch": lambda m, text: watch_one(m, text, [TEXT]),
    "loop": lambda m, text: looping(m, text, SamplingSettings()),
    "thinking": lambda m, text: think(m, Question(text, "5"), DIRECT),
    "budget for thinking": lambda m, text: budget_curve(m, Question(text, "5")),
    "quantization": lambda m, text: quantize(m, text, TEXT),
}


def refused(call: Callable[[], Any], kind: type[ViewerError]) -> None:
    """Check that the call, or the first step of the iterator that it returns, raises this kind of error with one sentence."""

    def begin() -> None:
        asked = call()
        if isinstance(asked, Iterator):
            next(asked)

    with pytest.raises(kind) as told:
        begin()
    assert str(told.value).endswith(".") and "\n" not in str(told.value) and len(str(told.value)) < 250


@pytest.mark.parametrize("name", SETTINGS)
def test_an_impossible_setting_gets_one_sentence(name: str, tiny: Any) -> None:
    call, values = SETTINGS[name]
    for value in values:
        refused(lambda value=value: call(tiny("llama"), value), BadSetting)  # type: ignore[misc]


@pytest.mark.parametrize("name", PROMPTS)
def test_an_empty_or_too_long_prompt_gets_one_sentence(name: str, tiny: Any) -> None:
    refused(lambda: PROMPTS[name](tiny("llama"), ""), EmptyPrompt)
    refused(lambda: PROMPTS[name](tiny("llama"), LONG), PromptTooLong)


@pytest.mark.parametrize("name", ["speculation", "watch"])
def test_a_model_without_keys_and_values_per_token_gets_one_sentence(name: str, tiny: Any) -> None:
    refused(lambda: PROMPTS[name](tiny("mamba"), TEXT), ModelError)


def test_models_with_different_tokens_are_not_combined(tiny: Any) -> None:
    refused(lambda: speculate(tiny("gpt2"), tiny("llama"), TEXT), BadSetting)
    refused(lambda: cascade(tiny("gpt2"), tiny("llama"), TEXT), BadSetting)


@pytest.mark.parametrize("name", ["beam search", "tries"])
def test_a_source_without_new_tokens_gets_one_sentence(name: str) -> None:
    refused(lambda: PROMPTS[name](RecordedModel("a recording", "cpu", "float32"), TEXT), NotForThisModel)


@pytest.mark.parametrize(
    ("where", "left", "right"),
    [
        *[(where, [1], [2]) for where in (-1, 4, True, "1")],
        *[(1, [5], right) for right in ([5], [-1], [10**12], [True], ["x"], [3] * 10_000)],
        *[(1, [5, 6], [5]), (1, [], [5]), (1, None, [])],
    ],
)
def test_an_impossible_fork_gets_one_sentence_and_changes_nothing(where: Any, left: Any, right: Any, tiny: Any) -> None:
    run = Generation(tiny("llama"), TEXT)
    list(run.stream(3))
    before = (run.here, len(run.nodes))
    refused(lambda: Fork.at(run, where, left, right), ViewerError)
    assert (run.here, len(run.nodes)) == before
