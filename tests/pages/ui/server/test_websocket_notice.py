"""The script that says why a page without a websocket stays empty: on which answers, in which language, and how long they then are."""

from __future__ import annotations

from typing import Any

import pytest

from pages.ui.server.websocket_notice import WebsocketNotice, script
from tests.pages.asgi import answer, in_a_loop, scope

PAGE = b"<!DOCTYPE html><html></html>"


async def answered(
    kind: str = "text/html; charset=utf-8", path: str = "/why", method: str = "GET", status: int = 200, **asked: str
) -> tuple[dict[str, str], bytes, Any]:
    """Return the headers and body of the answer to a browser, and the headers of its request as Streamlit gets them."""
    inside: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        inside.append(dict(scope["headers"]))
        headers = [(b"content-type", kind.encode()), (b"content-length", str(len(PAGE)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": PAGE[:10], "more_body": True})
        await send({"type": "http.response.body", "body": PAGE[10:]})

    told = {"accept": "text/html,*/*", "accept_encoding": "gzip"} | asked
    _status, head, body = await answer(WebsocketNotice(app), scope("http", path, method=method, **told))
    return head, body, inside[0]


@pytest.mark.parametrize(
    ("spoken", "sentence"), [("de-AT,en;q=0.5", b"kein Websocket"), ("xx,,;;\xff", b"no websocket"), ("", b"no websocket")]
)
@in_a_loop
async def test_a_page_gets_the_script_in_the_language_of_its_browser(spoken: str, sentence: bytes) -> None:
    headers, body, inside = await answered(accept_language=spoken)
    assert body.startswith(PAGE) and body.endswith(b"</script>\n") and sentence in body
    assert int(headers["content-length"]) == len(body)
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
        {"kind": "text/css"},
    ],
)
@in_a_loop
async def test_nothing_else_is_changed(other: dict[str, Any]) -> None:
    headers, body, _inside = await answered(**other)
    assert body == PAGE and int(headers["content-length"]) == len(PAGE)


def test_the_sentence_cannot_end_the_script() -> None:
    assert script("de").count(b"</") == 1
