"""Batching: both sides serve the same requests, figures follow from the records, and each text is that of a run alone."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np
import pytest

from core import SamplingSettings
from core.batching.batch_server import ServerSettings
from core.batching.scheduler import Policy
from core.costs.measured_hardware import Peak
from core.experiments.batching.batch_curve import CurvePoint, batch_curve
from core.experiments.batching.compared_policies import Served, compare_alone, serve, summary
from core.experiments.shared.planned_requests import PlannedRequest, planned_requests

PROMPTS = ("Once upon a time", "A fox", "She looked at the sea")
SETTINGS = SamplingSettings(temperature=0.9, seed=5)
SIDES = (ServerSettings(Policy.ONE_AT_A_TIME, blocks=40), ServerSettings(Policy.CONTINUOUS, 3, blocks=40))


@pytest.fixture(scope="module")
def served(tiny: Any) -> tuple[Any, tuple[PlannedRequest, ...], list[Served]]:
    model = tiny("llama")
    who = planned_requests(model, PROMPTS, 6, 2, 12, settings=SETTINGS)
    return model, who, list(serve(model, who, SIDES))


def side(seen: list[Served], place: int) -> list[Any]:
    return [one.iteration for one in seen if one.side == place]


def test_arrivals_are_a_poisson_process(tiny: Any) -> None:
    waits = []
    for seed in range(60):
        who = planned_requests(tiny("llama"), PROMPTS, 32, rate=5.0, settings=SamplingSettings(seed=seed))
        waits += np.diff([0.0, *(reader.arrival for reader in who)]).tolist()
    assert np.mean(waits) == pytest.approx(1 / 5, rel=0.07)
    assert np.std(waits) == pytest.approx(1 / 5, rel=0.1)  # an exponential's spread is its mean
    assert np.mean(np.array(waits) > 0.2) == pytest.approx(math.exp(-1), abs=0.03)


def test_both_sides_write_the_same_and_their_clocks_go_abreast(served: tuple[Any, tuple[PlannedRequest, ...], list[Served]]) -> None:
    _, who, seen = served
    answers = [{one.request_id: one.token_ids for i in side(seen, place) for one in i.finished} for place in (0, 1)]
    assert answers[0] == answers[1] and len(answers[0]) == len(who)
    clocks, left = [0.0, 0.0], [len(side(seen, 0)), len(side(seen, 1))]
    for one in seen:
        assert clocks[one.side] <= clocks[1 - one.side] or left[1 - one.side] == 0
        clocks[one.side] = one.iteration.stop
        left[one.side] -= 1


def test_figures_follow_from_the_records(served: tuple[Any, tuple[PlannedRequest, ...], list[Served]]) -> None:
    _, who, seen = served
    for place in (0, 1):
        iterations = side(seen, place)
        finished = [one for i in iterations for one in i.finished]
        told = summary(iterations)
        assert told.finished == len(who) and told.tokens == sum(len(one.token_ids) for one in finished)
        assert told.tokens_per_second == pytest.approx(told.tokens / sum(i.seconds for i in iterations))
        assert told.first_token[0] == pytest.approx(median(one.token_times[0] - one.arrival for one in finished))
        assert told.per_token[0] == pytest.approx(median(b - a for one in finished for a, b in pairwise(one.token_times)))
        assert told.end_to_end[0] == pytest.approx(median(one.end_to_end_latency for one in finished))
        assert told.prompt_tokens + told.reused_tokens >= sum(len(reader.prompt_ids) for reader in who)
    one, other = summary(side(seen, 0)), summary(side(seen, 1))
    assert one.idle == 0 and one.preemptions == other.preemptions == 0 and 0 <= other.idle_in_demand <= other.idle < 1
    nothing = summary([])
    assert nothing.tokens == 0 and math.isnan(nothing.tokens_per_second) and math.isnan(nothing.first_token[0])


def test_everybody_is_compared_with_a_run_of_their_own(served: tuple[Any, tuple[PlannedRequest, ...], list[Served]]) -> None:
    model, who, seen = served
    finished = [one for i in side(seen, 1) for one in i.finished]
    compared = list(compare_alone(model, who, finished))
    assert [one.reader_id for one in compared] == [reader.reader_id for reader in who]
    assert all(one.first_difference is None and one.largest_difference < 1e-4 for one in compared)
    assert sum(one.tokens for one in compared) == sum(len(one.token_ids) for one in finished)


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_the_curve_measures_every_size_in_turn(architecture: str, tiny: Any) -> None:
    model = tiny(architecture)
    peak = Peak(1e9, 1e9, "cpu", "float32", 1)
    points: list[CurvePoint] = list(batch_curve(model, "Once upon", peak, SETTINGS, (1, 2, 4), 6, 2))
    assert [point.size for point in points] == [1, 2, 4, 1, 2, 4]
    assert [point.passes for point in points] == [5, 5, 5, 10, 10, 10]
    held = len(model.encode("Once upon")) + 3
    for point in points:
        assert point.tokens_per_second == pytest.approx(point.size / point.seconds)
        expected = point.size * 1e9 / (model.weight_bytes + point.size * held * model.cache_bytes_per_token)
        assert point.ceiling == pytest.approx(expected) and 0 < point.pass_seconds <= point.seconds
