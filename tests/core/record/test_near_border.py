"""A choice beside a border of the dice is found, with the token on its other side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core import Generation, SamplingSettings
from core.record.near_border import neighbour
from core.record.step import Step


def steps(model: Any, count: int, **settings: Any) -> list[Step]:
    return [Generation(model, "once", SamplingSettings(seed=seed, **settings), top_n=50).step() for seed in range(count)]


def test_without_an_error_no_choice_is_close(tiny: Callable[[str], Any]) -> None:
    assert not [step for step in steps(tiny("llama"), 30) if neighbour(step, 0.0) is not None]


def test_a_close_choice_is_one_that_falls_otherwise_when_the_probabilities_are_a_little_off(tiny: Callable[[str], Any]) -> None:
    error, random = 0.02, np.random.default_rng(0)
    close = others = 0
    for step in steps(tiny("llama"), 200, temperature=0.7):
        ids = step.token_ids[np.argsort(step.dice_starts)]
        p = step.probabilities[-1][np.argsort(step.dice_starts)]
        moved = set()
        for _round in range(50):
            q = p * np.exp(random.uniform(-error, error, len(p)) / 0.7)
            scale = q.sum() + (1 - p.sum())
            place = int(np.searchsorted(np.cumsum(q / scale), step.roll or 0.0, side="right"))
            moved.add(int(ids[place]) if place < len(ids) else -1)
        close += neighbour(step, error) is not None
        if moved - {step.token_id, -1} and step.token_id in ids[:-1]:
            others += 1
            assert neighbour(step, error) is not None, step
    assert 0 < others <= close < 200


def test_greedy_is_close_when_the_second_token_is_near(tiny: Callable[[str], Any]) -> None:
    step = steps(tiny("llama"), 1, greedy=True)[0]
    first, second = np.sort(step.probabilities[-2])[::-1][:2]
    gap = float(np.log(first / second))
    found = neighbour(step, gap * 0.51)
    assert found is not None and found.rank == 2
    assert neighbour(step, gap * 0.49) is None
