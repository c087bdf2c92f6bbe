"""What begins with the server: pages are opened once before a public instance reports ready, and answers are not delayed."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import pytest

from pages.ui.server import deployment, lifespan, preload
from tests.pages.asgi import in_a_loop, until
from tests.protocol import BackMsg, ForwardMsg

END = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY).SerializeToString()


class Streamlit:
    """An ASGI app that notes what each websocket asks for. silent: it never says that a run has ended."""

    def __init__(self, silent: bool = False, broken: bool = False) -> None:
        self.visits: list[list[tuple[str, str]]] = []
        self.silent, self.broken = silent, broken

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "websocket" and (await receive())["type"] == "websocket.connect"
        if self.broken:
            raise RuntimeError("broken today")
        await send({"type": "websocket.accept"})
        self.visits.append([])
        while (message := await receive())["type"] == "websocket.receive":
            asked = BackMsg.FromString(message["bytes"]).rerun_script
            self.visits[-1].append((asked.page_name, asked.query_string))
            await send({"type": "websocket.send", "bytes": ForwardMsg(ref_hash="a").SerializeToString()})
            if not self.silent:
                await send({"type": "websocket.send", "bytes": END})


@in_a_loop
async def test_every_page_is_opened_once_in_every_language() -> None:
    app = Streamlit()
    await lifespan.open_pages(app, ["start", "read"], ["de", "en"])
    assert app.visits == [[("start", f"lang={code}"), ("read", f"lang={code}")] for code in ("de", "en")]


@in_a_loop
async def test_pages_behind_one_that_never_ends_are_left_to_the_visitors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifespan, "PAGE_SECONDS", 0.01)
    app = Streamlit(silent=True)
    await lifespan.open_pages(app, ["start", "read"], ["en"])
    assert app.visits == [[("start", "lang=en")]]


@pytest.mark.parametrize(("public", "broken"), [(True, False), (True, True), (False, False)])
@in_a_loop
async def test_it_is_ready_after_its_first_pages_even_if_they_failed(public: bool, broken: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deployment, "public", lambda: public)
    monkeypatch.setattr(preload, "_loading", [])
    app = Streamlit(broken=broken)

    async with lifespan.lifespan(app):
        early = (await lifespan.healthz(None)).status_code  # type: ignore[arg-type]
        await until(lambda: not lifespan.is_running())
        answer = await lifespan.healthz(None)  # type: ignore[arg-type]
    assert (early, answer.status_code) == (503, 200) and json.loads(bytes(answer.body))["ready"]
    assert bool(app.visits) == (not broken)
    assert all(len(visit) > 20 for visit in app.visits) or not public


@in_a_loop
async def test_it_ends_with_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deployment, "public", lambda: True)
    monkeypatch.setattr(preload, "_loading", [])
    app = Streamlit(silent=True)
    async with lifespan.lifespan(app):
        await until(lambda: app.visits)
    await until(lambda: not lifespan.is_running())


@in_a_loop
async def test_who_connects_is_answered_without_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preload, "_loading", [])
    with socket.socket() as listening:  # made as Streamlit makes its own, TCP not named
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        async with lifespan.lifespan(Streamlit()):
            with socket.create_connection(listening.getsockname()), listening.accept()[0] as answering:
                assert answering.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(("public", "beyond", "warned"), [(True, True, True), (True, False, False), (False, True, False)])
@in_a_loop
async def test_a_public_instance_without_a_proxy_says_that_it_needs_one(
    public: bool, beyond: bool, warned: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(deployment, "public", lambda: public)
    monkeypatch.setattr(deployment, "listens_beyond", lambda: beyond)
    monkeypatch.setattr(lifespan, "_after_preload", lambda app: asyncio.sleep(0))
    async with lifespan.lifespan(Streamlit()):
        await asyncio.sleep(0)
    assert (lifespan.NEEDS_PROXY in caplog.messages) == warned
