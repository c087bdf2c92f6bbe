"""Attacks on a public instance of this app, and what another visitor sees of them.

    python -m tests.attack [--quick] [--only NAME] [--port 0]

Starts a public instance on this machine. Another visitor presses buttons on Watch all the time, in a process of their own. Each attack
prints one line: held or not, its seconds, the slowest answer that the other visitor saw, and the memory of the instance before and after.
The exit status is 1 if an attack did not hold or the slowest answer took longer than half a second.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import psutil

from tests.attack import attacks
from tests.browser.conftest import free_port, running_app

ROOT = Path(__file__).parents[2]
SLOWEST = 0.5  # seconds of an answer to another visitor
LONGEST = 240.0  # seconds of one attack


@dataclass
class Bystander:
    """Another visitor. answers: the time of each press and the seconds to the end of its answer."""

    process: subprocess.Popen[str]
    answers: list[tuple[float, float]] = field(default_factory=list)

    def read(self) -> None:
        """Read the answers until the visitor leaves."""
        for line in self.process.stdout or ():
            began, took = map(float, line.split())
            self.answers.append((began, took))

    def slowest(self, began: float) -> float:
        """Return the slowest answer since this time. A press without an answer counts until now."""
        since = [(at, took) for at, took in self.answers if at + took >= began]
        last = self.answers[-1] if self.answers else (began, 0.0)
        return max([took for _at, took in since] + [time.monotonic() - sum(last) - 0.2])


@contextmanager
def bystander(address: str) -> Iterator[Bystander]:
    """Yield another visitor who is there and has had some answers."""
    command = [sys.executable, "-m", "tests.attack.visitor", address]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    found = Bystander(process)
    Thread(target=found.read, daemon=True).start()
    try:
        while len(found.answers) < 10:
            if process.poll() is not None:
                raise SystemExit("The other visitor could not open the page.")
            time.sleep(0.1)
        yield found
    finally:
        process.terminate()
        process.wait(10)


def memory(port: int) -> float:
    """Return the memory in MB of the process that listens on this port."""
    for one in psutil.process_iter(["pid", "cmdline"]):
        if {"streamlit", str(port)} <= set(one.info["cmdline"] or ()):
            return float(one.memory_info().rss) / 1e6
    return 0.0


def attack(name: str, how: attacks.Attack, address: str, other: Bystander) -> bool:
    """Run one attack and print its line. Return whether it held."""
    port, began = int(address.rpartition(":")[2]), time.monotonic()
    before, why = memory(port), ""
    try:
        held = asyncio.run(asyncio.wait_for(how(address), LONGEST))
    except Exception as error:
        held, why = False, f" ({type(error).__name__}: {error})"[:120]
    time.sleep(1.0)
    took, slowest = time.monotonic() - began, other.slowest(began)
    held = held and other.process.poll() is None
    says = "held" if held and slowest <= SLOWEST else "held, slow" if held else "NOT HELD"
    print(f"{name:<16} {says:<10} {took:5.1f} s, others {slowest:5.2f} s, {before:.0f} -> {memory(port):.0f} MB{why}", flush=True)
    return says == "held"


@contextmanager
def instance(port: int = 0, opened: bool = True) -> Iterator[str]:
    """Start a public instance behind a proxy on this machine and yield its address. opened: after it has opened its pages itself."""
    environment = {
        "TOKEN_VIEWER_PUBLIC": "1",
        "TOKEN_VIEWER_OPERATOR_PASSWORD": attacks.PASSWORD,
        "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "5",
    }
    with running_app(port or free_port(), **environment) as address:
        while opened and not _is_ready(address):
            time.sleep(0.2)
        yield address


def _is_ready(address: str) -> bool:
    try:
        return urllib.request.urlopen(f"{address}/healthz", timeout=5).status == 200
    except OSError:
        return False


def main() -> int:
    """Run the attacks. Return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only the five shortest")
    parser.add_argument("--only", default="", help="only this attack")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    chosen = {name: how for name, how in attacks.some(options.quick).items() if options.only in ("", name)}
    with instance(options.port) as address, bystander(address) as other:
        time.sleep(3.0)
        print(f"{'without attack':<16} {'':<10} {3.0:5.1f} s, others {other.slowest(time.monotonic() - 3.0):5.2f} s", flush=True)
        held = [attack(name, how, address, other) for name, how in chosen.items()]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
