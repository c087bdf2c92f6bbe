"""Watch one request among many: how its time is divided while others are served, and how waiting grows with the load.

The other requests are real: the scheduler of `core.batching` serves them with real passes. A server's clock runs only while it works and
skips the time without requests, so low loads take no longer to measure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import mean

import numpy as np

from core.batching.batch_server import MOST_BLOCKS, FinishedRequest, Iteration, Server, ServerSettings, passes_are_compiled
from core.batching.block_pool import blocks_for
from core.batching.request import RequestState
from core.batching.scheduler import Policy
from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.errors import BadSetting
from core.experiments.shared.claim import Observations
from core.experiments.shared.planned_requests import MOST_PLANNED, PlannedRequest, planned_requests
from core.experiments.shared.prompt_tokens import prompt_ids
from core.limits import Limits
from core.message import Message
from core.sampling.settings import LARGEST_SEED, SamplingSettings

QUEUE, PREFILL, DECODE, STALLED, PREEMPTED = "queue", "prefill", "decode", "stalled", "preempted"
POLICIES = (Policy.ONE_AT_A_TIME, Policy.CONTINUOUS)
MINE = 1000  # id of the watched request
SEATS = 8
BEFORE, AFTER = 8, 8  # other requests that arrive before and after the watched one
LOADS = (0.3, 0.6, 0.85)
LONGEST, MOST_REQUESTS = 128, 200
WARM_UP = 4  # requests before the measurement
PERCENTILES = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class PhaseSpan:
    """A part of the watched request's time. start: seconds after its arrival. name: queue, prefill, decode, stalled (only other requests
    were computed) or preempted."""

    name: str
    start: float
    seconds: float
    rows: int


@dataclass(frozen=True, slots=True)
class Watched:
    """The watched request under one policy, so far. Times are seconds after its arrival, on the server's clock; measured.

    ahead: other requests that were waiting or running when it arrived; finished: whether its answer is complete.
    """

    policy: Policy
    stretches: tuple[PhaseSpan, ...]
    token_times: tuple[float, ...]
    text: str
    ahead: int
    finished: bool

    @property
    def first_token(self) -> float:
        """Return the time to first token, seconds; NaN before the first token."""
        return self.token_times[0] if self.token_times else math.nan

    @property
    def inter_token(self) -> float:
        """Return the median time between two tokens, seconds; NaN before the second token."""
        gaps = [later - earlier for earlier, later in pairwise(self.token_times)]
        return float(np.median(gaps)) if gaps else math.nan

    @property
    def total(self) -> float:
        """Return the time to the newest token, seconds; NaN before the first token."""
        return self.token_times[-1] if self.token_times else math.nan

    def spent(self, name: str) -> float:
        """Return the total time of the spans with this name, seconds."""
        return sum(stretch.seconds for stretch in self.stretches if stretch.name == name)


def watch_one(
    model: LanguageModel, prompt: str, others: Sequence[str], settings: SamplingSettings | None = None, length: int = 24, rate: float = 10.0
) -> Iterator[Watched]:
    """Send one request among sixteen others, `rate` arrivals per second, to a server of each policy; yield every pass since its arrival.

    others: prompts of the other requests; the limits of this app can reduce their number. The watched request arrives in their middle.
    Raises EmptyPrompt, PromptTooLong, BadSetting, ModelError.
    """
    settings = settings or SamplingSettings()
    length = whole_number(length, Message("The length"), 1, LONGEST)
    most = Limits.from_environment().readers or MOST_PLANNED
    crowd = planned_requests(model, others, max(1, min(BEFORE + AFTER, most - 1)), 8, 40, rate, settings)
    before = (len(crowd) + 1) // 2
    request = PlannedRequest(MINE, prompt, tuple(prompt_ids(model, prompt)), settings, length, crowd[before - 1].arrival)
    who = [*crowd[:before], request, *crowd[before:]]
    needed = blocks_for(max(len(planned.prompt_ids) + planned.max_new_tokens for planned in who) + 1)
    sides, compiled = {}, passes_are_compiled(model)
    for policy in POLICIES:
        chosen = ServerSettings(policy, SEATS, 256, min(MOST_BLOCKS, SEATS * needed))
        sides[policy] = (Server(model, [planned.request() for planned in who], chosen, None, compiled), _Watch(policy, request.arrival))
    while going := [policy for policy, (server, watch) in sides.items() if not watch.finished and not server.done]:
        policy = min(going, key=lambda candidate: sides[candidate][0].clock)
        server, watch = sides[policy]
        if watch.take(server.step()):
            yield watch.seen()


class _Watch:
    """Collects the spans and token times of the watched request at one server."""

    def __init__(self, policy: Policy, arrival: float) -> None:
        self._policy, self._arrival = policy, arrival
        self._stretches: list[PhaseSpan] = []
        self._times: list[float] = []
        self._text, self._ahead = "", 0
        self.finished = False

    def take(self, iteration: Iteration) -> bool:
        """Record an iteration; return whether the watched request was in it."""
        mine = next((part for part in iteration.progress if part.request_id == MINE), None)
        if mine is None:
            return False
        start = max(0.0, iteration.start - self._arrival)
        if not self._stretches:
            self._ahead = len(iteration.progress) - 1
            if start > 0:  # it arrived during a pass
                self._stretches.append(PhaseSpan(QUEUE, 0.0, start, 0))
        names = {RequestState.WAITING: QUEUE, RequestState.PREEMPTED: PREEMPTED, RequestState.PREFILLING: PREFILL}
        name = names.get(mine.state, DECODE)
        self._stretches.append(
            PhaseSpan(STALLED if mine.tokens == 0 and name in (PREFILL, DECODE) else name, start, iteration.seconds, iteration.rows)
        )
        if mine.token_id >= 0:
            self._times.append(iteration.stop - self._arrival)
            self._text += mine.text
        self.finished = any(request.request_id == MINE for request in iteration.finished)
        return True

    def seen(self) -> Watched:
        """Return the record so far."""
        return Watched(self._policy, tuple(self._stretches), tuple(self._times), self._text, self._ahead, self.finished)


@dataclass(frozen=True, slots=True)
class ServiceTimes:
    """How long each request takes alone, from admission to its last token; seconds, measured."""

    seconds: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Return E[S], seconds."""
        return mean(self.seconds)

    @property
    def second_moment(self) -> float:
        """Return E[S^2], seconds squared."""
        return mean(value * value for value in self.seconds)


@dataclass(frozen=True, slots=True)
class LoadPoint:
    """Waiting times at one load, seconds. load: arrivals per second x E[S] as planned; reached: as the arrivals came.

    queue: mean from arrival to the first pass; total: to the last token. formula: the mean wait in the queue that M/G/1 gives for the
    measured service times, computed. queue_percentiles, total_percentiles: p50, p95 and p99 of the same times; empty in old recordings.
    """

    policy: Policy
    load: float
    rate: float
    requests: int
    queue: float
    total: float
    formula: float
    reached: float = math.nan
    queue_percentiles: tuple[float, ...] = ()
    total_percentiles: tuple[float, ...] = ()

    @classmethod
    def of(cls, policy: Policy, load: float, rate: float, finished: Sequence[FinishedRequest], times: ServiceTimes) -> LoadPoint:
        """Return the point of these requests, which were to arrive at `rate` per second."""
        queue, total = [request.queue_time for request in finished], [request.end_to_end_latency for request in finished]
        reached = len(finished) / max(request.arrival for request in finished) * times.mean
        formula = pollaczek_khinchine(rate, times.mean, times.second_moment)
        percentiles = (tuple(map(float, np.percentile(values, PERCENTILES))) for values in (queue, total))
        return cls(policy, load, rate, len(finished), mean(queue), mean(total), formula, reached, *percentiles)


def pollaczek_khinchine(rate: float, mean_service: float, second_moment: float) -> float:
    """Return the mean wait in an M/G/1 queue: random (Poisson) arrivals, any service times, one server, first come first served.

    rate x E[S^2] / (2 (1 - rate x E[S])), seconds; infinite from a load of 1 on (Pollaczek 1930, Khinchine 1932).

    >>> pollaczek_khinchine(0.5, 1.0, 1.0), pollaczek_khinchine(0.5, 1.0, 2.0), pollaczek_khinchine(2.0, 1.0, 1.0)
    (0.5, 1.0, inf)
    """
    load = rate * mean_service
    return rate * second_moment / (2 * (1 - load)) if load < 1 else math.inf


def load_curve(
    model: LanguageModel,
    prompts: Sequence[str],
    settings: SamplingSettings | None = None,
    loads: Sequence[float] = LOADS,
    requests: int = 200,
    shortest: int = 2,
    longest: int = 8,
) -> Iterator[ServiceTimes | LoadPoint]:
    """Measure each request alone, then serve all of them at each load, one at a time and with continuous batching.

    Raises what `core.experiments.batching.compared_policies.planned_requests` raises.
    """
    requests = whole_number(requests, Message("The number of requests"), 2, MOST_REQUESTS)
    if not loads or any(isinstance(load, bool) or not isinstance(load, int | float) or not 0 < load < 1 for load in loads):
        raise BadSetting("The load must be above 0 and below 1 (1 is the full capacity).")
    settings = settings or SamplingSettings()
    crowd, compiled = _crowd(model, prompts, settings, requests, shortest, longest), passes_are_compiled(model)
    for policy in POLICIES:  # the first passes of a process are slower
        list(_run(model, crowd[:WARM_UP], policy, compiled))
    alone = [request for iteration in _run(model, crowd, Policy.ONE_AT_A_TIME, compiled) for request in iteration.finished]
    times = ServiceTimes(tuple(request.token_times[-1] - request.admitted for request in alone))
    yield times
    waits = np.random.default_rng(settings.seed).exponential(1.0, requests).cumsum()
    for load in loads:
        rate = load / times.mean
        coming = [replace(planned, arrival=float(wait) / rate) for planned, wait in zip(crowd, waits, strict=True)]
        for policy in POLICIES:
            finished = [request for iteration in _run(model, coming, policy, compiled) for request in iteration.finished]
            yield LoadPoint.of(policy, load, rate, finished, times)


def _crowd(
    model: LanguageModel, prompts: Sequence[str], settings: SamplingSettings, count: int, shortest: int, longest: int
) -> list[PlannedRequest]:
    """Return `count` requests that all arrive at 0. They are made eight at a time, because `planned_requests` limits its number."""
    crowd: list[PlannedRequest] = []
    while len(crowd) < count:
        seeded = SamplingSettings(**settings.as_dict() | {"seed": (settings.seed + len(crowd)) % (LARGEST_SEED + 1)})
        fresh = planned_requests(model, prompts, min(8, count - len(crowd)), shortest, longest, None, seeded)
        crowd += [replace(planned, reader_id=len(crowd) + number) for number, planned in enumerate(fresh)]
    return crowd


def _run(model: LanguageModel, who: Sequence[PlannedRequest], policy: Policy, compiled: bool) -> Iterator[Iteration]:
    needed = blocks_for(max(len(planned.prompt_ids) + planned.max_new_tokens for planned in who) + 1)
    chosen = ServerSettings(policy, SEATS, 256, min(MOST_BLOCKS, SEATS * needed))
    server = Server(model, [planned.request(ignore_eos=True) for planned in who], chosen, None, compiled)
    while not server.done:
        yield server.step()


def wait_grows_with_load(observations: Observations) -> bool:
    """Return whether the wait of one queue more than doubles over the loads, and is near the formula of M/G/1 at each."""
    points = [point for point in observations if getattr(point, "policy", None) is Policy.ONE_AT_A_TIME]
    waits = [point.queue for point in sorted(points, key=lambda point: point.load)]
    near = all(point.formula / 4 <= point.queue <= 4 * point.formula for point in points)
    return near and len(waits) > 2 and waits[-1] > 2 * waits[0]
