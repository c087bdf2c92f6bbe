"""Tries written in one batch are those written alone, scores follow their formulas, and the merged tree holds every try."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.experiments.candidates.best_of_n import FORMULAS, MAJORITY, MEAN, NORMALISED, ranked, write_together
from core.experiments.shared.answer_in_text import answer_of
from core.experiments.shared.written_rows import BatchStep
from tests.tiny_models import some

PROMPT = "The sea looked back"
ALL = "llama gpt2 gpt_bigcode bloom mpt falcon mistral gemma2 gemma3 qwen3 mixtral lfm2 mamba gpt_neox".split()
SETTINGS = [
    SamplingSettings(temperature=0.8, top_p=0.9, seed=3),
    SamplingSettings(temperature=1.3, top_k=30, min_p=0.01, repetition_penalty=1.3, typical_p=0.95, seed=11),
    SamplingSettings(greedy=True),
]


def written(model: Any, *arguments: Any, **named: Any) -> BatchStep:
    return list(write_together(model, PROMPT, *arguments, **named))[-1]


@pytest.mark.parametrize("architecture", some(ALL))
def test_together_is_what_each_writes_alone(architecture: str, tiny: Any) -> None:
    model = tiny(architecture)
    for settings in SETTINGS:
        for attempt in written(model, settings, count=4, steps=14, top_n=6).tries:
            alone = Generation(model, PROMPT, settings, top_n=6)
            while len(alone.path) < 14 and not alone.finished:
                alone.step(attempt=0 if settings.greedy else attempt.number)
            assert [step.token_id for step in attempt.path] == [step.token_id for step in alone.path]
            assert attempt.text == alone.written
            assert attempt.finished == alone.finished
            for step, own in zip(attempt.path, alone.path, strict=True):
                assert (step.roll, step.index, step.position, step.chosen_by) == (own.roll, own.index, own.position, own.chosen_by)
                assert step.model_probability == pytest.approx(own.model_probability, abs=2e-5)
                assert step.sampling_probability == pytest.approx(own.sampling_probability, abs=5e-5)


def test_one_pass_writes_one_token_of_all(tiny: Any) -> None:
    rounds = list(write_together(tiny("gpt2"), PROMPT, SamplingSettings(seed=2), count=5, steps=9))
    assert [r.forward_passes for r in rounds] == list(range(1, len(rounds) + 1))
    for r in rounds:
        assert r.tokens == sum(len(attempt.path) for attempt in r.tries)
        assert r.rows <= 5
    first, later = rounds[-1].tries[2].path[:2]
    assert first.forward.reused_tokens == 0
    assert (later.forward.computed_tokens, later.forward.reused_tokens) == (1, later.position - 1)
    assert later.forward.cache_bytes == later.position * tiny("gpt2").cache_bytes_per_token


def test_a_try_that_ended_leaves_the_batch(tiny: Any, monkeypatch: Any) -> None:
    model = tiny("llama")
    plain_round = written(model, SamplingSettings(seed=4), count=6, steps=10)
    common = Counter(step.token_id for attempt in plain_round.tries for step in attempt.path[1:8]).most_common(3)
    monkeypatch.setattr(model, "end_token_ids", frozenset(token for token, _ in common))
    rounds = list(write_together(model, PROMPT, SamplingSettings(seed=4), count=6, steps=10))
    assert rounds[-1].rows < 6
    for attempt, before in zip(rounds[-1].tries, plain_round.tries, strict=True):
        tokens = [step.token_id for step in before.path]
        end = next((i + 1 for i, token in enumerate(tokens) if token in model.end_token_ids), len(tokens))
        assert [step.token_id for step in attempt.path] == tokens[:end]
        assert attempt.finished == ("end of text" if tokens[end - 1] in model.end_token_ids else None)


def test_scores_agree_with_their_formulas(tiny: Any) -> None:
    tries = written(tiny("gpt2"), SamplingSettings(seed=7), count=6, steps=12).tries
    for entry in ranked(tries, MEAN):
        logs = [math.log(step.model_probability) for step in entry.attempt.path]
        assert entry.score == pytest.approx(sum(logs) / len(logs))
    for entry in ranked(tries, NORMALISED):
        total = sum(math.log(step.model_probability) for step in entry.attempt.path)
        assert entry.score == pytest.approx(total / ((5 + len(entry.attempt.path)) / 6) ** 0.6)
    for entry in ranked(tries, MAJORITY):
        same = [t for t in tries if answer_of(t.text) == entry.answer]
        assert entry.score == len(same) / len(tries)
    for by in FORMULAS:
        scores = [entry.score for entry in ranked(tries, by)]
        assert scores == sorted(scores, reverse=True)
        assert len(scores) == 6
