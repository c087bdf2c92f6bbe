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

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus

from pages.ui.components.browser.browser import HEARTBEAT
from pages.ui.i18n import example_texts
from tests import protocol

UNANSWERED = 30.0  # seconds after which a request counts as unanswered
PAUSE = 8.0  # seconds between two presses of one visitor in Play
ADDRESSES = ("-address", "-address_stage")  # ends of the ids of the components that write the browser's address
RETRY = 0.5  # seconds after which a visitor without a server tries again
LABELS = {"Play": "play", "Pause": "play", "Restart": "restart", "Teach": "teach", "Go on": "go_on"}

Times = list[tuple[float, float]]  # when something was asked (time.monotonic), and the seconds to the end of the answer


@dataclass
class Visitor:
    """One session and what it measured. buttons: ids by name. clocks: seconds between two draws of each fragment that redraws itself.

    teaches: trains a copy of the model instead of playing.
    """

    number: int
    teaches: bool = False
    buttons: dict[str, str] = field(default_factory=dict)
    clocks: dict[str, float] = field(default_factory=dict)
    page: str = ""
    address: str = ""  # the query of the browser's address, as the app writes it at every step
    openings: Times = field(default_factory=list)
    returns: Times = field(default_factory=list)  # after a lost connection
    kept_text: list[bool] = field(default_factory=list)  # for each return, whether the steps of the text were the same
    steps: Times = field(default_factory=list)
    presses: Times = field(default_factory=list)
    starts: int = 0
    errors: list[str] = field(default_factory=list)

    @property
    def query(self) -> str:
        """The query of the visitor's address. Every visitor begins with a text and a seed of their own."""
        if self.address:
            return self.address
        prompts = list(example_texts.EXAMPLES.values())
        return urlencode({"prompt": prompts[self.number % len(prompts)], "seed": self.number, "temperature": 0.8})

    @property
    def text(self) -> str:
        """The steps of the visitor's text, as the address has them."""
        return dict(parse_qsl(self.address)).get("steps", "")

    @property
    def play(self) -> str:
        """The id of the button Play or Pause, "" before the page is drawn."""
        return self.buttons.get("play", "")

    def hear(self, message: protocol.ForwardMsg) -> bool:
        """Take in one message. Return whether it ends an answer."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.page = message.new_session.page_script_hash
            if not message.metadata.run.fragment_ids:  # a run of the whole page sets all clocks anew, as in a browser
                self.clocks.clear()
        elif kind == "navigation":
            self.page = message.navigation.page_script_hash
        elif kind == "auto_rerun" and message.auto_rerun.interval < HEARTBEAT.total_seconds():
            self.clocks[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "stop_auto_rerun":
            self.clocks.pop(message.stop_auto_rerun.fragment_id, None)
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._see(message.delta.new_element)
        return protocol.is_end_of_answer(message)

    def _see(self, element: Any) -> None:
        kind = element.WhichOneof("type")
        if kind == "button" and element.button.label in LABELS:
            self.buttons[LABELS[element.button.label]] = element.button.id
        elif kind == "bidi_component" and element.bidi_component.id.endswith(ADDRESSES):
            written = json.loads(element.bidi_component.json)
            self.address = written["stored"] or written["query"]
        elif kind == "exception":
            self.errors.append(element.exception.message[:200])

    async def ask(self, line: ClientConnection, times: Times, press: str = "", part: str = "") -> None:
        """Send a request, hear its answer and append its time. Raises TimeoutError, ConnectionClosed."""
        name = "teach" if self.teaches and not self.page else ""
        began = time.monotonic()
        await line.send(protocol.rerun(self.query, name, self.page, press, part))
        async with asyncio.timeout(UNANSWERED):
            while not self.hear(protocol.read(await line.recv())):
                pass
        times.append((began, time.monotonic() - began))

    async def begin(self, line: ClientConnection) -> None:
        """Press the buttons that begin a text or a training."""
        buttons = [self.buttons.get("go_on") or self.buttons["teach"]] if self.teaches else [self.buttons["restart"], self.play]
        for button in buttons:
            await self.ask(line, self.presses, press=button)
        self.starts += 1

    async def stay(self, line: ClientConnection, until: float) -> None:
        """Play until this time, begin again when a text ends, and pause for a moment now and then."""
        due: dict[str, float] = {}
        next_press = time.monotonic() + PAUSE * (1 + self.number % 7 / 7)
        while time.monotonic() < until:
            if not self.clocks:
                await self.begin(line)
                due = {}
            elif time.monotonic() > next_press and not self.teaches:
                for _press in ("Pause", "Play"):
                    await self.ask(line, self.presses, press=self.play)
                next_press = time.monotonic() + PAUSE
            due = {part: due.get(part, time.monotonic() + clock) for part, clock in self.clocks.items()}
            if not due:
                continue
            part = min(due, key=due.__getitem__)
            await asyncio.sleep(max(0.0, due[part] - time.monotonic()))
            interval, began = self.clocks[part], time.monotonic()
            fastest = interval == min(self.clocks.values())  # the fragment with the text and the bars
            await self.ask(line, self.steps if fastest else [], part=part)
            due[part] = began + max(interval, time.monotonic() - began)


async def visit(visitor: Visitor, addresses: Sequence[str], source: str, after: float, until: float, leaves: bool = False) -> None:
    """Open the page after some seconds and play until a time. If the connection is lost, open it again with the same link.

    addresses: of the servers; after a lost connection the next one is tried, as a balancer does. source: this visitor's own IP address.
    leaves: only opens the page.
    """
    await asyncio.sleep(after)
    lost, text = 0.0, ""  # when the connection was lost, and the text at that time
    for attempt in count():
        target = addresses[(visitor.number + attempt) % len(addresses)]
        own = {"subprotocols": ["streamlit"], "max_size": None, "compression": None, "local_addr": (source, 0)}
        try:
            async with connect(target, **own) as line:  # type: ignore[arg-type]
                await visitor.ask(line, [] if lost else visitor.openings)
                if lost:
                    visitor.returns.append((lost, time.monotonic() - lost))
                    visitor.kept_text.append(visitor.text == text)
                    lost = 0.0
                if not leaves:
                    await visitor.stay(line, until)
                return
        except (ConnectionClosed, InvalidMessage, InvalidStatus, OSError):
            if time.monotonic() > until:
                return
            if not lost:
                lost, text = time.monotonic(), visitor.text
            visitor.page, visitor.clocks, visitor.buttons = "", {}, {}
            await asyncio.sleep(RETRY)
        except (TimeoutError, KeyError) as error:
            visitor.errors.append(f"{type(error).__name__}: {error}"[:200])
            return
