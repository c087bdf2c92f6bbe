"""A choice beside a border of the dice is found, with the token on its other side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core import Generation, SamplingSettings
from core.record.near_border import is_close, neighbour
from core.record.step import Step


def steps(model: Any, count: int, listed: int = 50, seed: int = 0, **settings: Any) -> list[Step]:
    chosen = [SamplingSettings(seed=each, **settings) for each in range(seed, seed + count)]
    return [Generation(model, "once", one, top_n=listed).step() for one in chosen]


def test_without_an_error_no_choice_is_close(tiny: Callable[[str], Any]) -> None:
    assert not [step for step in steps(tiny("llama"), 30) if is_close(step, 0.0)]


@pytest.mark.parametrize("listed", [50, 5])
def test_a_close_choice_is_one_that_falls_otherwise_when_the_probabilities_are_a_little_off(
    listed: int, tiny: Callable[[str], Any]
) -> None:
    error, random = 0.02, np.random.default_rng(0)
    close = named = others = 0
    for step in steps(tiny("llama"), 80, listed, temperature=0.7):
        whole = steps(tiny("llama"), 1, 1000, seed=step.settings.seed, temperature=0.7)[0]
        order = np.argsort(whole.dice_starts)
        ids, p = whole.token_ids[order], whole.probabilities[-1][order]
        moved = set()
        for _round in range(40):
            q = p * np.exp(random.uniform(-error, error, len(p)) / 0.7)
            again = np.argsort(-q, kind="stable")
            place = int(np.searchsorted(np.cumsum(q[again] / q.sum()), step.roll or 0.0, side="right"))
            moved.add(int(ids[again[place]]))
        close += is_close(step, error)
        named += neighbour(step, error) is not None
        if moved != {step.token_id} and step.rank <= listed - 1:
            others += 1
            assert is_close(step, error), step
            if step.rank < listed - 1:
                assert neighbour(step, error) is not None, step
    assert 0 < others <= close and named <= close
    assert not [step for step in steps(tiny("llama"), 30) if is_close(step, 1e-7)]


def test_greedy_is_close_when_the_second_token_is_near(tiny: Callable[[str], Any]) -> None:
    step = steps(tiny("llama"), 1, greedy=True)[0]
    first, second = np.sort(step.probabilities[-2])[::-1][:2]
    gap = float(np.log(first / second))
    found = neighbour(step, gap * 0.51)
    assert found is not None and found.rank == 2
    assert neighbour(step, gap * 0.49) is None


@pytest.mark.parametrize("roll", [0.0, 1e-5])
def test_a_border_near_the_end_moves_by_the_common_offset_of_a_list_that_is_not_whole(roll: float, tiny: Callable[[str], Any]) -> None:
    """At c = 0.999, 2 e c (1 - c) is a five-hundredth of the shift e c that a common offset of e makes."""
    step = steps(tiny("llama"), 1, 50)[0]
    place = int(np.nanargmax(step.dice_starts))
    start = float(step.dice_starts[place])
    found = replace(step, key=int(step.token_ids[place]), roll=start + 2e-5 * start + roll)
    served = replace(found, top_logprobs_count=50)
    error = 3e-5
    assert not is_close(found, error) or start < 0.6
    assert is_close(served, error) == (2e-5 * start + roll < max(error * start, 2 * error * start * (1 - start)))
