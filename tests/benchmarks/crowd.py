"""Visitors who speak the browser's protocol over a websocket. Nothing is drawn, so what they measure is the server."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, urlencode

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus

from pages.ui.i18n.example_texts import EXAMPLES
from tests import protocol
from tests.benchmarks.run_client import RunClient

UNANSWERED = 30.0  # seconds after which a request counts as unanswered
PAUSE = 8.0  # seconds between two presses of one visitor in Play
ADDRESSES = ("-address", "-address_stage")  # ends of the ids of the components that write the browser's address
PLAYER = "-live_player"  # end of the id of the player
PROGRESS = "_progress"  # end of the ids of the components that ask for a part of the page
RETRY = 0.5  # seconds after which a visitor without a server tries again
LABELS = {"Teach": "teach", "Go on": "go_on"}
WRITTEN = 1.0  # seconds between two writings of the address in Play
SPEED = 5.0  # steps a second of each visitor in Play

Times = list[tuple[float, float]]  # when something was asked (time.monotonic), and the seconds to the end of the answer


@dataclass
class Visitor(protocol.Page):
    """One session and what it measured. key: opens the routes of its run, over which it plays.

    teaches: trains a copy of the model instead of playing; it presses buttons (ids by name) and asks for parts of its page in progress (by
    their keys: the fragment, and the number that is drawn).
    """

    number: int
    teaches: bool = False
    buttons: dict[str, str] = field(default_factory=dict)
    parts: dict[str, tuple[str, float]] = field(default_factory=dict)
    page: str = ""
    key: str = ""
    address: str = ""  # the query of the browser's address, as the app writes it at every step
    openings: Times = field(default_factory=list)
    returns: Times = field(default_factory=list)  # after a lost connection
    kept_text: list[bool] = field(default_factory=list)  # for each return, whether the steps of the text were the same
    steps: Times = field(default_factory=list)  # of a player, the seconds since the step before
    presses: Times = field(default_factory=list)
    starts: int = 0
    errors: list[str] = field(default_factory=list)

    @property
    def query(self) -> str:
        """The query of the visitor's address. Every visitor begins with a text and a seed of their own."""
        if self.address:
            return self.address
        prompts = list(EXAMPLES.prompts.values())
        return urlencode({"prompt": prompts[self.number % len(prompts)], "seed": self.number, "temperature": 0.8})

    @property
    def text(self) -> str:
        """The steps of the visitor's text, as the address has them."""
        return dict(parse_qsl(self.address)).get("steps", "")

    def begin(self, message: protocol.ForwardMsg) -> None:
        if not message.metadata.run.fragment_ids:  # a run of the whole page draws all parts
            self.parts.clear()

    def see(self, element: Any, fragment: str) -> None:
        kind = element.WhichOneof("type")
        if kind == "button" and element.button.label in LABELS:
            self.buttons[LABELS[element.button.label]] = element.button.id
        elif kind == "bidi_component" and element.bidi_component.id.endswith(ADDRESSES):
            written = json.loads(element.bidi_component.json)
            self.address = written["stored"] or written["query"]
        elif kind == "bidi_component" and element.bidi_component.id.endswith(PLAYER):
            self.key = json.loads(element.bidi_component.json)["run_key"]
        elif kind == "bidi_component" and element.bidi_component.id.endswith(PROGRESS):
            shown = json.loads(element.bidi_component.json)
            self.key, self.parts[shown["part"]] = shown["run_key"], (fragment, shown["number"])
        elif kind == "exception":
            self.errors.append(element.exception.message[:200])

    async def ask(self, line: ClientConnection, times: Times, press: str = "", part: str = "", page: str = "", query: str = "") -> None:
        """Send a request, hear its answer and append its time. page: another one to open. Raises TimeoutError, ConnectionClosed."""
        name = page or ("teach" if self.teaches and not self.page else "")
        began = time.monotonic()
        await line.send(protocol.rerun(query or self.query, name, "" if name else self.page, press, part))
        await self.heard(line, UNANSWERED)
        times.append((began, time.monotonic() - began))

    async def stay(self, line: ClientConnection, until: float, source: str) -> None:
        """Play or teach until this time. source: this visitor's own IP address."""
        await (self.learn(line, until, source) if self.teaches else self.play(line, until, source))

    async def play(self, line: ClientConnection, until: float, source: str) -> None:
        """Play over the routes, begin again when a text ends, and pause for a moment now and then. Leaves with its websocket."""
        client, before = RunClient(line.remote_address[1], self.key, source), 0.0
        next_press = time.monotonic() + PAUSE * (1 + self.number % 7 / 7)
        next_written, gone = time.monotonic() + WRITTEN, asyncio.create_task(line.wait_closed())
        try:
            await self.press(client, "restart")
            await self.press(client, "play", speed=SPEED)
            self.starts += 1
            events = client.events()
            while time.monotonic() < until:
                coming = asyncio.ensure_future(anext(events))
                await asyncio.wait({coming, gone}, timeout=UNANSWERED, return_when=asyncio.FIRST_COMPLETED)
                if gone.done() or not coming.done():
                    coming.cancel()
                    raise TimeoutError if not gone.done() else ConnectionResetError
                shown, now = coming.result(), time.monotonic()
                if shown["text"]["tokens"] and before:
                    self.steps.append((now, now - before))
                before = now
                if now > next_written:
                    self.address, next_written = await client.address(), now + WRITTEN
                if not shown["playing"] and shown["ended"]:
                    await self.press(client, "seed")
                    await self.press(client, "play", speed=SPEED)
                    before = 0.0
                elif now > next_press:
                    await self.press(client, "pause")
                    await self.press(client, "play", speed=SPEED)
                    next_press, before = now + PAUSE, 0.0
        finally:
            gone.cancel()
            client.close()

    async def press(self, client: RunClient, verb: str, **more: Any) -> None:
        """Press, and note the seconds to the answer."""
        began = time.monotonic()
        await client.press(verb, **more)
        self.presses.append((began, time.monotonic() - began))

    async def learn(self, line: ClientConnection, until: float, source: str) -> None:
        """Train a copy of the model until this time, and ask for the parts of the page that have advanced."""
        while time.monotonic() < until:
            await self.ask(line, self.presses, press=self.buttons.get("go_on") or self.buttons["teach"])
            self.starts += 1
            async for numbers in RunClient(line.remote_address[1], self.key, source).stream("/run/progress"):
                for part, (fragment, drawn) in list(self.parts.items()):
                    if numbers.get(part, drawn) != drawn:
                        await self.ask(line, self.steps, part=fragment)
                if not self.parts or time.monotonic() > until:
                    break


async def visit(visitor: Visitor, addresses: Sequence[str], source: str, after: float, until: float, leaves: bool = False) -> None:
    """Open the page after some seconds and play until a time. If the connection is lost, open it again with the same link.

    addresses: of the servers; after a lost connection the next one is tried, as a balancer does. source: this visitor's own IP address.
    leaves: only opens the page.
    """
    await asyncio.sleep(after)
    lost, text = 0.0, ""  # when the connection was lost, and the text at that time
    for attempt in count():
        target = addresses[(visitor.number + attempt) % len(addresses)]
        try:
            async with protocol.websocket(target, local_addr=(source, 0)) as line:
                await visitor.ask(line, [] if lost else visitor.openings)
                if lost:
                    visitor.returns.append((lost, time.monotonic() - lost))
                    visitor.kept_text.append(visitor.text == text)
                    lost = 0.0
                if not leaves:
                    await visitor.stay(line, until, source)
                return
        except (ConnectionClosed, InvalidMessage, InvalidStatus, OSError, EOFError, StopAsyncIteration):
            if time.monotonic() > until:
                return
            if not lost:
                lost, text = time.monotonic(), visitor.text
            visitor.page, visitor.key, visitor.parts, visitor.buttons = "", "", {}, {}
            await asyncio.sleep(RETRY)
        except (TimeoutError, KeyError) as error:
            visitor.errors.append(f"{type(error).__name__}: {error}"[:200])
            return
