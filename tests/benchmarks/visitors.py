"""Many visitors at once: real sessions over websockets, all in Play, one process, one model.

    python -m tests.benchmarks.visitors [--visitors 30] [--seconds 60] [--training] [--newcomers 20] [--replicas 1]

Starts the app on a free port of this machine and opens N sessions that speak the browser's own protocol: each asks for the page, presses
Play, and from then on answers the server's clock as a browser does. Nothing is drawn, so what is measured is the server: seconds from a
tick to the last word of its answer (a step: forward pass, dice, record, tables, charts, all as bytes), the same for opening the page and
pressing a button in the crowd, steps a second for all, errors, runs lost, memory of the process before, when all were there and at the end.
With --training one more visitor teaches a copy of the model all the while, twenty steps at a press. With --newcomers so many
more open the page, one every second once all the others play, look at it and leave. With --replicas so many processes
share the visitors, as behind a balancer that keeps each one where they are; processor and memory are then those of all together.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Awaitable
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from pages.ui.components.browser.browser import HEARTBEAT
from pages.ui.i18n import example_texts
from tests import protocol

ROOT = Path(__file__).parents[2]
PATIENCE = 5  # seconds that a visitor who teaches waits for an answer
UNANSWERED = 30.0  # seconds after which a question counts as one that nobody answers
ALL_THERE = 15  # seconds after which everybody has come in and plays


@dataclass
class Visitor:
    """One session and what it saw."""

    number: int
    play: str = ""  # the id of the button
    clocks: dict[str, float] = field(default_factory=dict)  # the parts of the page that draw themselves again, and after how many seconds
    page: str = ""
    steps: list[tuple[float, float]] = field(
        default_factory=list
    )  # when a tick was sent (time.monotonic), seconds to the end of its answer
    presses: list[float] = field(default_factory=list)  # seconds from a press to the end of its answer
    opening: float = 0.0  # seconds from the wish for the page to its last word
    errors: list[str] = field(default_factory=list)
    restart: str = ""
    starts: int = 0
    teach: str = ""  # of a visitor who teaches: the button that begins, and the one that goes on
    go_on: str = ""
    teaches: bool = False
    newcomer: bool = False  # comes when the others are there
    trainings: list[float] = field(default_factory=list)  # seconds from a press to the last of the 20 steps
    began: float = 0.0  # when Teach or Go on was pressed last

    @property
    def query(self) -> str:
        """The link this visitor came in by: every one has a text and dice of their own."""
        prompts = list(example_texts.EXAMPLES.values())
        return urlencode({"prompt": prompts[self.number % len(prompts)], "seed": self.number, "temperature": 0.8})

    @property
    def begins(self) -> tuple[str, ...]:
        """The buttons to press so that something moves: a text that has ended is begun again."""
        if self.teaches:
            return (self.go_on or self.teach,)
        return (self.restart, self.play)

    def hear(self, message: protocol.ForwardMsg) -> bool:
        """Take in one message; whether it was the last of an answer."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.page = message.new_session.page_script_hash
            if not message.metadata.run.fragment_ids:  # a run of the whole page sets all clocks anew, as a browser does
                self.clocks.clear()
        elif kind == "navigation":  # before, it is only known which app it is
            self.page = message.navigation.page_script_hash
        elif kind == "auto_rerun" and message.auto_rerun.interval < HEARTBEAT.total_seconds():  # by that one nothing is drawn
            self.clocks[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "stop_auto_rerun":
            self.clocks.pop(message.stop_auto_rerun.fragment_id, None)
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            if element.WhichOneof("type") == "button" and element.button.label in ("Play", "Pause"):
                self.play = element.button.id
            if element.WhichOneof("type") == "button" and element.button.label == "Restart":
                self.restart = element.button.id
            if element.WhichOneof("type") == "button" and element.button.label == "Teach":
                self.teach = element.button.id
            if element.WhichOneof("type") == "button" and element.button.label == "Go on":
                self.go_on = element.button.id
            if element.WhichOneof("type") == "exception":
                self.errors.append(element.exception.message[:200])
        return protocol.is_end_of_answer(message)


async def _ask(visitor: Visitor, line: ClientConnection, press: str = "", part: str = "") -> None:
    name = "teach" if visitor.teaches and not visitor.page else ""
    await line.send(protocol.rerun(visitor.query, name, visitor.page, press, part))


async def _hear_out(visitor: Visitor, line: ClientConnection) -> None:
    while True:
        if visitor.hear(protocol.read(await line.recv())):
            return


async def _answered(visitor: Visitor, line: ClientConnection, press: str = "", part: str = "") -> float:
    """Ask, and hear the answer out; the seconds it took. Raises TimeoutError."""
    began = time.monotonic()
    await _ask(visitor, line, press, part)
    await asyncio.wait_for(_hear_out(visitor, line), UNANSWERED)
    return time.monotonic() - began


async def visit(visitor: Visitor, address: str, until: float) -> None:
    """Open the page, press Play, and keep playing; press it again when a text has come to its end."""
    async with connect(address, subprotocols=["streamlit"], max_size=None, compression=None) as line:  # type: ignore[list-item]
        visitor.opening = await _answered(visitor, line)
        due: dict[str, float] = {}
        while time.monotonic() < until:
            if not visitor.clocks:
                if visitor.began:
                    visitor.trainings.append(time.monotonic() - visitor.began)
                visitor.began = time.monotonic() if visitor.teaches else 0.0
                for button in visitor.begins:
                    visitor.presses.append(await _answered(visitor, line, press=button))
                due.clear()
                visitor.starts += 1
                if not visitor.clocks:
                    visitor.errors.append("Play did not start")
                    return
            due = {part: due.get(part, time.monotonic() + clock) for part, clock in visitor.clocks.items()}
            part = min(due, key=due.__getitem__)
            await asyncio.sleep(max(0.0, due[part] - time.monotonic()))
            fastest = visitor.clocks[part] == min(visitor.clocks.values())  # the part with the sentence and the odds
            began, interval = time.monotonic(), visitor.clocks[part]
            try:  # what a teacher watches may end between two ticks: then nobody answers
                took = await asyncio.wait_for(_answered(visitor, line, part=part), PATIENCE if visitor.teaches else None)
            except TimeoutError:
                visitor.clocks.clear()
                continue
            if fastest:
                visitor.steps.append((began, took))
            due[part] = began + max(interval, took)


def resident_megabytes(pid: int) -> float:
    """Memory that a process holds, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1000


def _processor_seconds(pid: int) -> float:
    """Processor time a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start_app(port: int) -> subprocess.Popen[bytes]:
    """The app itself, as a visitor's browser would find it."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.address", "127.0.0.1"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1):
                return process
        except OSError:
            time.sleep(0.1)
    process.terminate()
    raise SystemExit("The app did not start within 30 seconds.")


async def look_in(visitor: Visitor, address: str, after: float) -> None:
    """Open the page after so many seconds, and leave."""
    await asyncio.sleep(after)
    async with connect(address, subprotocols=["streamlit"], max_size=None, compression=None) as line:  # type: ignore[list-item]
        visitor.opening = await _answered(visitor, line)


async def _crowd(ports: list[int], count: int, seconds: float, training: bool = False, newcomers: int = 0) -> list[Visitor]:
    addresses = cycle(f"ws://127.0.0.1:{port}/_stcore/stream" for port in ports)
    visitors = [Visitor(number) for number in range(count)] + [Visitor(count, teaches=True)] * training
    until = time.monotonic() + seconds
    visits: list[Awaitable[None]] = [visit(*place, until) for place in zip(visitors, addresses, strict=False)]
    for number in range(newcomers):
        visitors.append(Visitor(count + 1 + number, newcomer=True))
        visits.append(look_in(visitors[-1], next(addresses), ALL_THERE + number))
    outcomes = await asyncio.gather(*visits, return_exceptions=True)
    for visitor, outcome in zip(visitors, outcomes, strict=True):
        if isinstance(outcome, BaseException):
            visitor.errors.append(f"{type(outcome).__name__}: {outcome}"[:200])
    return visitors


async def _weighed(pids: list[int], crowd: Awaitable[list[Visitor]]) -> tuple[list[Visitor], list[float]]:
    """The crowd, and what the processes held together at every second of it, in MB."""
    held = []
    there = asyncio.ensure_future(crowd)
    while not there.done():
        held.append(sum(map(resident_megabytes, pids)))
        await asyncio.wait([there], timeout=1.0)
    return there.result(), held


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def main() -> None:
    """Run the crowd and print what it saw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--training", action="store_true")
    parser.add_argument("--newcomers", type=int, default=0)
    parser.add_argument("--replicas", type=int, default=1)
    options = parser.parse_args()
    ports = [_free_port() for _ in range(options.replicas)]
    apps: list[subprocess.Popen[bytes]] = []
    try:
        apps += map(start_app, ports)
        pids = [app.pid for app in apps]
        for port in ports:
            asyncio.run(_crowd([port], 1, 6))  # the model is loaded once, for everybody
        began, processor = time.monotonic(), sum(map(_processor_seconds, pids))
        visitors, held = asyncio.run(_weighed(pids, _crowd(ports, options.visitors, options.seconds, options.training, options.newcomers)))
        took, processor = time.monotonic() - began, sum(map(_processor_seconds, pids)) - processor
    finally:
        for app in apps:
            app.terminate()
        for app in apps:
            app.wait(10)
    teacher = next((visitor for visitor in visitors if visitor.teaches), None)
    newcomers = [visitor for visitor in visitors if visitor.newcomer]
    visitors = [visitor for visitor in visitors if not (visitor.teaches or visitor.newcomer)]
    steps = np.array([(when - began, seconds) for visitor in visitors for when, seconds in visitor.steps]).reshape(-1, 2)
    errors = [error for visitor in (*visitors, *newcomers, *filter(None, [teacher])) for error in visitor.errors]
    processes = "one process" if options.replicas == 1 else f"{options.replicas} processes"
    print(f"{options.visitors} visitors of {processes} in Play for {took:.0f} s on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"  steps drawn      {len(steps)} ({len(steps) / took:.0f}/s for all, {len(steps) / took / options.visitors:.1f}/s each)")
    _tell("tick to answer", steps[:, 1])
    _tell("  all being there", steps[steps[:, 0] > ALL_THERE, 1])
    _tell("press to answer", np.array([press for visitor in visitors for press in visitor.presses]))
    _tell("page opened", np.array([visitor.opening for visitor in visitors]))
    _tell("  by a newcomer", np.array([visitor.opening for visitor in newcomers]))
    print(f"  errors           {len(errors)} {errors[:3] if errors else ''}")
    if teacher is not None:
        print(f"  trainings        {teacher.starts} of 20 steps begun, {len(teacher.steps)} draws of them")
        _tell("  from the press", np.array(teacher.trainings))
    print(f"  texts begun      {sum(visitor.starts for visitor in visitors)}")
    print(f"  processor        {processor / took:.2f} of a core")
    there = held[min(ALL_THERE, len(held) - 1)]
    print(f"  memory           {held[0]:.0f} MB before, {there:.0f} MB after {ALL_THERE} s, {held[-1]:.0f} MB at the end")


def _tell(name: str, seconds: np.ndarray) -> None:
    if len(seconds):
        p50, p95, p99 = np.percentile(seconds * 1000, [50, 95, 99])
        print(f"  {name:<16} median {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms ({len(seconds)})")


if __name__ == "__main__":
    main()
