"""Serve the same requests under two policies side by side, and compare each answer with a run of its own.

Each server has a clock that runs only while it works, and the server with the smaller clock runs next. Both therefore get the same time,
however busy the machine is: a request that arrives at 2 seconds arrives after 2 seconds of each server's work.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from core.batching.batch_server import FinishedRequest, Iteration, Server, ServerSettings, passes_are_compiled
from core.batching.request import Request
from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.errors import BadSetting
from core.experiments.candidates.best_of_n import prompt_ids
from core.generation.generation import generated
from core.limits import Limits
from core.message import Message, Number
from core.sampling.settings import LARGEST_SEED, SamplingSettings

MOST_PLANNED = 32
LONGEST_ANSWER = 256  # tokens
FASTEST = 1000.0  # arrivals a second


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """One future request. prompt: its text, background included; arrival: seconds on the server's clock."""

    reader_id: int
    prompt: str
    prompt_ids: tuple[int, ...]
    settings: SamplingSettings
    max_new_tokens: int
    arrival: float

    def request(self, ignore_eos: bool = False) -> Request:
        """Return a new `Request` for a server."""
        return Request(self.reader_id, self.prompt_ids, self.settings, self.max_new_tokens, self.arrival, ignore_eos)


@dataclass(frozen=True, slots=True)
class Served:
    """One iteration of one server. side: 0 or 1, the index of its settings."""

    side: int
    iteration: Iteration


def planned_requests(
    model: LanguageModel,
    prompts: Sequence[str],
    count: int = 8,
    shortest: int = 8,
    longest: int = 48,
    rate: float | None = None,
    settings: SamplingSettings | None = None,
    background: str = "",
    background_tokens: int = 0,
) -> tuple[PlannedRequest, ...]:
    """Return `count` requests that take the prompts in turn, each with its own seed and an answer of `shortest` to `longest` tokens.

    rate: arrivals per second, as a Poisson process (independent exponential waits); None if all arrive at 0. settings.seed determines
    lengths and arrivals. background: text before every prompt, cut to `background_tokens` tokens.
    Raises EmptyPrompt, PromptTooLong, BadSetting.
    """
    most = min(MOST_PLANNED, Limits.from_environment().readers or MOST_PLANNED)
    count = whole_number(count, Message("The number of requests"), 1, most)
    longest = whole_number(longest, Message("The longest answer"), 1, LONGEST_ANSWER)
    shortest = whole_number(shortest, Message("The shortest answer"), 1, longest)
    background_tokens = whole_number(background_tokens, Message("The length of the shared prompt"), 0, model.context_length)
    if rate is not None and (isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate <= FASTEST):
        raise BadSetting(
            "The arrival rate must be above 0 and at most {fastest} requests per second, not {rate}.",
            fastest=Number(FASTEST, "g"),
            rate=str(rate)[:20],
        )
    if not prompts:
        raise BadSetting("The requests need at least one prompt.")
    settings = settings or SamplingSettings()
    chance = np.random.default_rng(settings.seed)
    lengths = chance.integers(shortest, longest + 1, count)
    arrivals = np.zeros(count) if rate is None else chance.exponential(1 / rate, count).cumsum()
    before = model.text_of(model.encode(background)[:background_tokens]) if background and background_tokens else ""
    requests = []
    for number in range(count):
        text = before + (" " if before and not before.endswith((" ", "\n")) else "") + prompts[number % len(prompts)]
        own = replace(settings, seed=(settings.seed + number) % (LARGEST_SEED + 1))
        ids = tuple(prompt_ids(model, text))
        requests.append(PlannedRequest(number, text, ids, own, int(lengths[number]), float(arrivals[number])))
    return tuple(requests)


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
