"""Impossible input of the page batching."""

from __future__ import annotations

from core.batching.batch_server import ServerSettings
from core.costs.measured_hardware import Peak
from core.experiments.batching.batch_curve import batch_curve
from core.experiments.shared.planned_requests import planned_requests
from tests.core.experiments.impossible import COUNTS, REAL, TEXT, Prompts, Settings

PEAK = Peak(1, 1, "cpu", "float32", 1)
SETTINGS: Settings = {
    "readers": (lambda m, v: planned_requests(m, [TEXT], v), [*COUNTS, 33]),
    "prompts of readers": (lambda m, v: planned_requests(m, v), [[]]),
    "longest answer": (lambda m, v: planned_requests(m, [TEXT], longest=v), [0, -1, 10**6]),
    "arrivals": (lambda m, v: planned_requests(m, [TEXT], rate=v), [0, *REAL]),
    "common beginning": (lambda m, v: planned_requests(m, [TEXT], background_tokens=v), [-1, 10**9, 2.5]),
    "batch sizes": (lambda m, v: batch_curve(m, TEXT, PEAK, sizes=v), [(), (0,), (65,)]),
    "repeats of a curve": (lambda m, v: batch_curve(m, TEXT, PEAK, repeats=v), [0]),
    "sequences of a server": (lambda m, v: ServerSettings(max_num_seqs=v), [*COUNTS, 65]),
    "tokens of a server": (lambda m, v: ServerSettings(max_num_batched_tokens=v), [0, 7, 10**9, None]),
    "policy of a server": (lambda m, v: ServerSettings(v), ["fastest"]),
}
PROMPTS: Prompts = {
    "readers": lambda m, text: planned_requests(m, [text]),
}
