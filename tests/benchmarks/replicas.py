"""How many visitors one, two and four replicas serve behind the proxy of `deploy/`, and what a killed replica costs its visitors.

    python -m tests.benchmarks.replicas [--visitors 30 40] [--replicas 1 2 4] [--arrive 10] [--seconds 40]

One row for each number of visitors and of replicas. All visitors play (`tests.benchmarks.visitors`) behind nginx with the configuration of
`deploy/`. In the middle of --seconds the first of several replicas is killed. Columns: the 95th percentile of a press, of a drawn step and
of an opened page, before the kill; drawn steps a second for all; megabytes that each visitor added to the memory of all replicas; seconds
until the visitors of the killed replica had their page again; how many of them had the text that they had before.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable

import numpy as np

from tests.benchmarks import programs
from tests.benchmarks.crowd import Times, Visitor
from tests.benchmarks.visitors import crowd, observed, running

COLUMNS = ("visitors", "replicas", "press p95", "step p95", "page p95", "steps/s", "MB each", "back p95", "with text", "errors")


def percentile(times: Iterable[float]) -> str:
    """Return the 95th percentile in seconds, "-" if nothing was measured."""
    found = list(times)
    return f"{np.percentile(found, 95):.2f} s" if found else "-"


def row(visitors: list[Visitor], replicas: int, begin: float, kill: float, memory: list[float]) -> list[str]:
    """Return the row of one run. begin: when all visitors were there. kill: when the replica was killed (time.monotonic)."""

    def seconds(kind: str, since: float = begin) -> list[float]:
        times: list[Times] = [getattr(visitor, kind) for visitor in visitors]
        return [took for one in times for when, took in one if since <= when and when + took < kill]

    steps = seconds("steps")
    kept = [one for visitor in visitors for one in visitor.kept_text]
    return [
        str(len(visitors)),
        str(replicas),
        percentile(seconds("presses")),
        percentile(steps),
        percentile(seconds("openings", 0.0)),
        f"{len(steps) / (kill - begin):.0f}",
        f"{(max(memory) - memory[0]) / len(visitors):.1f}",
        percentile(took for visitor in visitors for _when, took in visitor.returns),
        f"{sum(kept)} of {len(kept)}" if kept else "-",
        str(sum(len(visitor.errors) for visitor in visitors)),
    ]


def measured(count: int, replicas: int, arrive: float, seconds: float) -> list[str]:
    """Start the replicas, let so many visitors play, and return their row."""
    with running(replicas, proxy=True) as (apps, ports):
        visitors = [Visitor(number) for number in range(count)]
        began, kill_after = time.monotonic(), arrive + seconds / 2
        visits = crowd(ports, visitors, arrive, seconds)
        memory, _processor = asyncio.run(observed(visits, apps, kill_after if replicas > 1 else 0.0))
    return row(visitors, replicas, began + arrive, began + (kill_after if replicas > 1 else arrive + seconds), memory)


def main() -> None:
    """Print the table, each row as soon as it is measured."""
    parser = programs.arguments(__doc__)
    parser.add_argument("--visitors", type=int, nargs="+", default=[30, 40])
    parser.add_argument("--replicas", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--arrive", type=float, default=10.0)
    parser.add_argument("--seconds", type=float, default=40.0)
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|", flush=True)
    for replicas in options.replicas:
        for count in options.visitors:
            print("| " + " | ".join(measured(count, replicas, options.arrive, options.seconds)) + " |", flush=True)


if __name__ == "__main__":
    main()
