"""The routes of the run over plain HTTP, behind the gate: every press is done once, strangers are refused, and Play sends each step."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from core.errors import InputError
from pages.ui.live import play, routes
from pages.ui.live.verbs import VERBS, Press
from pages.ui.server.gate import Gate
from pages.ui.server.rate_limit import AddressRates, RateLimiter
from pages.ui.session import current, live_state
from pages.ui.session.offered_files import OfferedFiles
from pages.ui.session.state import Session, acting_for, memory
from tests.pages.asgi import in_a_loop, served

APP = Starlette(routes=routes.ROUTES, middleware=[Middleware(Gate)])
VIEW = "view-of-a-test"
HOME = {"host": "localhost:8501", "origin": "http://localhost:8501"}


@pytest.fixture(autouse=True)
def no_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "RATES", AddressRates(1e9, 1e9))


def opened() -> Session:
    """Return the session of a visitor whose page is open, without limits on its presses."""
    session = Session()
    with acting_for(session):
        current.begin()
    session.live.rate = RateLimiter(1e9, 1e9)
    live_state.OPEN.add(session)
    return session


@pytest.fixture
def session() -> Session:
    return opened()


class Client:
    """A view without a browser: it numbers its presses, and keeps the tokens that it was sent."""

    def __init__(self, session: Session, view: str = VIEW, **headers: str) -> None:
        self.http = TestClient(APP, "http://localhost:8501", headers={routes.KEY: session.live.key, "origin": HOME["origin"]} | headers)
        self.view, self.number, self.run, self.nodes = view, 0, 0, [0]
        self.shown: dict[str, Any] = {}

    def press(self, verb: str, **more: Any) -> Any:
        self.number += 1
        return self.send(verb, self.number, **more)

    def send(self, verb: str, number: int, **more: Any) -> Any:
        body = {"view": self.view, "number": number, "drawn": [self.run, self.nodes[-1]], **more}
        response = self.http.post(f"/run/{verb}", json=body)
        if response.status_code == 200:
            self.take(response.json())
        return response

    def take(self, shown: dict[str, Any]) -> None:
        """Apply an answer as the view does."""
        self.shown = shown
        if shown["run"] != self.run:
            self.run, self.nodes = shown["run"], [0]
        if "text" in shown:
            first = shown["text"]["first"]
            assert self.nodes[first] == shown["text"]["after"], "the tokens join those that the view has"
            self.nodes[first + 1 :] = [token[2] for token in shown["text"]["tokens"]]


def test_a_press_is_answered_with_the_step_and_a_version(session: Session) -> None:
    client = Client(session)
    before = client.http.get("/run/now").json()
    assert before["step"]["index"] == 0 and not before["step"]["rolled"] and before["text"]["prompt"][1][0] == "Once"
    answer = client.press("step").json()
    assert session.run is not None
    step = session.run.path[0]
    assert answer["version"] > before["version"] and answer["count"] == 1 and answer["step"]["rolled"]
    bar = next(bar for bar in answer["step"]["bars"] if bar["kind"] == "chosen")
    assert bar["token_id"] == step.token_id and bar["model"] == step.model_probability and bar["dice"] == step.sampling_probability
    assert answer["step"]["strip"]["roll"] == step.roll and answer["step"]["cache_bytes"] == step.forward.cache_bytes
    assert answer["text"]["tokens"][0][1] == step.token_id and answer["step"]["seconds"] == step.forward.seconds


def test_a_text_that_was_left_for_the_prompt_is_one_press_away(session: Session) -> None:
    client = Client(session)
    assert client.press("restart").json()["left"] == 0
    client.press("step")
    written = client.press("step").json()["node"]
    assert client.shown["left"] == 0
    for verb in ("restart", "seed"):
        left = client.press(verb).json()["left"]
        assert left == written and client.shown["count"] == 0
        assert client.press("switch", node=left, run=client.run).json()["count"] == 2


def test_a_file_is_made_at_the_press_from_what_its_page_offers(session: Session) -> None:
    client, made = Client(session), Counter[str]()

    def table() -> str:
        made["table"] += 1
        return "a,b\n"

    with acting_for(session):
        offered = memory(OfferedFiles)
    offered.files = {"table": table, "picture": lambda: b"\x89PNG", "broken": _broken}
    assert not made
    answer = client.http.get("/run/file/table")
    assert (answer.content, answer.headers["cache-control"], made) == (b"a,b\n", "no-store", {"table": 1})
    assert client.http.get("/run/file/picture").content == b"\x89PNG"
    refused = client.http.get("/run/file/broken")
    assert (refused.status_code, refused.json()["error"]) == (400, "This run has no tokens.")


@pytest.mark.parametrize("key", ["nothing", "%00", "..%2Ftable", "a" * 5000, "table%20"])
def test_no_other_file_and_no_strangers_file_is_sent(session: Session, key: str) -> None:
    with acting_for(session):
        memory(OfferedFiles).files = {"table": lambda: "mine"}
    refused = Client(session).http.get(f"/run/file/{key}")
    assert refused.status_code in (400, 404) and b"mine" not in refused.content
    for stranger in ({routes.KEY: ""}, {routes.KEY: opened().live.key}):
        assert b"mine" not in Client(session).http.get("/run/file/table", headers=stranger).content


def _broken() -> str:
    raise InputError("This run has no tokens.")


def test_only_the_tokens_that_the_view_lacks_are_sent(session: Session) -> None:
    client = Client(session)
    for _step in range(4):
        assert len(client.press("step").json()["text"]["tokens"]) == 1
    taken = client.press("force", run=client.run, node=client.nodes[2], token=300).json()
    assert (taken["text"]["first"], [token[1] for token in taken["text"]["tokens"]]) == (2, [300])
    assert client.nodes == (session.run.line if session.run else [])
    assert "prompt" not in taken["text"] and "prompt" in client.press("prompt", text="The fox").json()["text"]


def test_a_forced_token_belongs_to_the_step_where_its_bar_was_seen(session: Session) -> None:
    client = Client(session)
    client.press("step")
    seen = client.nodes[1]
    client.press("step")
    client.press("step")
    answer = client.press("force", run=client.run, node=seen, token=300).json()
    assert answer["count"] == 2 and answer["text"]["first"] == 1 and not answer["notices"]
    client.press("prompt", text="Another text")
    late = client.press("force", run=client.run - 1, node=seen, token=301).json()
    assert late["count"] == 0 and "replaced" in late["notices"][0]
    client.press("step")
    opened = client.press("go", run=client.run - 1, index=0).json()
    assert opened["opened"] == -1 and "replaced" in opened["notices"][0], "the word that was clicked is not that of the new text"


def test_each_verb_does_what_its_button_does(session: Session) -> None:
    client = Client(session)
    for _step in range(3):
        client.press("step")
    first = list(client.nodes)
    assert client.press("back").json()["count"] == 2
    assert client.press("step").json()["node"] == first[-1], "the same step again"
    assert client.press("roll").json()["node"] not in first, "another roll is a sibling"
    newest = client.press("go", run=client.run, index=2).json()
    assert newest["opened"] == -1 and newest["step"]["rolled"], "the newest step is only shown"
    assert client.press("go", run=client.run, index=0).json()["opened"] == 0
    assert client.press("go").json()["opened"] == -1
    assert not client.press("coming").json()["step"]["rolled"] and client.press("rolled").json()["step"]["rolled"]
    assert client.press("switch", run=client.run, node=first[-1]).json()["node"] == first[-1]
    seed = session.run.settings.seed if session.run else None
    assert client.press("seed").json()["count"] == 0
    assert session.fields.to_set["seed"] == (session.run.settings.seed if session.run else None) != seed
    assert client.press("restart").json()["count"] == 0
    client.press("step")
    client.press("prompt", text="The fox")
    assert client.press("undo").json()["count"] == 1 and session.fields.to_set["prompt"].startswith("Once")
    assert client.press("play", speed=20.0).json()["playing"] and session.live.speed == 20
    assert client.press("speed", speed=0.0).json()["playing"] and not client.press("pause").json()["playing"]
    acted: list[object] = []
    session.live.scene = live_state.Scene(lambda: {"shown": len(acted)}, acted.append)
    assert client.press("act", event={"do": "roll"}).json()["shown"] == 1 and acted == [{"do": "roll"}]
    session.live.scene = None
    first = client.press("example", text="The fox").json()
    assert client.press("example", text="The fox").json()["run"] > first["run"], "an example begins anew, also with the same prompt"
    before = client.press("step").json()
    assert client.press("close").json()["run"] == before["run"], "there is no recording"
    shown = client.press("fold", index=1).json()["step"]
    assert not shown["folded"] and client.press("fold", index=0).json()["step"]["folded"]
    tried = "act close example fold step back roll go coming rolled switch seed restart prompt undo play speed pause force"
    assert set(tried.split()) == VERBS.keys()


def test_a_prompt_that_is_refused_says_why_and_keeps_the_old_run(session: Session) -> None:
    client = Client(session)
    client.press("step")
    for text in ("", "a" * 20_001):
        assert client.press("prompt", text=text).json()["refused"].endswith(".")
    assert client.press("prompt", text="Once upon a time, there was a little").json()["count"] == 1
    for hostile in ("\ud800x", "<script>alert(1)</script>", "\u202eabc", "\x00"):
        body = json.dumps({"view": VIEW, "number": client.number + 1, "text": hostile})
        client.number += 1
        answer = client.http.post("/run/prompt", content=body)
        assert answer.status_code in (200, 400) and "Traceback" not in answer.text


WRONG = [b"", b"[]", b"{", b"null", b"\xff\xfe", b"[" * 1000, b'{"view": "view-of-a-test"}', b'{"view": "view-of-a-test", "number": 0}']
WRONG += [b'{"view": "view-of-a-test", "number": 1e3}', b'{"view": "view-of-a-test", "number": "1"}', b'{"view": "x", "number": 1}']
WRONG += [b'{"view": "view-of-a-test", "number": 99999999999999999999}', b'{"view": "view-of-a-test", "number": 1, "more": 1}']
WRONG += [b'{"view": "view-of-a-test", "number": 1, "speed": NaN}', b'{"view": "view-of-a-test", "number": 1, "drawn": [1]}']
WRONG += [b'{"view": "view-of-a-test", "number": 1, "drawn": [[1], {}]}', b'{"view": "view-of-a-test", "number": true}']


@pytest.mark.parametrize("body", WRONG)
def test_a_press_that_cannot_be_read_is_refused_in_a_sentence(session: Session, body: bytes) -> None:
    client = Client(session)
    answer = client.http.post("/run/step", content=body)
    assert answer.status_code == 400 and answer.json()["error"].endswith(".")
    assert session.run is not None and not session.run.path
    assert client.press("step").json()["count"] == 1


def test_large_bodies_unknown_verbs_and_wrong_tokens_are_refused(session: Session) -> None:
    client = Client(session)
    assert client.http.post("/run/prompt", content=b'{"text": "' + b"a" * routes.LARGEST_BODY).status_code == 413
    assert "Another page" in client.press("act", event={"do": "roll"}).json()["notices"][0]
    assert client.press("open").status_code == 400 and client.http.post("/run/../run/close", json={}).status_code in (400, 404)
    for token in (-1, 10**9, 4095 + 1):
        assert client.press("force", run=client.run or 1, node=0, token=token).json()["notices"][0].endswith(".")
    for node in (10**9, 7):
        assert client.press("switch", run=client.run, node=node).json()["notices"][0].endswith(".")
    assert client.press("go", run=client.run, index=10**9).json()["opened"] == -1
    assert client.http.post("/run/drawn", json={"version": "1"}).status_code == 400
    assert client.http.post("/run/drawn", json={"version": 10**12}).status_code == 204 and session.live.drawn < 10**12


def test_a_key_opens_only_its_own_session(session: Session) -> None:
    other = opened()
    mine, theirs = Client(session), Client(other)
    mine.press("step")
    assert other.run is not None and not other.run.path and theirs.press("back").json()["count"] == 0
    for key in ("", "x" * 22, session.live.key[:-1], session.live.key + "x", session.browser.name, session.browser.secret):
        stranger = Client(session, **{routes.KEY: key})
        gone = stranger.press("step")
        assert gone.status_code == 410 and gone.json()["error"].endswith("address.")
        assert stranger.http.get("/run/events").status_code == stranger.http.get("/run/progress").status_code == 410
    assert session.run is not None and len(session.run.path) == 1
    key, language = session.live.key, {"accept-language": "de-AT,de;q=0.9"}
    del mine, session
    assert Client(other, **{routes.KEY: key[::-1]} | language).press("step").json()["error"].startswith("Die Sitzung")


def test_a_key_ends_with_its_session() -> None:
    client = Client(opened())
    assert client.press("step").status_code == 410, "nothing else holds this session"


def test_other_sites_are_refused(session: Session) -> None:
    for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"host": "evil.example"}):
        assert Client(session, **headers).press("step").status_code == 403
    assert session.run is not None and not session.run.path


def test_many_presses_and_many_requests_are_told_to_wait_and_not_lost(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.live.rate = RateLimiter(1e-9, 3.0)
    client = Client(session)
    answers = [client.press("step").status_code for _press in range(6)]
    assert answers[:3] == [200] * 3 and answers[-2:] == [429, 429]
    session.live.rate = RateLimiter(1e9, 1e9)
    assert [client.send("step", number).status_code for number in (5, 6)] == [200, 200], "the same numbers are done now"
    assert session.run is not None and len(session.run.path) == 6
    monkeypatch.setattr(routes, "RATES", AddressRates(1e-9, 2.0))
    assert [client.press("step").status_code for _press in range(4)][::3] == [200, 429]


def test_a_number_is_done_once(session: Session) -> None:
    client = Client(session)
    for _again in range(3):
        assert client.send("step", 1).json()["count"] == 1
    assert client.send("step", 300).json()["count"] == 2
    assert client.send("step", 299).json()["count"] == 3, "a press may overtake another one"
    old = client.send("step", 2)
    assert old.status_code == 409 and old.json()["error"].endswith("page.")
    assert client.send("step", 2**53).json()["count"] == 4
    again = Client(session, "view-after-a-reload")
    assert again.press("step").json()["count"] == 5, "a new view counts anew"


def test_numbers_of_many_views_are_bounded() -> None:
    presses = live_state.Presses()
    for view in range(40):
        for number in range(1, 1000):
            assert presses.is_new(f"view-{view}", number)
    assert len(presses._done) == live_state.VIEWS and all(len(done) <= 2 * live_state.WINDOW for done in presses._done.values())


def done_directly(session: Session, verb: str, **more: Any) -> None:
    """Do a press without HTTP, as the reference."""
    with acting_for(session):
        VERBS[verb](Press.model_validate({"view": VIEW, "number": 1, **more}))


async def cut_or_read(address: str, request: bytes, cut: float | None) -> bytes:
    """Send a request; read the answer, or cut the connection after so many seconds."""
    host, port = address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(request)
        await writer.drain()
        if cut is not None:
            await asyncio.sleep(cut)
            writer.transport.abort()
            return b""
        return await reader.read()
    finally:
        writer.close()


def raw(session: Session, address: str, verb: str, body: dict[str, Any]) -> bytes:
    content = json.dumps(body).encode()
    head = f"POST /run/{verb} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n{routes.KEY}: {session.live.key}\r\n"
    return f"{head}Content-Length: {len(content)}\r\nConnection: close\r\n\r\n".encode() + content


def presses_of(dice: random.Random, count: int) -> list[tuple[str, dict[str, Any]]]:
    """Return random presses with which a run stays short."""
    made: list[tuple[str, dict[str, Any]]] = []
    for _press in range(count):
        verb = dice.choices(["step", "back", "roll", "force", "go", "coming", "rolled", "restart"], [8, 3, 2, 2, 2, 1, 1, 0.2])[0]
        more = {"force": {"node": 0, "token": dice.randrange(300, 310)}, "go": {"index": dice.randrange(-1, 6)}}.get(verb, {})
        made.append((verb, more))
    return made


async def hold_what_was_pressed(count: int) -> None:
    """Two tabs press at random while connections are cut; each press is repeated until its answer was read."""
    dice = random.Random(7)
    tabs, references = [opened(), opened()], [opened(), opened()]
    plans = [presses_of(dice, count // 2) for _tab in tabs]

    async def tab(session: Session, plan: list[tuple[str, dict[str, Any]]], address: str) -> None:
        for number, (verb, more) in enumerate(plan, 1):
            request = raw(session, address, verb, {"view": VIEW, "number": number, "run": session.live.run_number, **more})
            while dice.random() < 0.2:
                await cut_or_read(address, request, dice.random() * 0.01)
            while b"200 OK" not in (answer := await cut_or_read(address, request, None)):
                assert b" 429 " in answer, answer[:300]

    with served(APP) as address:
        await asyncio.gather(*(tab(session, plan, address) for session, plan in zip(tabs, plans, strict=True)))
    for session, reference, plan in zip(tabs, references, plans, strict=True):
        for verb, more in plan:
            done_directly(reference, verb, run=reference.live.run_number, **more)
        assert session.run is not None and reference.run is not None
        assert session.run.line == reference.run.line and len(session.run.nodes) == len(reference.run.nodes)
        assert [step.key for step in session.run.path] == [step.key for step in reference.run.path]
        assert (session.player.moment, session.player.selected_index) == (reference.player.moment, reference.player.selected_index)


@pytest.mark.slow
@in_a_loop
async def test_what_was_pressed_is_what_the_run_holds_although_connections_are_cut() -> None:
    await hold_what_was_pressed(300)


@pytest.mark.exhaustive
@in_a_loop
async def test_ten_thousand_presses_are_held() -> None:
    await hold_what_was_pressed(10_000)


@pytest.mark.slow
@in_a_loop
async def test_presses_that_overtake_each_other_are_each_done_once() -> None:
    session, dice = opened(), random.Random(3)
    numbers = [number for start in range(1, 100, 50) for number in dice.sample(range(start, start + 50), 50)]

    async def sender(address: str, mine: list[int]) -> None:
        for number in mine:
            request = raw(session, address, "step", {"view": VIEW, "number": number})
            if dice.random() < 0.3:
                await cut_or_read(address, request, 0.0)
            while b"200 OK" not in await cut_or_read(address, request, None):
                await asyncio.sleep(0)

    with served(APP) as address:
        await asyncio.gather(*(sender(address, numbers[first::3] + numbers[-50:][first::3]) for first in range(3)))
    assert session.run is not None and len(session.run.path) == 100


def events_of(
    session: Session, address: str, view: str, enough: Callable[[dict[str, Any]], bool], route: str = "events"
) -> list[dict[str, Any]]:
    """Read a stream until an event is enough."""
    headers: list[tuple[bytes | str, bytes | str]] = [(routes.KEY, session.live.key), (routes.VIEW, view)]
    received, rest = [], b""
    with httpcore.ConnectionPool() as pool, pool.stream("GET", f"http://{address}/run/{route}", headers=headers) as response:
        assert response.status == 200
        for part in response.iter_stream():
            *events, rest = (rest + part).split(b"\n\n")
            for event in events:
                if event.startswith(b"data: "):
                    received.append(json.loads(event[6:]))
                    if enough(received[-1]):
                        return received
    return received


@contextmanager
def listening(
    session: Session, address: str, enough: Callable[[dict[str, Any]], bool], view: str = VIEW, route: str = "events"
) -> Iterator[list[dict[str, Any]]]:
    """Read a stream beside what is done, from its first event until one is enough, and yield what it sends."""
    received, began = list[dict[str, Any]](), threading.Event()

    def take(event: dict[str, Any]) -> bool:
        received.append(event)
        is_enough = enough(event)
        began.set()
        return is_enough

    thread = threading.Thread(target=events_of, args=(session, address, view, take, route))
    thread.start()
    assert began.wait(20)
    yield received
    thread.join(20)
    assert not thread.is_alive(), "the stream has ended"


def test_play_sends_every_step_and_waits_for_what_is_drawn(session: Session) -> None:
    with served(APP) as address:
        done_directly(session, "play", speed=0.0)
        received = events_of(session, address, VIEW, lambda event: event.get("count", 0) >= play.AHEAD)
        counts = [event["count"] for event in received]
        assert counts == list(range(counts[0], play.AHEAD + 1)), "every step, once"
        assert session.live.version - session.live.drawn <= play.AHEAD
        nodes = [token[2] for event in received for token in event["text"]["tokens"]]
        assert session.run is not None and nodes == session.run.line[1 : len(nodes) + 1], "each token is sent once"


def test_a_change_that_was_made_elsewhere_reaches_the_stream_and_an_answer_is_not_sent_twice(session: Session) -> None:
    client = Client(session)
    with served(APP) as address, listening(session, address, lambda event: event.get("count") == 2) as received:
        client.press("step")
        done_directly(session, "step")
    assert [event["count"] for event in received] == [0, 2]


def test_the_stream_goes_on_from_the_answer_to_a_press(session: Session) -> None:
    """Else a text that is written a second time seems to be drawn already: its tokens are never sent, and the view asks for all of it."""
    client = Client(session)
    for _step in range(3):
        done_directly(session, "step")

    def take(event: dict[str, Any]) -> bool:
        client.take(event)
        return len(client.nodes) == 2

    with served(APP) as address, listening(session, address, take):
        written = list(client.nodes)
        client.press("restart")
        assert client.nodes == [0]
        done_directly(session, "step")
    assert client.nodes == written[:2], "the same token again, in the same node"


def test_what_is_in_progress_is_sent_whenever_it_has_changed(session: Session) -> None:
    counts = iter(range(10))
    session.page.advancing["still"] = lambda visitor: 7
    session.page.advancing["part"] = lambda visitor: next(counts) // 2 if visitor is session else 0

    def is_enough(event: dict[str, Any]) -> bool:
        if event.get("part") == 2:
            session.page.advancing.clear()  # as a change of page does
        return not event

    with served(APP) as address:
        received = events_of(session, address, VIEW, is_enough, "progress")
    assert received == [*({"still": 7, "part": part} for part in range(3)), {}]


@pytest.mark.parametrize("route", ["events", "progress"])
def test_a_newer_stream_ends_the_older_one(session: Session, route: str) -> None:
    with served(APP) as address, listening(session, address, lambda event: False, "view-of-before", route):
        assert events_of(session, address, VIEW, lambda event: True, route)


def test_play_ends_with_the_run_and_an_error_becomes_a_notice(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.errors import ServerGone

    assert session.run is not None
    done_directly(session, "play", speed=0.0)
    monkeypatch.setattr(type(session.run), "step", lambda run: (_ for _ in ()).throw(ServerGone("The server is gone.")))
    with served(APP) as address:
        received = events_of(session, address, VIEW, lambda event: not event["playing"])
    assert received[-1]["notices"] == ["The server is gone."] and not session.player.playing
