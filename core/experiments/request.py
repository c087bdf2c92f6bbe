"""Latency trace of one request: how its time is divided into spans, and whether each is measured or assumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from core.costs.formulas import ASSUMED, MEASURED
from core.costs.machine import energy_joules
from core.costs.receipt import Account, Assumptions, Receipt
from core.errors import BadSetting
from core.generation.generation import Generation
from core.message import Message
from core.settings import SamplingSettings

if TYPE_CHECKING:
    from core.costs.machine import Peak
    from core.engine.model import LanguageModel
    from core.record.step import Step

LONGEST = 512  # tokens of one answer
NETWORK, QUEUE, PREFILL, DECODE, DICE, BOOKS, OUTSIDE = "network", "queue", "prefill", "decode", "dice", "bookkeeping", "outside"
MEASURED_PARTS = (QUEUE, PREFILL, DECODE, DICE, BOOKS, OUTSIDE)


@dataclass(frozen=True, slots=True)
class Span:
    """One span of the timeline, in seconds since the request. kind: "measured" or "assumed"."""

    name: str
    start: float
    seconds: float
    kind: str


@dataclass(frozen=True, slots=True)
class LatencyTrace:
    """The request so far. parts: one span per kind of work, in order of their start; they add up to the total time.

    first_token, total: seconds of wall-clock time, network included. receipt: the costs so far; energy is measured if the device has a
    counter. text: of the answer. finished: why it ended, or None.
    """

    step: Step
    text: str
    parts: tuple[Span, ...]
    first_token: float
    total: float
    receipt: Receipt
    finished: str | None


def request(
    model: LanguageModel,
    prompt: str,
    settings: SamplingSettings | None = None,
    length: int = 48,
    assumptions: Assumptions | None = None,
    peak: Peak | None = None,
) -> Iterator[LatencyTrace]:
    """Answer a prompt and measure where the time goes; yield a trace after every token.

    outside: time that the caller spends between two tokens (drawing a page, waiting). bookkeeping: tokenizing the prompt, the receipt,
    reading the energy counter. Raises EmptyPrompt, PromptTooLong, BadSetting.
    """
    if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= LONGEST:
        raise BadSetting(Message("An answer has 1 to {longest} tokens here, not {length}.", longest=LONGEST, length=str(length)[:20]))
    assumed = assumptions or Assumptions()
    began = perf_counter()
    run = Generation(model, prompt, settings, top_n=1)
    account, text = Account(model.shape, item_size(model)), ""
    path: list[Step] = []
    spent = dict.fromkeys(MEASURED_PARTS, 0.0)
    joules_before = energy_joules(model.device)
    first_token = 0.0
    try:
        while len(path) < length and run.finished is None:
            started = perf_counter()
            step = next(run.stream(1), None)
            now = perf_counter()
            if step is None:
                break
            done = step.forward
            spent[QUEUE] += done.queue_seconds
            spent[PREFILL if not path else DECODE] += done.seconds
            spent[DICE] += max(0.0, now - started - done.seconds - done.queue_seconds)
            first_token = first_token or assumed.network_seconds + now - began
            path.append(step)
            text += step.text
            joules = energy_joules(model.device)
            used = None if joules is None or joules_before is None or joules < joules_before else joules - joules_before
            receipt = account.bill(path, assumptions=assumed, peak=peak, joules=used)
            now = perf_counter()
            spent[BOOKS] = now - began - sum(spent[part] for part in MEASURED_PARTS if part != BOOKS)
            yield LatencyTrace(
                step,
                text,
                timeline(spent, assumed.network_seconds),
                first_token,
                assumed.network_seconds + now - began,
                receipt,
                run.finished,
            )
            spent[OUTSIDE] += perf_counter() - now
    finally:
        run.release()


def item_size(model: LanguageModel) -> float:
    """Return the bytes per weight of the model's tensors."""
    return model.weight_bytes / model.parameter_count


def timeline(spent: dict[str, float], network_seconds: float) -> tuple[Span, ...]:
    """Return the spans one after the other: the network both ways, then the work. (In reality decode, dice and bookkeeping alternate.)"""
    parts, clock = [], 0.0
    rows: Sequence[tuple[str, float, str]] = [
        (NETWORK, network_seconds, ASSUMED),
        *((name, spent[name], MEASURED) for name in MEASURED_PARTS),
    ]
    for name, seconds, kind in rows:
        parts.append(Span(name, clock, seconds, kind))
        clock += seconds
    return tuple(parts)
