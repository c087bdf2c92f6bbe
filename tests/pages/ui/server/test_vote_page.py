"""The phones' page over HTTP, behind the gate: what it answers, and what it refuses in a sentence."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.testclient import TestClient

from core.experiments.shared.audience_vote import Option
from pages.ui.server import deployment, lifespan, vote_page
from pages.ui.server.gate import Gate
from pages.ui.server.rate_limit import AddressRates
from pages.ui.server.vote_rooms import Room, Rooms

OPTIONS = (Option(1, "dog", 0.5), Option(2, "<b>cat</b>", 0.25))


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> Rooms:
    rooms = Rooms(is_present=lambda _name: True)
    monkeypatch.setattr(vote_page, "ROOMS", rooms)
    monkeypatch.setattr(vote_page, "RATES", AddressRates(300.0, 2000.0))
    return rooms


@pytest.fixture
def room(registry: Rooms) -> Room:
    opened = registry.open("presenter")
    registry.ask(opened, "The </script>", OPTIONS, 0, "text")
    return opened


APP = Starlette(routes=vote_page.ROUTES, middleware=[Middleware(Gate)])


def phone(**headers: str) -> TestClient:
    """Return a phone that has opened the page."""
    client = TestClient(APP, "http://localhost:8501", headers=headers)
    assert client.get("/vote").status_code == 200
    return client


def shown(client: TestClient, room: Room, seen: int | str = "") -> Any:
    return client.get(f"/vote/now?room={room.code}&seen={seen}").json()


def test_a_phone_votes_changes_its_vote_and_finds_it_after_a_reload(room: Room, registry: Rooms) -> None:
    client = phone()
    state = shown(client, room)
    assert state["question"]["options"] == ["dog", "<b>cat</b>"] and state["question"]["mine"] is None
    assert state["phones"] == 1 and state["votes"] == 0 and state["counts"] is None
    for option in (0, 1):
        assert client.post(f"/vote?room={room.code}", json={"number": 1, "option": option}).json() == {"mine": option}
    state = shown(client, room)
    assert state["question"]["mine"] == 1 and state["votes"] == 1, "one phone, one vote"
    assert "question" not in shown(client, room, state["version"])
    registry.end(room, 1)
    state = shown(client, room, state["version"])
    assert state["question"]["ended"] and state["counts"] == [0, 1, 0]
    late = client.post(f"/vote?room={room.code}", json={"number": 1, "option": 0})
    assert late.status_code == 409 and late.json()["error"].endswith(".")


def test_no_number_of_an_option_is_sent_before_the_end_unless_the_presenter_shows_it(room: Room, registry: Rooms) -> None:
    client = phone()
    assert shown(client, room)["counts"] is None and "probability" not in client.get(f"/vote/now?room={room.code}").text
    registry.change(room, lambda question: setattr(question, "is_live", True))
    assert shown(client, room)["counts"] == [0, 0, 0]


WRONG = [b"", b"[]", b"{", b"null", b'{"number": 1}', b'{"number": "1", "option": 0}', b'{"number": 1, "option": true}', b"\xff\xfe"]
WRONG += [b'{"number": 1, "option": 1e9}', b'{"number": 1, "option": 99}', b'{"number": 1, "word": "ship"}', b"[" * 1000]


@pytest.mark.parametrize("body", WRONG)
def test_a_broken_vote_is_refused_in_a_sentence(room: Room, body: bytes) -> None:
    answer = phone().post(f"/vote?room={room.code}", content=body)
    assert answer.status_code == 400 and answer.json()["error"].endswith(".")
    assert room.question is not None and not room.question.votes


def test_ten_thousand_characters_are_refused_before_they_are_read(room: Room, registry: Rooms) -> None:
    registry.change(room, lambda question: setattr(question, "allows_own", True))
    client = phone()
    assert client.post(f"/vote?room={room.code}", json={"number": 1, "word": "a" * 10_000}).status_code == 413
    long = client.post(f"/vote?room={room.code}", json={"number": 1, "word": "a" * 100})
    assert long.status_code == 400 and "40 characters" in long.json()["error"]


def test_markup_stays_text(room: Room, registry: Rooms) -> None:
    registry.change(room, lambda question: setattr(question, "allows_own", True))
    client = phone()
    answer = client.post(f"/vote?room={room.code}", json={"number": 1, "word": "<img src=x onerror=alert(1)>"})
    assert answer.json() == {"mine": "<img src=x onerror=alert(1)>"}
    assert answer.headers["content-type"] == "application/json" and answer.headers["x-content-type-options"] == "nosniff"
    assert "<img" not in client.get(f"/vote?room={room.code}<img>").text, "the page itself is the same for every room"


def test_guesses_of_codes_are_answered_thirty_times(room: Room) -> None:
    client = phone()
    statuses = [client.get(f"/vote/now?room={number:04d}").status_code for number in range(100)]
    assert statuses.count(404) <= 40 and statuses.count(429) >= 60
    wall = client.get(f"/vote/now?room={room.code}", headers={vote_page.KEY: room.key})
    assert wall.status_code == 200, "the presenter's page still counts"
    late = phone()
    assert "Scan the QR code" in late.get(f"/vote/now?room={room.code}").json()["error"]
    scanned = f"room={room.code}&pass={room.entry}"
    assert late.get(f"/vote/now?{scanned}").status_code == 200
    assert room.entry not in late.get(f"/vote/now?{scanned}").text, "a phone gets the pass from the wall only"
    other = phone()
    assert other.post(f"/vote?{scanned}", json={"number": 1, "option": 0}).status_code == 200


def test_a_phone_that_comes_by_a_link_of_another_site_keeps_its_token(room: Room) -> None:
    cookie = TestClient(APP, "http://localhost:8501").get("/vote").headers["set-cookie"].lower()
    assert "samesite=lax" in cookie and "httponly" in cookie, "a browser leaves a strict one out there"


def test_a_vote_without_the_cookie_and_one_of_another_site_are_refused(room: Room) -> None:
    vote = {"number": 1, "option": 0}
    without = TestClient(APP, "http://localhost:8501").post(f"/vote?room={room.code}", json=vote)
    assert without.status_code == 403 and "cookie" in without.json()["error"]
    assert phone().post(f"/vote?room={room.code}", json=vote, headers={"origin": "https://evil.example"}).status_code == 403
    assert phone().post(f"/vote?room={room.code}", json=vote, headers={"origin": "http://localhost:8501"}).status_code == 200
    assert phone().get("/vote", headers={"host": "evil.example"}).status_code == 403


def test_the_wall_and_a_phone_with_a_strange_cookie_are_not_counted(room: Room) -> None:
    client = phone()
    wall = {vote_page.KEY: room.key}
    assert client.get(f"/vote/now?room={room.code}", headers=wall).json()["phones"] == 0
    strange = TestClient(APP, "http://localhost:8501", cookies={vote_page.COOKIE: "x" * 5000})
    assert strange.get(f"/vote/now?room={room.code}").json()["phones"] == 0


def test_one_network_cannot_ask_without_end(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vote_page, "RATES", AddressRates(1.0, 20.0))
    client = phone()
    statuses = [client.get(f"/vote/now?room={room.code}").status_code for _request in range(100)]
    assert 429 in statuses and statuses.count(200) <= 22


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("en-GB,en;q=0.9,de;q=0.8", "en"),
        ("fr,de;q=0.5", "de"),
        ("", "en"),
        ("xx", "en"),
        ("-" * 9999, "en"),
    ],
)
def test_the_page_speaks_the_phone_s_language_and_is_small(accepted: str, language: str) -> None:
    answer = phone().get("/vote", headers={"accept-language": accepted})
    assert f'<html lang="{language}">' in answer.text
    assert len(answer.content) < 150_000
    assert "default-src 'self'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("is_stripped", [True, False])
def test_a_phone_votes_below_a_path(room: Room, is_stripped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With server.baseUrlPath, and behind a proxy that strips a prefix."""
    monkeypatch.setattr(deployment, "base_path", lambda: "" if is_stripped else "/app")
    routes = lifespan.below_base_path(lifespan.ROUTES)
    app = Starlette(routes=[Mount("/app", routes=routes)] if is_stripped else routes, middleware=[Middleware(Gate)])
    client = TestClient(app, "http://localhost:8501")
    assert "</form>" in client.get("/app/vote").text
    where = f"room={room.code}"
    assert client.get(f"/app/vote/now?{where}").json()["phones"] == 1
    assert client.post(f"/app/vote?{where}", json={"number": 1, "option": 0}).json() == {"mine": 0}
    assert "/vote" not in (vote_page.HERE / "vote.js").read_text("utf-8"), "its addresses are relative"
    assert is_stripped or ("ready" in client.get("/healthz").json() and client.get("/vote").status_code == 404)
