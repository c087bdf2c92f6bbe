"""Visitors in Play over the routes of the run, on this machine.

    python -m tests.benchmarks.play [--visitors 40] [--speed 5] [--seconds 20]

A process serves the routes behind the gate, without Streamlit, with a session for each visitor. Each visitor reads a stream and says what
it has drawn, as the live view does; another visitor presses Step and Back. Printed: steps a second of all and of the slowest visitor,
seconds from a press to its answer, the server's processor time for a step, its memory. The visitors use the same processors as the server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

import psutil

from tests.benchmarks import programs
from tests.benchmarks.run_client import RunClient
from tests.browser.conftest import free_port

SERVE, PAUSE = "--serve", 0.25  # seconds between two presses


def serve(port: int, visitors: int) -> None:
    """Serve the routes with a session for each visitor and one more; print their keys."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.middleware import Middleware

    from core.backends import compiled
    from pages.ui.live import routes
    from pages.ui.server.gate import Gate
    from pages.ui.session import current, live_state
    from pages.ui.session.state import Session, acting_for

    compiled.start()
    compiled.wait()
    sessions = [Session() for _visitor in range(visitors + 1)]
    for number, session in enumerate(sessions):
        session.fields.to_set["seed"] = number
        with acting_for(session):
            current.begin()
        live_state.OPEN.add(session)
    sys.stdout.write(json.dumps([session.live.key for session in sessions]) + "\n")
    sys.stdout.flush()
    app = Starlette(routes=routes.ROUTES, middleware=[Middleware(Gate)])
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", lifespan="off")


@dataclass
class Hall:
    """What was measured. drawn: steps of each visitor. presses: seconds from each press of the other visitor to its answer."""

    port: int
    drawn: Counter[int] = field(default_factory=Counter)
    presses: list[float] = field(default_factory=list)
    counts: bool = False
    is_over: bool = False


async def player(hall: Hall, place: int, key: str, speed: float) -> None:
    """Play without an end: at the end of a text begin again with another seed."""
    visitor = RunClient(hall.port, key)
    await visitor.press("play", speed=speed)
    async for shown in visitor.events():
        if hall.is_over:
            return
        hall.drawn[place] += hall.counts and bool(shown["text"]["tokens"])
        if not shown["playing"] and shown["ended"]:
            await visitor.press("seed")
            await visitor.press("play", speed=speed)


async def presser(hall: Hall, key: str) -> None:
    """Press Step and Back in turn."""
    visitor = RunClient(hall.port, key)
    while not hall.is_over:
        began = time.perf_counter()
        await visitor.press("back" if visitor.number % 2 else "step")
        if hall.counts:
            hall.presses.append(time.perf_counter() - began)
        await asyncio.sleep(PAUSE)


async def evening(hall: Hall, keys: list[str], speed: float, seconds: float, server: psutil.Process) -> float:
    """Let all play, and return the server's processor seconds."""
    tasks = [asyncio.create_task(player(hall, place, key, speed)) for place, key in enumerate(keys[1:])]
    tasks.append(asyncio.create_task(presser(hall, keys[0])))
    await asyncio.sleep(3)
    before = server.cpu_times()
    hall.counts = True
    await asyncio.sleep(seconds)
    hall.counts = False
    after = server.cpu_times()
    hall.is_over = True
    await asyncio.gather(*tasks)
    return after.user + after.system - before.user - before.system


def main() -> None:
    """Run and print what was measured."""
    parser = programs.arguments(__doc__)
    parser.add_argument("--visitors", type=int, default=40)
    parser.add_argument("--speed", type=float, default=5.0, help="steps a second of each visitor, 0 for as fast as it goes")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument(SERVE, type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.visitors)
        return
    port = free_port()
    command = [sys.executable, "-m", "tests.benchmarks.play", SERVE, str(port), "--visitors", str(options.visitors)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            keys = json.loads(next(line for line in server.stdout if line.startswith("[")))
            hall, process = Hall(port), psutil.Process(server.pid)
            while not any(entry.status == psutil.CONN_LISTEN for entry in process.net_connections()):
                time.sleep(0.1)
            used = asyncio.run(evening(hall, keys, options.speed, options.seconds, process))
            memory = process.memory_info().rss / 1e6
        finally:
            server.terminate()
    steps = [hall.drawn[place] / options.seconds for place in range(options.visitors)]
    asked = f"{options.visitors * options.speed:.0f} asked" if options.speed else "as fast as it goes"
    print(f"{options.visitors} visitors: {sum(steps):.1f} steps a second ({asked}), {min(steps):.2f} to {max(steps):.2f} each")
    programs.tell("another visitor's press", hall.presses)
    print(f"  processor time of the server       {1000 * used / max(1, sum(hall.drawn.values())):.2f} ms a step, the presses included")
    print(f"  memory of the server               {memory:.0f} MB")


if __name__ == "__main__":
    main()
