"""The messages that a browser and Streamlit exchange over the websocket. The only file of the tests that imports Streamlit's protocol."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg as BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg as ForwardMsg
from websockets.asyncio.client import ClientConnection, connect


def websocket(address: str, forwarded: str = "", **options: Any) -> connect:
    """Return a connection to the app at an address, as a browser opens it. forwarded: where a proxy says that the visitor comes from."""
    if forwarded:
        options["additional_headers"] = {"x-forwarded-for": forwarded}
    target = f"ws://{urlsplit(address).netloc}/_stcore/stream"
    return connect(target, subprotocols=["streamlit"], max_size=None, compression=None, **options)  # type: ignore[list-item]


def rerun(query: str = "", page_name: str = "", page_hash: str = "", press: str = "", fragment: str = "") -> bytes:
    """Return the message with which a browser asks for a run of the script.

    query: the page's query string. page_name or page_hash: the page. press: id of a button that is pressed. fragment: id of a fragment
    that runs alone.
    """
    message = BackMsg()
    message.rerun_script.query_string = query
    message.rerun_script.page_name = page_name
    message.rerun_script.page_script_hash = page_hash
    if press:
        widget = message.rerun_script.widget_states.widgets.add()
        widget.id, widget.trigger_value = press, True
    if fragment:
        message.rerun_script.fragment_id = fragment
    return message.SerializeToString()


def clear_cache() -> bytes:
    """Return the message that asks Streamlit to drop its caches, for all visitors."""
    return BackMsg(clear_cache=True).SerializeToString()


def heartbeat() -> bytes:
    """Return the message that the server acknowledges at once."""
    return BackMsg(app_heartbeat=True).SerializeToString()


def upload_addresses(count: int, session: str = "") -> bytes:
    """Return the message that asks for the upload addresses of `count` files."""
    message = BackMsg()
    message.file_urls_request.session_id = session
    message.file_urls_request.file_names.extend(["a"] * count)
    return message.SerializeToString()


def read(data: bytes | str) -> ForwardMsg:
    """Return a message of the server."""
    message = ForwardMsg()
    message.ParseFromString(data if isinstance(data, bytes) else data.encode())
    return message


def is_end_of_answer(message: ForwardMsg) -> bool:
    """Whether the script run that was asked for ends with this message."""
    return message.WhichOneof("type") == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN


class Page:
    """What a browser knows of the page that is drawn. page: its hash, by which it is asked for again."""

    page = ""

    def hear(self, message: ForwardMsg) -> bool:
        """Take in a message. Return whether it ends an answer."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.page = message.new_session.page_script_hash
            self.begin(message)
        elif kind == "navigation":
            self.page = message.navigation.page_script_hash
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self.see(message.delta.new_element, message.delta.fragment_id)
        return is_end_of_answer(message)

    def begin(self, message: ForwardMsg) -> None:
        """Take in that a run of the script begins."""

    def see(self, element: Any, fragment: str) -> None:
        """Take in an element, and the id of the fragment that draws it."""

    async def heard(self, line: ClientConnection, seconds: float) -> None:
        """Hear until an answer ends. Raises TimeoutError after so many seconds, ConnectionClosed."""
        async with asyncio.timeout(seconds):
            while not self.hear(read(await line.recv())):
                pass
