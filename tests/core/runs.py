"""A run with branches, forced tokens and two settings, and a comparison of two runs."""

from __future__ import annotations

from typing import Any

import pytest

from core import Generation, SamplingSettings, Step

PROMPT = "The sea looked back 🦊"


def branched_run(model: Any) -> Generation:
    """A run with everything in it: rolls, a forced token, half an emoji, two settings, a second attempt, branches with names, an end."""
    run = Generation(model, PROMPT, SamplingSettings(seed=5, temperature=0.8, top_k=40, top_p=0.9), top_n=10)
    for _ in range(4):
        run.step()
    run.rename(run.here, "the first way <b>")
    run.go_to(1)
    run.settings = SamplingSettings(seed=5, greedy=True, repetition_penalty=1.2)
    run.step()
    run.force(next(i for i in range(model.vocabulary_size) if model.token(i).raw == b"\xf0"))
    run.go_to(0)
    run.settings = SamplingSettings(seed=5, typical_p=0.7, min_p=0.01)
    run.step(attempt=3)
    run.force(next(iter(model.end_token_ids)))
    return run


def alike(step: Step, other: Step) -> None:
    """Nothing a visitor can see differs."""
    for name in ("index", "position", "token_id", "text", "piece", "rank", "chosen_by", "roll", "attempt", "settings"):
        assert getattr(step, name) == getattr(other, name), name
    for name in ("computed_tokens", "reused_tokens", "cache_bytes", "held_bytes", "seconds"):
        assert getattr(step.forward, name) == getattr(other.forward, name), name
    numbers = ("model_entropy", "sampling_entropy", "rest_model_probability", "rest_sampling_probability", "surprise")
    for name in numbers:
        assert getattr(step, name) == pytest.approx(getattr(other, name), abs=1e-5), name
    assert len(step.candidates) == len(other.candidates)
    for mine, theirs in zip(step.candidates, other.candidates, strict=True):
        assert (mine.token_id, mine.text, mine.piece, mine.rank, mine.removed_by) == (
            theirs.token_id,
            theirs.text,
            theirs.piece,
            theirs.rank,
            theirs.removed_by,
        )
        assert mine.model_probability == pytest.approx(theirs.model_probability, rel=1e-5)
        assert mine.sampling_probability == pytest.approx(theirs.sampling_probability, rel=1e-5)
        assert mine.dice_start == pytest.approx(theirs.dice_start, abs=1e-6) if theirs.dice_start is not None else mine.dice_start is None
    for own, its in zip(step.stages, other.stages, strict=True):
        assert (own.name, own.setting, own.kept) == (its.name, its.setting, its.kept)
        assert own.entropy == pytest.approx(its.entropy, abs=1e-5)
        assert own.candidates == pytest.approx(its.candidates, abs=1e-6)


def all_alike(steps: list[Step], others: list[Step]) -> None:
    assert len(steps) == len(others)
    for step, other in zip(steps, others, strict=True):
        alike(step, other)
