"""What grows with the length of a text: `python -m tests.benchmarks.long_context`.

One visitor writes with a tiny random Llama whose context is 8,192 tokens, past 512, 2,048 and 8,192 of them. There everything that a step
and its drawing consist of is timed by itself: medians of some repeats, and how much longer it takes at the end than at the beginning.
Nothing but attention ought to grow. A save is no part of a step; it has to write everything, and is shown per step of the text.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import fields, replace
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np
import psutil

from core import Generation, Recording, SamplingSettings, load_model
from core.costs.receipt import Account, Receipt
from core.record.step import Step
from core.record.tables import steps_table
from pages.ui.charts import step_rows
from pages.ui.components.token_strip import token_strip
from tests import tiny_models

LENGTHS = (512, 2_048, 8_192)
REPEATS = 25
SETTINGS = SamplingSettings(temperature=0.9, top_p=0.9, seed=7)
LISTED = 50  # candidates at every step, as on Watch


def main() -> None:
    """Write, measure, print."""
    with tempfile.TemporaryDirectory() as folder:
        longest = max(LENGTHS) + 2 * REPEATS
        model = load_model(str(tiny_models.save("llama", Path(folder), max_position_embeddings=longest)), device="cpu")
        model.end_token_ids = frozenset()  # a text of random weights ends by chance; this one is to go on
        held = psutil.Process().memory_info().rss
        run = Generation(model, "Once upon a time", SETTINGS, top_n=LISTED)
        account = Account(model.shape, 4.0)
        measured = [_measure(run, account, length, held) for length in LENGTHS]
    width = max(map(len, measured[0]))
    print(f"{'':{width}} {''.join(f'{length:>12,}' for length in LENGTHS)}   last / first")
    for name in measured[0]:
        values = [one[name] for one in measured]
        print(f"{name:{width}} {''.join(f'{value:>12,.4g}' for value in values)} {values[-1] / values[0] if values[0] else 0:>11.1f} x")


def _measure(run: Generation, account: Account, length: int, held: int) -> dict[str, float]:
    """What everything takes when the text has about so many tokens: milliseconds and bytes. held: of the process before it began."""
    while run.token_count < length:
        run.step()
    grown = psutil.Process().memory_info().rss - held
    steps, forwards, bills = [], [], []
    for _ in range(REPEATS):
        began = perf_counter()
        step = run.step()
        steps.append(perf_counter() - began)
        forwards.append(step.forward.seconds)
        path = run.path
        began = perf_counter()
        account.bill(path)
        bills.append(perf_counter() - began)
    newest, shape, ids, cache = path[-1], run.model.shape, run.token_ids, run.cache
    run.next_distribution()
    moved = cycle(replace(SETTINGS, repetition_penalty=penalty) for penalty in (1.1, 1.2))
    own = [a - b for a, b in zip(steps, forwards, strict=True)]
    sent: list[int] = []
    drawn = _drawn(run, path, sent)
    found = {
        "ms  forward pass": _ms(forwards),
        "ms  the rest of a step: queue, dice, record": _ms(own),
        "ms  comparing the prefix": _time(lambda: cache.shared_prefix(ids)),
        "ms  the path": _time(lambda: run.path),
        "ms  a slider with a repetition penalty": _time(lambda: run.next_distribution(next(moved))),
        "ms  rows of the odds": _time(lambda: step_rows.distribution_rows(newest)),
        "ms  rows of time and surprise": _time(lambda: step_rows.step_rows(path)),
        "ms  rows of the notepad": _time(lambda: step_rows.notepad_rows(path)),
        "ms  the strip": _time(drawn),
        "ms  the bill so far": _ms(bills),
        "ms  branches, with their texts": _time(run.branches),
        "ms  on demand: the whole bill": _time(lambda: Receipt.of(path, shape), 3),
        "ms  on demand: the table of steps": _time(lambda: steps_table(path), 3),
        "bytes  sent for the strip": sent[-1],
        "bytes  of keys and values": run.cache_bytes,
        "bytes  reserved for them": run.cache.state.reserved_bytes if run.cache.state is not None else 0,
        "bytes  of arrays in the record, per step": _size(newest),
        "bytes  of the process for this visitor": grown,
    }
    began = perf_counter()
    kept = Recording.of(run)
    text = kept.dumps()
    spent = perf_counter() - began
    began = perf_counter()
    Recording.loads(text)
    read = perf_counter() - began
    each = 1000 / len(path)
    return found | {
        "ms  saving, per step of the text": spent * each,
        "ms  reading again, per step": read * each,
        "bytes  of the file, per step": len(text) / len(path),
    }


def _drawn(run: Generation, path: list[Any], sent: list[int]) -> Callable[[], None]:
    """Draws the strip as the page does, into a string instead of a browser."""

    def serialise(*, key: str, data: Any, **_: Any) -> None:
        sent.append(len(json.dumps(data)))

    def draw() -> None:
        with patch.object(token_strip, "_STRIP", serialise):
            token_strip.token_strip(run.prompt_tokens, path, key="strip", memory={})

    return draw


def _ms(seconds: list[float]) -> float:
    return statistics.median(seconds) * 1000


def _time(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The median time of this, in milliseconds; fewer repeats of what takes long."""
    spent: list[float] = []
    while len(spent) < repeats and (len(spent) < 3 or sum(spent) < 1.0):
        began = perf_counter()
        work()
        spent.append(perf_counter() - began)
    return _ms(spent)


def _size(step: Step) -> int:
    """Bytes of the arrays of a step, with what they hold on to."""
    arrays = [value for value in (getattr(step, part.name) for part in fields(step)) if isinstance(value, np.ndarray)]
    return sum((array if array.base is None else array.base).nbytes for array in arrays)


if __name__ == "__main__":
    main()
