"""The script that says why a page without a websocket stays empty: on which answers, in which language, and how long they then are."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pages.ui.server.websocket_notice import WebsocketNotice, script

PAGE = b"<!DOCTYPE html><html></html>"
HTML = (b"content-type", b"text/html; charset=utf-8")


def answered(
    headers: list[tuple[bytes, bytes]], path: str = "/why", method: str = "GET", status: int = 200, **asked: str
) -> tuple[Any, bytes, Any]:
    """The headers and body of the answer, and the headers of the request as Streamlit gets them."""
    sent: list[Any] = []
    inside: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        inside.append(dict(scope["headers"]))
        await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"content-length", str(len(PAGE)).encode())]})
        await send({"type": "http.response.body", "body": PAGE[:10], "more_body": True})
        await send({"type": "http.response.body", "body": PAGE[10:]})

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    told = {"accept": "text/html,*/*", "accept-encoding": "gzip"} | {name.replace("_", "-"): value for name, value in asked.items()}
    scope = {"type": "http", "method": method, "path": path, "headers": [(name.encode(), value.encode()) for name, value in told.items()]}
    asyncio.run(WebsocketNotice(app)(scope, receive, send))
    return dict(sent[0]["headers"]), b"".join(message["body"] for message in sent[1:]), inside[0]


@pytest.mark.parametrize(
    ("spoken", "sentence"), [("de-AT,en;q=0.5", b"kein Websocket"), ("xx,,;;\xff", b"no websocket"), ("", b"no websocket")]
)
def test_a_page_gets_the_script_in_the_language_of_its_browser(spoken: str, sentence: bytes) -> None:
    headers, body, inside = answered([HTML], accept_language=spoken)
    assert body.startswith(PAGE) and body.endswith(b"</script>\n") and sentence in body
    assert int(headers[b"content-length"]) == len(body)
    assert b"accept-encoding" not in inside  # a compressed answer could not be added to


@pytest.mark.parametrize(
    "other",
    [
        {"path": "/viewer/vote"},
        {"path": "/viewer/live"},
        {"accept": "*/*"},
        {"method": "HEAD"},
        {"method": "POST"},
        {"status": 304},
        {"headers": [(b"content-type", b"text/css")]},
    ],
)
def test_nothing_else_is_changed(other: dict[str, Any]) -> None:
    headers, body, _inside = answered(**{"headers": [HTML], **other})
    assert body == PAGE and int(headers[b"content-length"]) == len(PAGE)


def test_the_sentence_cannot_end_the_script() -> None:
    assert script("de").count(b"</") == 1
