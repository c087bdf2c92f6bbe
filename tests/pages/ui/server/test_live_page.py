"""The live page over HTTP, behind the gate: sent once, kept by the browser, and not sent to who asks too often."""

from __future__ import annotations

import asyncio
import gzip
from threading import Event

import anyio.to_thread
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.testclient import TestClient

from core.errors import NotForThisModel
from pages.ui.server import lifespan, live_page
from pages.ui.server.gate import Gate
from pages.ui.server.live_page import MadePage
from pages.ui.server.rate_limit import AddressRates
from tests.pages.asgi import in_a_loop, settled, until

DOCUMENT = b"<!doctype html>" + b"x" * 200_000
APP = Starlette(routes=lifespan.ROUTES, middleware=[Middleware(Gate)])


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(live_page, "RATES", AddressRates(live_page.PER_SECOND, live_page.AT_ONCE, clock=lambda: 0.0))
    monkeypatch.setattr(live_page, "made_page", lambda: MadePage(DOCUMENT, gzip.compress(DOCUMENT), '"abc"'))
    return TestClient(APP, "http://localhost:8501")


def test_the_page_is_sent_once_and_kept(client: TestClient) -> None:
    first = client.get("/live")
    assert first.status_code == 200 and first.content == DOCUMENT and first.headers["content-encoding"] == "gzip"
    assert "max-age" in first.headers["cache-control"] and "set-cookie" not in first.headers
    again = client.get("/live", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_browser_that_unpacks_nothing_gets_the_plain_page(client: TestClient) -> None:
    plain = client.get("/live", headers={"accept-encoding": "identity"})
    assert plain.content == DOCUMENT and "content-encoding" not in plain.headers
    assert int(plain.headers["content-length"]) == len(DOCUMENT)


@pytest.mark.parametrize(
    "headers", [{"if-none-match": "x" * 60_000}, {"accept-encoding": ",;q=" * 5_000}, {"accept-language": "🦊".encode()}]
)
def test_hostile_headers_change_nothing(client: TestClient, headers: dict[str, str]) -> None:
    assert client.get("/live?model=../../etc/passwd&x=" + "a" * 5_000, headers=headers).content == DOCUMENT


def test_150_phones_of_one_school_get_it_once_and_a_flood_does_not(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    first = [client.get("/live") for _phone in range(150)]
    assert {answer.content for answer in first} == {DOCUMENT}
    again = [client.get("/live", headers={"if-none-match": answer.headers["etag"]}) for answer in first]
    assert {(answer.status_code, answer.content) for answer in again} == {(304, b"")}
    monkeypatch.setattr(live_page, "RATES", AddressRates(live_page.PER_SECOND, 3.0, clock=lambda: 0.0))
    answers = [client.head("/live").status_code for _ in range(6)]
    assert answers[0] == 200 and answers[-1] == 429


@in_a_loop
async def test_phones_that_wait_for_the_page_take_no_threads_from_other_visitors(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on, made = Event(), Event(), live_page.made_page()

    def slow() -> MadePage:
        begun.set()
        assert goes_on.wait(60)
        return made

    monkeypatch.setattr(live_page, "made_page", slow)
    request = Request({"type": "http", "method": "GET", "headers": [], "client": ("198.51.100.1", 50_000)})
    asked = [asyncio.create_task(live_page.live(request)) for _phone in range(100)]
    await until(begun.is_set)
    await settled()  # the others have asked, too
    assert anyio.to_thread.current_default_thread_limiter().borrowed_tokens == 0
    goes_on.set()
    assert [(await answer).status_code for answer in asked] == [200] * 100


def test_an_app_whose_first_model_is_no_llama_says_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> MadePage:
        raise NotForThisModel("its architecture is another one")

    monkeypatch.setattr(live_page, "made_page", refused)
    answer = client.get("/live")
    assert answer.status_code == 503 and answer.text == "its architecture is another one"


def test_the_page_of_the_first_model_is_made_once_in_all_languages() -> None:
    made = live_page.made_page()
    document = made.plain.decode()
    assert live_page.made_page() is made and len(document) < 12_000_000 and gzip.decompress(made.packed) == made.plain
    assert '"en":{' in document and '"de":{' in document and "storyteller" in document
