"""The routes of the run, for the live view: plain HTTP beside Streamlit, because a run of the page's script takes thirty times as long.

POST /run/VERB     one press (`verbs.Press`); the answer is what the view shows then (`view_data`)
GET  /run/now      what the view shows now
GET  /run/events   the same as server-sent events: the steps of Play, and changes that were made elsewhere
POST /run/drawn    {"version": n}: what the view has drawn, so that Play is not faster
GET  /run/progress as server-sent events, how far each part of the page is that shows something in progress (`session/progress`)
GET  /run/address  the browser's address for what the run is now
GET  /run/file/KEY a file that the open page offers (`session/offered_files`)

The header `x-run-key` has the key of a session, `x-run-view` the name of the view that reads a stream.
A press has a number, which is done once: if its answer is lost, the view sends it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import nullcontext
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from pydantic import ValidationError
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from core.errors import InputError
from pages.ui.i18n import spoken_language
from pages.ui.i18n.translation import N_
from pages.ui.live import play
from pages.ui.live.verbs import VERBS, Press
from pages.ui.live.view_data import encoded, view_data
from pages.ui.server import network_address
from pages.ui.server.rate_limit import AddressRates
from pages.ui.server.request_body import NO_STORE, RequestRefused, json_object, refusal
from pages.ui.session import address_bar
from pages.ui.session.live_state import NOTHING, OPEN, Answer, Drawn
from pages.ui.session.offered_files import offered_file
from pages.ui.session.state import Session, acting_for

if TYPE_CHECKING:
    from starlette.requests import Request

KEY, VIEW = "x-run-key", "x-run-view"
LARGEST_BODY = 256 * 1024  # bytes; a prompt of 20,000 characters that are all written as \\uXXXX pairs
PER_SECOND, AT_ONCE = 300.0, 2000.0  # requests of one address: a class behind one router
WAITING = 4  # requests of one session that may wait for its lock
STREAM_SECONDS = 8.0  # seconds after which a stream ends, so that a server that stops need not wait; the view opens the next one
LOOK = 0.05  # seconds between two looks at what is in progress
STREAM_HEAD = NO_STORE | {"x-accel-buffering": "no"}
RATES = AddressRates(PER_SECOND, AT_ONCE)
Responder = Callable[["Request", Session], Awaitable[Response]]


class SessionGone(RequestRefused):
    """No session has this key, or it has ended."""

    status = 410


class TooMany(RequestRefused):
    """Too many requests; the view sends the press again later."""

    status = 429


class TooOld(RequestRefused):
    """A press that arrives long after later ones."""

    status = 409


def of_session(answer: Responder) -> Callable[[Request], Awaitable[Response]]:
    """Make a route of a function: it gets the session of the request's key, and a refusal becomes its sentence."""

    @wraps(answer)
    async def route(request: Request) -> Response:
        address = network_address.network_of(request.client.host if request.client else None)
        session = OPEN.find(request.headers.get(KEY, "")[:64])
        language = session.language.spoken if session else spoken_language.of_browser(request.headers.get("accept-language", ""))
        with spoken_language.speaking(language):
            try:
                if not RATES.count(address):
                    raise TooMany(N_("Too many requests came from this network. Wait a moment."))
                if session is None:
                    raise SessionGone(N_("This page's session has ended. Reload the page; your text is in its address."))
                return await answer(request, session)
            except InputError as error:
                return refusal(error)
            except ClientDisconnect:
                return Response(status_code=499)

    return route


@of_session
async def press(request: Request, session: Session) -> Response:
    """Do one press, once for each number, and return what the view shows then. Raises RequestRefused."""
    verb = VERBS.get(request.path_params["verb"])
    if verb is None:
        raise RequestRefused(N_("This request cannot be read. Reload the page."))
    sent = await json_object(request, LARGEST_BODY)
    try:
        pressed = Press.model_validate(sent | {"drawn": tuple(sent["drawn"])} if isinstance(sent.get("drawn"), list) else sent)
    except ValidationError:
        raise RequestRefused(N_("This request cannot be read. Reload the page.")) from None
    live = session.live
    if live.waiting >= WAITING or live.rate.delay(0.0) > 0:
        raise TooMany(N_("Too many presses came at once. Wait a moment."))
    live.rate.delay(1.0)
    live.waiting += 1
    try:
        return _json(await anyio.to_thread.run_sync(partial(_done, session, verb, pressed)))
    finally:
        live.waiting -= 1


def _done(session: Session, verb: Callable[[Press], None], pressed: Press) -> bytes:
    with acting_for(session):
        try:
            is_new = session.live.presses.is_new(pressed.view, pressed.number)
        except LookupError:
            raise TooOld(N_("This press is older than others that were done. Reload the page.")) from None
        live = session.live
        live.answered, answer = Answer(pressed.view), Answer()
        try:
            if is_new:
                verb(pressed)
            data, drawn = _shown(Drawn(*pressed.drawn))
            answer = Answer(pressed.view, data["version"], drawn)
        finally:
            live.answered = answer
            live.tell()
        return encoded(data)


@of_session
async def now(request: Request, session: Session) -> Response:
    """Return what the view shows now."""
    return _json(await anyio.to_thread.run_sync(partial(_now, session)))


def _now(session: Session) -> bytes:
    with acting_for(session):
        return encoded(view_data(NOTHING))


def _shown(drawn: Drawn) -> tuple[dict[str, Any], Drawn]:
    """Return what a view is sent that has drawn this, and what it has drawn after that."""
    data = view_data(drawn)
    return data, Drawn(data["run"], data.get("node", 0))


@of_session
async def address(request: Request, session: Session) -> Response:
    """Return the address of the run as it is now."""
    return _json(await anyio.to_thread.run_sync(partial(_address, session)))


def _address(session: Session) -> bytes:
    with acting_for(session):
        return encoded(address_bar.address_data())


@of_session
async def drawn(request: Request, session: Session) -> Response:
    """Note what the view has drawn."""
    version = (await json_object(request, 100)).get("version")
    if type(version) is not int:
        raise RequestRefused(N_("This request cannot be read. Reload the page."))
    if session.live.drawn < version <= session.live.version:
        session.live.drawn = version
        session.live.tell()
    return Response(status_code=204, headers=NO_STORE)


@of_session
async def events(request: Request, session: Session) -> Response:
    """Return the stream of one view. A newer stream of the same session ends it."""
    stream = _events(session, request.headers.get(VIEW, "")[:64])
    return StreamingResponse(stream, media_type="text/event-stream", headers=STREAM_HEAD)


async def _events(session: Session, view: str) -> AsyncIterator[bytes]:
    """Yield what the view shows after each change that was not the answer to its press, and the steps of Play, which are made here."""
    live, loop, happened = session.live, asyncio.get_running_loop(), asyncio.Event()

    def listener() -> None:
        loop.call_soon_threadsafe(happened.set)

    earlier, live.listener = live.listener, listener
    if earlier is not None:
        earlier()  # its stream sees that it was replaced
    last, sent, pace, limiter = NOTHING, 0, play.Pace(), anyio.CapacityLimiter(1)
    live.drawn, ends = live.version, loop.time() + STREAM_SECONDS
    try:
        while live.listener is listener and loop.time() < ends:
            happened.clear()
            is_told = sent == live.version or live.is_told(view)
            plays = is_told and play.may_step(session)
            if is_told:
                happens = await _happens(happened, pace.left() if plays else ends - loop.time())
                if happens or not plays:
                    continue
            data, last, sent = await anyio.to_thread.run_sync(partial(_next, session, view, last, sent, plays), limiter=limiter)
            if plays:
                pace.passed(live.speed)
            yield b"data: " + data + b"\n\n"
    finally:
        if live.listener is listener:
            live.listener = None


@of_session
async def progress(request: Request, session: Session) -> Response:
    """Return the stream of how far each part of the open page is. A newer stream of the same session ends it."""
    return StreamingResponse(_progress(session), media_type="text/event-stream", headers=STREAM_HEAD)


async def _progress(session: Session) -> AsyncIterator[bytes]:
    """Yield the numbers of all parts after each change. It asks for them: an experiment can make a thousand observations a second."""
    loop, sent = asyncio.get_running_loop(), None
    stream = session.live.progress = object()
    ends = loop.time() + STREAM_SECONDS
    while session.live.progress is stream and loop.time() < ends:
        numbers = {part: number(session) for part, number in list(session.page.advancing.items())}
        if numbers != sent:
            sent = numbers
            yield b"data: " + encoded(numbers) + b"\n\n"
        await asyncio.sleep(LOOK)


@of_session
async def file(request: Request, session: Session) -> Response:
    """Make a file that the open page offers, and return it."""
    make = offered_file(session, request.path_params["key"])
    if make is None:
        raise RequestRefused(N_("The page does not offer this file any more. Reload the page."))
    if session.live.waiting >= WAITING:
        raise TooMany(N_("Too many presses came at once. Wait a moment."))
    session.live.waiting += 1
    try:
        content = await anyio.to_thread.run_sync(make)
    finally:
        session.live.waiting -= 1
    return Response(content, media_type="application/octet-stream", headers=NO_STORE)


async def _happens(happened: asyncio.Event, seconds: float) -> bool:
    """Return whether something happens within this time."""
    if not seconds:
        return happened.is_set()
    try:
        await asyncio.wait_for(happened.wait(), seconds)
    except TimeoutError:
        return False
    return True


def _next(session: Session, view: str, last: Drawn, sent: int, plays: bool) -> tuple[bytes, Drawn, int]:
    """Make a step if Play is on. Return what the view shows then, what it has drawn after that, and its version.

    last: what the view has drawn of this stream, whose newest version was `sent`. The answer to a later press has changed that.
    """
    run = session.run
    with play.turn(run.model) if plays and run is not None else nullcontext(), acting_for(session):
        if plays:
            play.play_on()
        answered = session.live.answered
        data, drawn = _shown(answered.drawn if answered.view == view and answered.version > sent else last)
        return encoded(data), drawn, data["version"]


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json", headers=NO_STORE)


ROUTES = [
    Route("/run/now", now),
    Route("/run/events", events),
    Route("/run/address", address),
    Route("/run/progress", progress),
    Route("/run/file/{key}", file),
    Route("/run/drawn", drawn, methods=["POST"]),
    Route("/run/{verb}", press, methods=["POST"]),
]
