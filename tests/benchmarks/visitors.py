"""Many visitors at once: real sessions over websockets, all in Play, on one or more processes.

    python -m tests.benchmarks.visitors [--visitors 30] [--arrive 15] [--seconds 45] [--replicas 1] [--proxy] [--kill] [--training]
                                        [--newcomers 20]

Starts the app on free ports of this machine. The visitors arrive one after another within --arrive seconds (0: in the same moment), open
the page over a websocket, then press Restart and Play by the routes of the live view at five steps a second, and press Pause and Play every
eight seconds. Printed: seconds from one step to the next, from a press to its answer, and for opening the page, while they arrive and when
all are there; steps a second for all; errors; processor and memory of all processes together.

--proxy: nginx with the configuration of `deploy/` in front, every visitor with an address of their own. --kill: one of several replicas is
killed in the middle; printed is how long its visitors waited until another one drew their page. --training: one more visitor trains a copy
of the model all the time. --newcomers: so many more open the page, one every second, once all the others are there, and leave.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil

from tests.benchmarks import programs
from tests.benchmarks.crowd import Visitor, visit
from tests.browser.conftest import free_port
from tests.nginx import nginx_command


@contextmanager
def running(replicas: int, proxy: bool) -> Iterator[tuple[list[psutil.Process], list[int]]]:
    """Yield the processes of the app, and the ports that visitors use."""
    ports = [free_port() for _ in range(replicas)]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as started:
        apps = [started.enter_context(programs.app(port)) for port in ports]
        for port in ports:  # the model is loaded and each page compiled once
            asyncio.run(crowd([port], [Visitor(0)], 0.0, 5.0))
        if proxy:
            front = free_port()
            command = nginx_command(Path(folder), front, [f"127.0.0.1:{port}" for port in ports])
            started.enter_context(programs.program([*command, "-g", "daemon off;"]))
            programs.wait_for(f"http://127.0.0.1:{front}/_stcore/health")
            ports = [front]
        yield apps, ports


async def crowd(ports: list[int], visitors: list[Visitor], arrive: float, seconds: float, newcomers: int = 0) -> None:
    """Let these visitors arrive within some seconds and stay for some more. The last `newcomers` of them only open the page."""
    until = time.monotonic() + arrive + seconds
    addresses = [f"ws://127.0.0.1:{port}/_stcore/stream" for port in ports]
    visits: list[Awaitable[None]] = []
    for place, visitor in enumerate(visitors):
        is_new = place >= len(visitors) - newcomers
        after = arrive + place - (len(visitors) - newcomers) if is_new else arrive * place / len(visitors)
        visits.append(visit(visitor, addresses, f"127.0.{1 + place % 250}.1", after, until, leaves=is_new))
    await asyncio.gather(*visits)


async def observed(visits: Awaitable[None], apps: list[psutil.Process], kill_after: float) -> tuple[list[float], float]:
    """Return the memory of all processes at every second, in MB, and their processor seconds. kill_after: 0 for never."""
    memory, used = [], {app.pid: sum(app.cpu_times()[:2]) for app in apps}
    before, began = sum(used.values()), time.monotonic()
    together = asyncio.ensure_future(visits)
    while not together.done():
        for app in apps:
            used[app.pid] = sum(app.cpu_times()[:2])
        memory.append(sum(app.memory_info().rss for app in apps) / 1e6)
        if kill_after and time.monotonic() - began > kill_after:
            apps[0].kill()
            apps, kill_after = apps[1:], 0.0
        await asyncio.wait([together], timeout=1.0)
    together.result()
    return memory, sum(used.values()) - before


def _report(visitors: list[Visitor], all_there: float, took: float) -> None:
    steps = [step for visitor in visitors if not visitor.teaches for step in visitor.steps]
    presses = [press for visitor in visitors if not visitor.teaches for press in visitor.presses]
    players = sum(1 for visitor in visitors if visitor.steps and not visitor.teaches)
    print(f"  steps drawn      {len(steps)} ({len(steps) / took:.0f}/s for all, {len(steps) / took / max(1, players):.1f}/s each)")
    openings = [one for visitor in visitors for one in visitor.openings]
    for name, times in (("step to step", steps), ("press to answer", presses), ("page opened", openings)):
        programs.tell(f"{name}, arriving", [took for when, took in times if when < all_there])
        programs.tell(f"{name}, all there", [took for when, took in times if when >= all_there])
    programs.tell("back after a killed replica", [took for visitor in visitors for _when, took in visitor.returns])
    kept = [one for visitor in visitors for one in visitor.kept_text]
    if kept:
        print(f"  with their text  {sum(kept)} of {len(kept)}")
    for teacher in (visitor for visitor in visitors if visitor.teaches):
        print(f"  trainings        {teacher.starts} of 20 steps begun, {len(teacher.steps)} draws of them")
    programs.tell_errors([error for visitor in visitors for error in visitor.errors])


def main() -> None:
    """Run the crowd and print what it measured."""
    parser = programs.arguments(__doc__)
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--arrive", type=float, default=15.0)
    parser.add_argument("--seconds", type=float, default=45.0)
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--newcomers", type=int, default=0)
    for flag in ("--proxy", "--kill", "--training"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args()
    with running(options.replicas, options.proxy) as (apps, ports):
        count = options.visitors + options.training + options.newcomers
        visitors = [Visitor(number, teaches=options.training and number == options.visitors) for number in range(count)]
        began = time.monotonic()
        kill_after = options.arrive + options.seconds / 2 if options.kill else 0.0
        together = crowd(ports, visitors, options.arrive, options.seconds, options.newcomers)
        memory, processor = asyncio.run(observed(together, apps, kill_after))
        took = time.monotonic() - began
    where = f"{options.replicas} process{'es' * (options.replicas > 1)}{' behind nginx' * options.proxy}"
    print(f"{options.visitors} visitors in Play on {where}, {took:.0f} s on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    _report(visitors, began + options.arrive, took)
    print(f"  processor        {processor / took:.2f} of a core")
    print(f"  memory           {memory[0]:.0f} MB before, {max(memory):.0f} MB at most, {memory[-1]:.0f} MB at the end")


if __name__ == "__main__":
    main()
