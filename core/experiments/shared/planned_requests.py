"""Requests that will arrive at a server: their prompts, the lengths of their answers and their times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.batching.request import Request
from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.errors import BadSetting
from core.experiments.shared.prompt_tokens import prompt_ids
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
        seeded = replace(settings, seed=(settings.seed + number) % (LARGEST_SEED + 1))
        ids = tuple(prompt_ids(model, text))
        requests.append(PlannedRequest(number, text, ids, seeded, int(lengths[number]), float(arrivals[number])))
    return tuple(requests)
