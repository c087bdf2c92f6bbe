"""A visitor who speaks the browser's protocol, over the websocket and HTTP, and sends whatever an attack wants.

    python -m tests.attack.visitor http://127.0.0.1:8501

presses Step and Back on Watch until it is ended. Its lines are the time of each press (time.monotonic) and the seconds to its answer.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from tests import protocol
from tests.benchmarks.run_client import RunClient
from tests.protocol import BackMsg

PATIENCE = 60.0  # seconds


class Visitor(protocol.Page):
    """A session. ids: widgets of the page by their key. sentences: texts of the notices that were drawn since the last press.

    run_key: opens the routes of their run, "" if no live view was drawn.
    """

    def __init__(self, address: str, line: ClientConnection, path: str, forwarded: str) -> None:
        self.address, self.line, self.path, self.forwarded = address, line, path, forwarded
        self.ids: dict[str, str] = {}
        self.sentences: list[str] = []
        self.session = self.run_key = ""
        self.upload_answers: list[Any] = []

    def hear(self, message: protocol.ForwardMsg) -> bool:
        if message.WhichOneof("type") == "file_urls_response":
            self.upload_answers.append(message.file_urls_response)
        return super().hear(message)

    def begin(self, message: protocol.ForwardMsg) -> None:
        self.session = message.new_session.initialize.session_id

    def see(self, element: Any, fragment: str) -> None:
        name = element.WhichOneof("type")
        widget = getattr(getattr(element, name), "id", "") if name else ""
        if widget.startswith("$$ID-"):
            self.ids[widget.split("-", 2)[2]] = widget
        if name == "bidi_component" and "run_key" in element.bidi_component.json:
            self.run_key = json.loads(element.bidi_component.json)["run_key"]
        if name == "alert":
            self.sentences.append(element.alert.body)

    async def hear_all(self) -> None:
        """Read and drop what comes, until the websocket closes."""
        with suppress(ConnectionClosed):
            while True:
                await self.line.recv()

    def rerun(self, **values: Any) -> BackMsg:
        """Return the message that asks for the page with these values of widgets, by key.

        A value is a text, True (a press), a list of texts (a choice of buttons), or {name: value} (a file).
        """
        message = BackMsg()
        message.rerun_script.page_name = self.path
        message.rerun_script.page_script_hash = self.page
        for key, value in values.items():
            widget = message.rerun_script.widget_states.widgets.add()
            widget.id = next(known for name, known in self.ids.items() if name == key or name.startswith(f"{key}_"))
            if value is True:
                widget.trigger_value = True
            elif isinstance(value, str):
                widget.string_value = value
            elif isinstance(value, list):
                widget.string_array_value.data.extend(value)
            else:
                info = widget.file_uploader_state_value.uploaded_file_info.add()
                info.file_id, info.name, info.size = value["file_id"], "file.json", value["size"]
                info.file_urls.file_id = value["file_id"]
        return message

    async def ask(self, **values: Any) -> float:
        """Send these values of widgets, hear the answer, and return its seconds."""
        self.sentences.clear()
        began = time.monotonic()
        await self.line.send(self.rerun(**values).SerializeToString())
        await self.heard(self.line, PATIENCE)
        return time.monotonic() - began

    async def is_ended_by(self, data: bytes | str) -> bool:
        """Send a message. Return whether the server ends the websocket before it answers."""
        try:
            await self.line.send(data)
            await self.line.send(protocol.heartbeat())
            async with asyncio.timeout(PATIENCE):
                while True:  # the acknowledgement can be dropped when a script begins; then the script's end tells
                    message = protocol.read(await self.line.recv())
                    if message.WhichOneof("type") == "heartbeat_ack" or protocol.is_end_of_answer(message):
                        break
        except ConnectionClosed:
            return True
        return False

    def _put(self, file: str, content: bytes) -> int:
        place = urlsplit(self.address)
        line = http.client.HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE)
        line.request("GET", "/_stcore/health")
        answer = line.getresponse()
        answer.read()
        cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
        body = b'--x\r\ncontent-disposition: form-data; name="f"; filename="file.json"\r\n\r\n' + content + b"\r\n--x--\r\n"
        headers = {"content-type": "multipart/form-data; boundary=x", "cookie": cookie, "x-xsrftoken": cookie.partition("=")[2]}
        try:
            line.request("PUT", f"/_stcore/upload_file/{self.session}/{file}", body, headers)
            return line.getresponse().status
        except (BrokenPipeError, ConnectionResetError):  # refused before the body was read
            return 413
        finally:
            line.close()

    async def upload(self, content: bytes, file: str = "a") -> int:
        """Send a file as the browser does. Return the status."""
        return await asyncio.to_thread(self._put, file, content)

    async def hand_in(self, key: str, content: bytes, file: str) -> str:
        """Send a file and put it into the upload field of this key. Return what the page says about it."""
        status = await self.upload(content, file)
        if status >= 300:
            return f"status {status}"
        await self.ask(**{key: {"file_id": file, "size": len(content)}})
        return " ".join(self.sentences)


@asynccontextmanager
async def visit(address: str, path: str = "", query: str = "", forwarded: str = "", waits: bool = True) -> AsyncIterator[Visitor]:
    """Open a page and yield its visitor. forwarded: the address from which a proxy says that they come. waits: until it is drawn."""
    async with protocol.websocket(address, forwarded, close_timeout=2, open_timeout=PATIENCE) as line:
        visitor = Visitor(address, line, path, forwarded)
        await line.send(protocol.rerun(query, path))
        if waits:
            await visitor.heard(line, PATIENCE)
        yield visitor


async def _press_for_ever(address: str) -> None:
    async with visit(address) as visitor:
        listening = asyncio.create_task(visitor.hear_all())
        run = RunClient(urlsplit(address).port or 80, visitor.run_key)
        while not listening.done():
            for verb in ("step", "back"):
                began = time.monotonic()
                await run.press(verb)
                print(began, time.monotonic() - began, flush=True)
                await asyncio.sleep(0.1)


if __name__ == "__main__":
    asyncio.run(_press_for_ever(sys.argv[1]))
