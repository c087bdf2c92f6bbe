"""One request from the question to the last token, as a timeline: where the seconds went, and whose they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from core.costs.formulas import ASSUMED, MEASURED
from core.costs.machine import energy_joules
from core.costs.receipt import Assumptions, Receipt
from core.errors import BadSetting
from core.generation.generation import Generation
from core.settings import SamplingSettings

if TYPE_CHECKING:
    from core.costs.machine import Peak
    from core.engine.model import LanguageModel
    from core.record.step import Step

LONGEST = 512  # tokens of one answer
NETWORK, QUEUE, PREFILL, DECODE, DICE, DRAWING = "network", "queue", "prefill", "decode", "dice", "drawing"


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of the timeline, in seconds from the question on. kind: "measured" or "assumed"."""

    name: str
    start: float
    seconds: float
    kind: str


@dataclass(frozen=True, slots=True)
class LatencyTrace:
    """The request so far. parts: one for each kind of work, in the order in which they begin. first_token, total: seconds with the network.

    receipt: the bill so far; the energy is the device's own while it has a counter. text: what was written. finished: why it ended.
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
    """Answer a prompt and time everything. Whatever the caller does between two tokens (drawing, say) is measured as drawing.

    Raises EmptyPrompt, PromptTooLong, BadSetting.
    """
    if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= LONGEST:
        raise BadSetting(f"An answer has 1 to {LONGEST:,} tokens here, not {str(length)[:20]}.")
    assumed = assumptions or Assumptions()
    run = Generation(model, prompt, settings, top_n=1)
    spent = dict.fromkeys((QUEUE, PREFILL, DECODE, DICE, DRAWING), 0.0)
    joules_before = energy_joules(model.device)
    first_token = 0.0
    try:
        while len(run.path) < length and run.finished is None:
            started, before = perf_counter(), len(run.path)
            step = next(run.write(1), None)
            took = perf_counter() - started
            if step is None:
                break
            done = step.forward
            spent[QUEUE] += done.queue_seconds
            spent[DECODE if before else PREFILL] += done.seconds
            spent[DICE] += max(0.0, took - done.seconds - done.queue_seconds)
            if not before:
                first_token = assumed.network_seconds + took
            joules = energy_joules(model.device)
            used = None if joules is None or joules_before is None or joules < joules_before else joules - joules_before
            receipt = Receipt.of(run.path, model.shape, item_size=item_size(model), assumptions=assumed, peak=peak, joules=used)
            parts = timeline(spent, assumed.network_seconds)
            shown = perf_counter()
            yield LatencyTrace(step, run.written, parts, first_token, sum(part.seconds for part in parts), receipt, run.finished)
            spent[DRAWING] += perf_counter() - shown
    finally:
        run.release()


def item_size(model: LanguageModel) -> float:
    """Bytes per number of the model's weights, as its tensors are."""
    return model.weight_bytes / model.parameter_count


def timeline(spent: dict[str, float], network_seconds: float) -> tuple[Span, ...]:
    """One bar behind the other: the network there and back, then the work. (Decode, dice and drawing really take turns.)"""
    parts, clock = [], 0.0
    rows: Sequence[tuple[str, float, str]] = [
        (NETWORK, network_seconds, ASSUMED),
        *((name, spent[name], MEASURED) for name in (QUEUE, PREFILL, DECODE, DICE, DRAWING)),
    ]
    for name, seconds, kind in rows:
        parts.append(Span(name, clock, seconds, kind))
        clock += seconds
    return tuple(parts)
