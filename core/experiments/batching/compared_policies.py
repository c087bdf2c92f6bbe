"""Serve the same requests under two policies side by side, and compare each answer with a run of its own.

Each server has a clock that runs only while it works, and the server with the smaller clock runs next. Both therefore get the same time,
however busy the machine is: a request that arrives at 2 seconds arrives after 2 seconds of each server's work.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from core.batching.batch_server import FinishedRequest, Iteration, Server, ServerSettings, passes_are_compiled
from core.engine.model import LanguageModel
from core.experiments.shared.claim import Claim, Observations
from core.experiments.shared.planned_requests import PlannedRequest
from core.generation.generation import generated


@dataclass(frozen=True, slots=True)
class Served:
    """One iteration of one server. side: 0 or 1, the index of its settings."""

    side: int
    iteration: Iteration


def serve(model: LanguageModel, who: Sequence[PlannedRequest], sides: Sequence[ServerSettings]) -> Iterator[Served]:
    """Serve the same requests under each of these settings; yield every iteration of every server. Raises what `Server` raises."""
    compiled = passes_are_compiled(model)
    servers = [Server(model, [planned.request() for planned in who], settings, None, compiled) for settings in sides]
    while busy := [side for side, server in enumerate(servers) if not server.done]:
        side = min(busy, key=lambda index: servers[index].clock)
        yield Served(side, servers[side].step())


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of one server, computed from its iterations. Times are in seconds; NaN without a measurement.

    tokens_per_second: tokens of all requests, divided by the server's working time. first_token, per_token: (median, 95th percentile) of
    the time to first token and of the time between two tokens of a request. idle: fraction of the slots' time in which they were empty;
    idle_in_demand: the same, counting only iterations in which a request waited. prompt_tokens: computed for prompts. reused_tokens:
    found in the prefix cache. saved_blocks: most blocks saved by sharing at one time.
    """

    tokens: int
    seconds: float
    tokens_per_second: float
    first_token: tuple[float, float]
    per_token: tuple[float, float]
    end_to_end: tuple[float, float]
    idle: float
    idle_in_demand: float
    padded_tokens: int
    preemptions: int
    prompt_tokens: int
    reused_tokens: int
    peak_blocks: int
    saved_blocks: int
    finished: int


def summary(iterations: Sequence[Iteration]) -> Summary:
    """Return the figures of one server so far."""
    finished = [request for iteration in iterations for request in iteration.finished]
    times: dict[int, list[float]] = {}
    for iteration in iterations:
        for part in iteration.progress:
            if part.token_id >= 0:
                times.setdefault(part.request_id, []).append(iteration.stop)
    arrivals = {request.request_id: request.arrival for request in finished}
    seconds = sum(iteration.seconds for iteration in iterations)
    written = sum(iteration.written for iteration in iterations)
    slot_time = sum(iteration.seconds * iteration.slots for iteration in iterations)
    empty = [(iteration.seconds * (iteration.slots - iteration.rows), iteration.waiting > 0) for iteration in iterations]
    return Summary(
        tokens=written,
        seconds=seconds,
        tokens_per_second=written / seconds if seconds else math.nan,
        first_token=spread([times[arrival][0] - arrivals[arrival] for arrival in arrivals]),
        per_token=spread([later - earlier for mine in times.values() for earlier, later in pairwise(mine)]),
        end_to_end=spread([request.end_to_end_latency for request in finished]),
        idle=sum(time for time, _each in empty) / slot_time if slot_time else math.nan,
        idle_in_demand=sum(time for time, wanted in empty if wanted) / slot_time if slot_time else math.nan,
        padded_tokens=sum(iteration.padded_tokens for iteration in iterations),
        preemptions=sum(len(iteration.preempted) for iteration in iterations),
        prompt_tokens=sum(part.tokens for iteration in iterations for part in iteration.progress if part.state == "prefilling"),
        reused_tokens=sum(request.reused_tokens for request in finished),
        peak_blocks=max((iteration.used_blocks for iteration in iterations), default=0),
        saved_blocks=max((iteration.saved_blocks for iteration in iterations), default=0),
        finished=len(finished),
    )


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile; NaN without a value."""
    return (float(np.median(values)), float(np.percentile(values, 95))) if values else (math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Alone:
    """A request's answer compared with a run of its own. first_difference: index of the first different token, None if all are equal.

    largest_difference: between the logits of the same chosen token, over the common part. close_rolls: number of rolls so close to the
    border of a token's interval that a difference of this size could have changed the chosen token.
    """

    reader_id: int
    tokens: int
    first_difference: int | None
    largest_difference: float
    close_rolls: int


def compare_alone(model: LanguageModel, who: Sequence[PlannedRequest], finished: Sequence[FinishedRequest]) -> Iterator[Alone]:
    """Generate each request's answer alone, with the same seed and settings, and yield its comparison with the served answer."""
    answers = {request.request_id: request for request in finished}
    for planned in who:
        served = answers.get(planned.reader_id)
        if served is None:
            continue
        run = generated(model, planned.prompt, planned.settings, len(served.token_ids))
        pairs = list(zip(run.path, served.token_ids, served.logits, strict=False))
        parted = next((index for index, (step, token_id, _each) in enumerate(pairs) if step.token_id != token_id), None)
        if parted is None and len(run.path) != len(served.token_ids):
            parted = len(pairs)
        gaps = [abs(step.chosen.logit - logit) for step, token_id, logit in pairs[:parted] if step.token_id == token_id]
        largest = max(gaps, default=0.0)
        reach = 2 * largest / planned.settings.temperature
        close = sum(_could_turn(step.roll, step.chosen.dice_start, step.sampling_probability, reach) for step in run.path)
        yield Alone(planned.reader_id, len(pairs), parted, largest, close)


def _could_turn(roll: float | None, start: float | None, share: float, reach: float) -> bool:
    """Return whether a border of this token's interval could move past the roll if every probability is off by a factor of 1 + reach.

    The cumulative sum before a border has the same error: logits off by g change a softmax at temperature T by at most exp(2 g / T).
    """
    if roll is None or start is None:
        return False
    return roll - start <= reach * start or start + share - roll <= reach * (start + share)


def _continuous_is_faster(observations: Observations) -> bool:
    ends = [
        max(step.iteration.start + step.iteration.seconds for step in observations if isinstance(step, Served) and step.side == side)
        for side in (0, 1)
    ]
    return ends[1] < ends[0]


CONTINUOUS_IS_FASTER = Claim("continuous batching is done first", _continuous_is_faster)
