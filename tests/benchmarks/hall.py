"""A hall votes: phones in one room over HTTP, and a presenter over a websocket, on this machine.

    python -m tests.benchmarks.hall [--phones 150] [--arrive 10] [--tap 5] [--seconds 20]

The phones open the page within --arrive seconds and ask every two seconds what to show, as their script does. Then all of them tap within
--tap seconds, and once more after a pause. Meanwhile the presenter presses a key every 0.7 s and the wall asks for the counts every 0.4 s.
Printed: seconds from a tap to its confirmation, by which the wall's count lags behind the confirmed votes, of a press to the end of its
answer; errors; memory for each phone. The phones use the same processors as the app.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from dataclasses import dataclass, field
from typing import Any

import psutil
from websockets.asyncio.client import ClientConnection

from tests import protocol
from tests.benchmarks import programs
from tests.benchmarks.crowd import UNANSWERED
from tests.benchmarks.run_client import Connection, RunClient
from tests.browser.conftest import free_port

POLL, WALL, PRESS = 2.0, 0.4, 0.7  # seconds
WARM = 12.0  # seconds in which the app itself grows after its start
STAGE = "-stage_view"


@dataclass
class Hall:
    """What was measured. confirmed: when each vote was confirmed. counted: when the wall read which number of votes."""

    port: int
    code: str = ""
    key: str = ""
    number: int = 0
    taps: list[float] = field(default_factory=list)
    confirmed: list[float] = field(default_factory=list)
    counted: list[tuple[float, int]] = field(default_factory=list)
    presses: list[float] = field(default_factory=list)
    openings: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    is_over: asyncio.Event = field(default_factory=asyncio.Event)
    tap_at: asyncio.Future[float] | None = None


class Browser(Connection):
    """A browser in the hall. It keeps its cookie and notes the answers that are not 200."""

    def __init__(self, hall: Hall, **headers: str) -> None:
        super().__init__(hall.port, **headers)
        self.hall, self.lock = hall, asyncio.Lock()

    async def ask(self, path: str, body: bytes = b"") -> Any:
        """Return the JSON of an answer, or the size of a page."""
        async with self.lock:
            head, content = await self.answer(self.request("POST" if body else "GET", path, body))
        if cookie := re.search(r"set-cookie: ([^;]+)", head, re.I):
            self.headers["Cookie"] = cookie[1]
        if " 200 " not in head.splitlines()[0]:
            self.hall.errors.append(f"{path.partition('?')[0]}: {head.splitlines()[0]} {content[:80]!r}")
        return json.loads(content) if "application/json" in head else len(content)


async def phone(hall: Hall, arrive: float, tap: float, rounds: int) -> None:
    """Open the page, ask every two seconds and tap in each round."""
    await asyncio.sleep(random.uniform(0, arrive))
    browser = Browser(hall)
    began = time.monotonic()
    await browser.ask(f"/vote?room={hall.code}")
    state = await browser.ask(f"/vote/now?room={hall.code}&seen=")
    hall.openings.append(time.monotonic() - began)
    tapping = asyncio.create_task(taps(hall, browser, len(state["question"]["options"]), tap, rounds))
    while not hall.is_over.is_set():
        await asyncio.sleep(POLL * random.uniform(0.9, 1.1))
        await browser.ask(f"/vote/now?room={hall.code}&seen={state['version']}")
    await tapping


async def taps(hall: Hall, browser: Browser, options: int, tap: float, rounds: int) -> None:
    """Tap once in each round, at a random moment of it."""
    for turn in range(rounds):
        assert hall.tap_at is not None
        start = await hall.tap_at + turn * (tap + 3)
        await asyncio.sleep(max(0.0, start + random.uniform(0, tap) - time.monotonic()))
        began = time.monotonic()
        answer = await browser.ask(
            f"/vote?room={hall.code}", json.dumps({"number": hall.number, "option": random.randrange(options)}).encode()
        )
        if turn == 0 and "mine" in answer:
            hall.confirmed.append(time.monotonic())
        hall.taps.append(time.monotonic() - began)


async def wall(hall: Hall) -> None:
    """Ask for the counts as the stage does."""
    browser = Browser(hall, **{"X-Room-Key": hall.key})
    while not hall.is_over.is_set():
        counts = await browser.ask(f"/vote/now?room={hall.code}")
        hall.counted.append((time.monotonic(), counts["votes"]))
        await asyncio.sleep(WALL)


class Presenter(protocol.Page):
    """The stage: its page over a websocket, its keys over the routes of the run."""

    def __init__(self, line: ClientConnection, hall: Hall) -> None:
        self.line, self.hall = line, hall
        self.data: dict[str, Any] = {}

    def see(self, element: Any, fragment: str) -> None:
        if element.WhichOneof("type") == "bidi_component" and element.bidi_component.id.endswith(STAGE):
            self.data = json.loads(element.bidi_component.json)

    async def open(self) -> None:
        """Open the stage and a vote."""
        await self.line.send(protocol.rerun("prompt=The+dog+ran+to+the&seed=7", "stage"))
        await self.heard(self.line, UNANSWERED)
        self.run = RunClient(self.hall.port, self.data["run_key"])
        await self.press("vote")

    async def press(self, verb: str, **event: object) -> float:
        """Send a key and return the seconds to its answer."""
        began, number = time.monotonic(), self.run.number + 1
        self.data |= await self.run.press("act", event={"do": verb, "number": number, **event})
        assert self.data["did"] == number, "the key was not handled"
        return time.monotonic() - began


async def presenter(hall: Hall, opened: asyncio.Event) -> None:
    """Open the stage and the vote, then press a key again and again."""
    async with protocol.websocket(f"http://127.0.0.1:{hall.port}") as line:
        stage = Presenter(line, hall)
        await stage.open()
        hall.code, hall.key, hall.number = stage.data["room"]["code"], stage.data["room"]["key"], stage.data["vote"]["number"]
        opened.set()
        while not hall.is_over.is_set():
            hall.presses.append(await stage.press("look", at=0))
            await asyncio.sleep(PRESS)


def lags(hall: Hall) -> list[float]:
    """Return for each confirmed vote the seconds until the wall had read as many."""
    seen = []
    for count, moment in enumerate(sorted(hall.confirmed), start=1):
        seen.append(max(0.0, next(when for when, votes in hall.counted if votes >= count) - moment))
    return seen


async def evening(hall: Hall, phones: int, arrive: float, tap: float, seconds: float, app: psutil.Process) -> float:
    """Let the hall vote, and return the memory that each phone cost, in MB."""
    opened, hall.tap_at = asyncio.Event(), asyncio.get_running_loop().create_future()
    lead = asyncio.create_task(presenter(hall, opened))
    await asyncio.wait([lead, waits := asyncio.create_task(opened.wait())], return_when=asyncio.FIRST_COMPLETED)
    if not waits.done():
        await lead
    await asyncio.sleep(WARM)
    before = app.memory_info().rss
    tasks = [lead, asyncio.create_task(wall(hall)), *(asyncio.create_task(phone(hall, arrive, tap, 2)) for _phone in range(phones))]
    await asyncio.sleep(arrive + 2)
    hall.tap_at.set_result(time.monotonic())
    await asyncio.sleep(max(seconds, 2 * tap + 5))
    grown = app.memory_info().rss - before
    hall.is_over.set()
    await asyncio.gather(*tasks)
    return grown / 1e6 / phones


def main() -> None:
    """Run the hall and print what it measured."""
    parser = programs.arguments(__doc__)
    parser.add_argument("--phones", type=int, default=150)
    for name, usual in (("arrive", 10.0), ("tap", 5.0), ("seconds", 20.0)):
        parser.add_argument(f"--{name}", type=float, default=usual)
    options = parser.parse_args()
    hall = Hall(free_port())
    with programs.app(hall.port) as process:
        memory = asyncio.run(evening(hall, options.phones, options.arrive, options.tap, options.seconds, process))
    print(f"{options.phones} phones, {len(hall.confirmed)} votes in the first round")
    for name, values in (
        ("page opened", hall.openings),
        ("tap to confirmation", hall.taps),
        ("the wall's count lags", lags(hall)),
        ("presenter's press to answer", hall.presses),
    ):
        programs.tell(name, values)
    print(f"  memory for each phone              {memory:.2f} MB")
    programs.tell_errors(hall.errors)


if __name__ == "__main__":
    main()
