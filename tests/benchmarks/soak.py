"""A soak: an hour's worth of mixed visitors in ten minutes, and whether everything is afterwards as it was before.

    python -m tests.benchmarks.soak [--visitors 12] [--seconds 600]

Real sessions over websockets come, open a page, play for a while, turn to another page, and go: politely, in the middle of an answer, or by
falling silent; some send strange links, some bytes that are no message at all. Printed: visits, errors, memory of the process after a
first round and at the end (its middle over ten seconds each), threads and sockets before anybody came and after everybody had gone. Leaves
with 1 if there was an error, or memory grew by more than 5 %, or threads or sockets stayed.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import urlencode

import numpy as np
import psutil
from websockets.exceptions import ConnectionClosed

from pages.ui import features
from tests import protocol
from tests.benchmarks import programs
from tests.benchmarks.crowd import Times, Visitor
from tests.browser.conftest import free_port

WARM = 0.25  # of the time, after which memory should stand still
GONE = 45.0  # seconds after which a session that was left is forgotten (server.disconnectedSessionTTL, and a little)
MOST_GROWTH = 0.05
SLACK_THREADS, SLACK_SOCKETS = 4, 4
STRANGE = (
    {"temperature": "banana", "steps": "r9.f-1", "model": "../../etc"},
    {"prompt": "x" * 20_000},
    {"prompt": "\u0000\ud7ff\u200b" * 50, "seed": "-5"},
    {"model": "http://u:p@169.254.169.254", "as_chat": "true"},
)


@dataclass
class Seen:
    """What the visitors saw."""

    visits: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    answers: Times = field(default_factory=list)
    steps: int = 0


async def _visit(number: int, address: str, dice: random.Random, seen: Seen) -> None:
    """One visit, of one kind."""
    kind = dice.choices(("plays", "reads", "strange", "breaks off", "silent", "noise"), (5, 4, 2, 2, 1, 1))[0]
    seen.visits[kind] += 1
    visitor = Visitor(number)
    async with protocol.websocket(address) as line:
        if kind == "noise":
            await line.send(dice.randbytes(200))
            await line.wait_closed()
            return
        if kind == "silent":
            await asyncio.sleep(dice.uniform(1, 5))
            return
        query = urlencode(dice.choice(STRANGE), errors="surrogatepass") if kind == "strange" else visitor.query
        await visitor.ask(line, seen.answers, query=query)
        if kind == "breaks off":
            await line.send(protocol.rerun(visitor.query))
            return  # in the middle of an answer
        if kind == "plays" and visitor.key:
            await visitor.play(line, time.monotonic() + dice.uniform(2, 8), "127.0.0.1")
            seen.steps += len(visitor.steps)
        for _ in range(dice.randint(1, 3)):
            await visitor.ask(line, seen.answers, page=dice.choice(features.paths()), query=query)
    seen.errors += visitor.errors


async def _come_and_go(number: int, address: str, until: float, seen: Seen) -> None:
    dice = random.Random(number)
    while time.monotonic() < until:
        try:
            await _visit(number, address, dice, seen)
        except (ConnectionClosed, OSError, TimeoutError) as error:
            seen.errors.append(f"{type(error).__name__}: {error}"[:200])
        await asyncio.sleep(dice.uniform(0.1, 1.0))


async def _soak(port: int, count: int, seconds: float, process: psutil.Process) -> tuple[Seen, list[tuple[float, float]]]:
    seen, held, began = Seen(), [], time.monotonic()
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    crowd = asyncio.ensure_future(asyncio.gather(*(_come_and_go(number, address, began + seconds, seen) for number in range(count))))
    while not crowd.done():
        held.append((time.monotonic() - began, process.memory_info().rss / 1e6))
        await asyncio.wait([crowd], timeout=1.0)
    crowd.result()
    return seen, held


def _standing(process: psutil.Process) -> tuple[int, int]:
    """Threads and open sockets of the process."""
    return process.num_threads(), len(process.net_connections("tcp"))


def main() -> None:
    """Run it, print what it saw, and say whether all is as it was."""
    parser = programs.arguments(__doc__)
    parser.add_argument("--visitors", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=600.0)
    options = parser.parse_args()
    port = free_port()
    with programs.app(port) as process:
        asyncio.run(_soak(port, 1, 5.0, process))  # the model is loaded, every page was imported once
        time.sleep(5.0)
        before = _standing(process)
        seen, held = asyncio.run(_soak(port, options.visitors, options.seconds, process))
        time.sleep(GONE)
        after = _standing(process)
    table = np.array(held)
    warm = float(np.median(table[(table[:, 0] > options.seconds * WARM)][:10, 1]))
    late = float(np.median(table[-10:, 1]))
    print(f"{options.visitors} at a time for {options.seconds:.0f} s: {sum(seen.visits.values())} visits, {seen.steps} steps")
    print(f"  of every kind    {dict(seen.visits)}")
    programs.tell("an answer", [took for _when, took in seen.answers])
    programs.tell_errors(seen.errors)
    print(f"  memory           {warm:.0f} MB when warm, {late:.0f} MB at the end ({late / warm - 1:+.1%})")
    print(f"  threads, sockets {before} before, {after} after everybody had gone")
    stayed = after[0] > before[0] + SLACK_THREADS or after[1] > before[1] + SLACK_SOCKETS
    sys.exit(1 if seen.errors or late > warm * (1 + MOST_GROWTH) or stayed else 0)


if __name__ == "__main__":
    main()
