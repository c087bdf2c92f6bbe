"""Waiting: the watched request gets the text it gets alone, its parts add up, and queues agree with the textbook."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from core import Generation, SamplingSettings
from core.batching.scheduler import Policy
from core.experiments.waiting import load as waiting
from core.experiments.waiting.load import POLICIES, QUEUE, LoadPoint, ServiceTimes, Watched, load_curve, pollaczek_khinchine, watch_one

OTHERS = ("Once upon a time", "The old king", "One day a bear", "In a village by the sea")
PROMPT = "A girl found a small blue door"


@pytest.fixture(scope="module")
def model(tiny: Any) -> Any:
    return tiny("small")


def test_the_watched_request_gets_what_it_gets_alone_and_no_second_is_lost(model: Any) -> None:
    settings = SamplingSettings(seed=4)
    found: dict[Policy, Watched] = {one.policy: one for one in watch_one(model, PROMPT, OTHERS, settings, 12, 1000.0)}
    alone = Generation(model, PROMPT, settings)
    text = "".join(alone.step().text for _ in range(12))
    assert set(found) == set(POLICIES)
    for one in found.values():
        assert one.finished and one.text == text and len(one.token_times) == 12
        assert one.stretches[0].start == 0.0
        for before, after in pairwise(one.stretches):
            assert after.start == pytest.approx(before.start + before.seconds, abs=1e-9)
        assert one.total == pytest.approx(sum(part.seconds for part in one.stretches), abs=1e-9)
        assert one.first_token == one.token_times[0] and one.ahead >= 6
    assert found[Policy.ONE_AT_A_TIME].spent(QUEUE) > found[Policy.CONTINUOUS].spent(QUEUE)


def test_one_at_a_time_waits_as_lindley_says(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waits what the one before waited and took, less the time between their coming: with the service times of that very run."""
    runs = []
    original = waiting._run

    def kept(*arguments: Any) -> Any:
        done = list(original(*arguments))
        runs.append((arguments[2], [one for iteration in done for one in iteration.finished]))
        return iter(done)

    monkeypatch.setattr(waiting, "_run", kept)
    seen = list(load_curve(model, OTHERS, SamplingSettings(seed=1), (0.5, 0.9), 12))
    points = [one for one in seen if isinstance(one, LoadPoint)]
    times = next(one for one in seen if isinstance(one, ServiceTimes))
    assert len(times.seconds) == 12 and len(points) == 4
    queued = [(policy, done) for policy, done in runs[3:] if policy is Policy.ONE_AT_A_TIME]
    for point, (_, done) in zip([one for one in points if one.policy is Policy.ONE_AT_A_TIME], queued, strict=True):
        done.sort(key=lambda one: one.arrival)
        wait, waits = 0.0, []
        for one, following in zip(done, [*done[1:], None], strict=True):
            waits.append(wait)
            if following is not None:
                wait = max(0.0, wait + one.token_times[-1] - one.admitted - (following.arrival - one.arrival))
        assert point.queue == pytest.approx(np.mean(waits), abs=1e-6)
        assert point.formula == pytest.approx(pollaczek_khinchine(point.rate, times.mean, times.second_moment))
        assert point.load == pytest.approx(point.rate * times.mean)
        assert point.reached == pytest.approx(12 / done[-1].arrival * times.mean)
        assert point.queue_percentiles == pytest.approx(np.percentile(waits, (50, 95, 99)), abs=1e-6)
        assert all(queue <= total for queue, total in zip(point.queue_percentiles, point.total_percentiles, strict=True))


@pytest.mark.exhaustive
def test_the_formula_is_what_a_long_queue_tends_to() -> None:
    """200,000 arrivals by Lindley's recursion, with exponential and with constant service times."""
    chance = np.random.default_rng(7)
    for load in (0.3, 0.7):
        between = chance.exponential(1 / load, 200_000)
        for service in (chance.exponential(1.0, 200_000), np.ones(200_000)):
            wait, total = 0.0, 0.0
            for gap, work in zip(between, service, strict=True):
                total += wait
                wait = max(0.0, wait + work - gap)
            expected = pollaczek_khinchine(load, float(service.mean()), float((service**2).mean()))
            assert total / len(between) == pytest.approx(expected, rel=0.08)
