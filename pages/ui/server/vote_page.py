"""The phones' page of a vote: plain routes of the app, because a Streamlit session for each phone would cost megabytes.

GET /vote?room=CODE       the page; without a room a field for the code
GET /vote/now?room=CODE   what the phone shows now, as JSON; it asks every two seconds. seen: the version that it has; then only the counts
POST /vote?room=CODE      one vote: {"number": of the question, "option": index} or {"number": ..., "word": an own word}
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from functools import wraps
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from core import palette
from core.errors import InputError
from core.experiments.audience_vote import Question
from pages.ui.i18n import spoken_language
from pages.ui.i18n.translation import N_, _, say
from pages.ui.server import deployment
from pages.ui.server.rate_limit import AddressRates
from pages.ui.server.vote_rooms import ROOMS, Room, VoteRefused

if TYPE_CHECKING:
    from starlette.requests import Request

HERE = Path(__file__).parent / "vote"
KEY = "x-room-key"  # header of the presenter's page
COOKIE = "token-viewer-phone"  # of the browser's session
PHONE = re.compile(r"[\w-]{16,40}", re.ASCII)
LARGEST_VOTE = 1024  # bytes
VOTE_SECONDS = 10.0  # seconds within which a vote must arrive
PER_SECOND, AT_ONCE = 300.0, 2000.0  # requests of one address; 150 phones send 75 a second
RATES = AddressRates(PER_SECOND, AT_ONCE)
TEXTS = {
    "title": N_("Vote on the next word"),
    "code": N_("Code of the room"),
    "enter": N_("Enter the room"),
    "question": N_("What comes next?"),
    "own": N_("or an own word"),
    "send": N_("Send"),
    "choose": N_("Choose one. You can change it until the vote ends."),
    "voted": N_("Your vote: “{word}”. You can change it until the vote ends."),
    "ended": N_("The vote has ended. Look at the screen in front."),
    "ended_with": N_("The vote has ended. Your vote was “{word}”. Look at the screen in front."),
    "wait": N_("You are in room {room}. The next question appears here by itself."),
    "lost": N_("No connection. This page tries again by itself."),
    "no_cookie": N_("This page needs cookies, so that each phone has one vote. Allow them and reload the page."),
    "no_script": N_("This page needs JavaScript."),
    "options": N_("Options"),
}
Answer = Callable[["Request", str], Awaitable[Response]]


class _VoteTooLarge(VoteRefused):
    status = 413


def bounded(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    """Make a route of a function: it gets the network's address, speaks the phone's language, and a refusal becomes its sentence."""

    @wraps(answer)
    async def route(request: Request) -> Response:
        address = deployment.network_of(request.client.host if request.client else None)
        with spoken_language.speaking(spoken_language.of_browser(request.headers.get("accept-language", ""))):
            if not RATES.count(address):
                return _refusal(429, _("Too many requests came from this network. Wait a moment."))
            try:
                return await answer(request, address)
            except InputError as error:
                return _refusal(getattr(error, "status", 400), say(error))

    return route


def _refusal(status: int, sentence: str) -> Response:
    return JSONResponse({"error": sentence}, status, headers={"cache-control": "no-store"})


def _phone(request: Request) -> str | None:
    """Return the phone's token from its cookie, None without a valid one."""
    token = request.cookies.get(COOKIE, "")
    return token if PHONE.fullmatch(token) else None


def _code(request: Request) -> str:
    return request.query_params.get("room", "")[:8].strip()


@bounded
async def page(request: Request, address: str) -> Response:
    """Return the page, the same for every room. The phone gets its token here."""
    response = HTMLResponse(page_text(), headers={"cache-control": "no-store"})
    if _phone(request) is None:
        response.set_cookie(COOKIE, token_urlsafe(16), path="/vote", httponly=True, samesite="strict")
    return response


@bounded
async def now(request: Request, address: str) -> Response:
    """Return what a phone, or the wall, shows now. Raises VoteRefused."""
    key = request.headers.get(KEY, "")[:64]
    phone = None if key else _phone(request)
    room = ROOMS.of_phone(_code(request), phone, address, key)
    shown = counts(room)
    if request.query_params.get("seen") != str(room.version):
        shown["question"] = _shown(room.question, phone)
    return JSONResponse(shown, headers={"cache-control": "no-store"})


@bounded
async def vote(request: Request, address: str) -> Response:
    """Count one vote. Raises VoteRefused."""
    phone = _phone(request)
    if phone is None:
        return _refusal(403, _(TEXTS["no_cookie"]))
    sent = await _sent(request)
    number, option, word = sent.get("number"), sent.get("option"), sent.get("word")
    if type(number) is not int or not (type(option) is int or isinstance(word, str)):
        raise VoteRefused(N_("This vote cannot be read. Reload the page."))
    room = ROOMS.of_phone(_code(request), phone, address)
    cast = ROOMS.vote(room, phone, number, option if type(option) is int else None, str(word))
    return JSONResponse({"mine": cast}, headers={"cache-control": "no-store"})


async def _sent(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request. Raises VoteRefused if it is too large, too slow or not one."""
    body = b""
    try:
        async with asyncio.timeout(VOTE_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > LARGEST_VOTE:
                    raise _VoteTooLarge(N_("This vote is too long. Type one word."))
        sent = json.loads(body)
    except (TimeoutError, ClientDisconnect, ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict):
        raise VoteRefused(N_("This vote cannot be read. Reload the page."))
    return sent


def counts(room: Room) -> dict[str, Any]:
    """Return the numbers of a room that every phone may know. The votes of each option only if the presenter shows them."""
    question = room.question
    votes = question.counts() if question is not None else []
    own = sum(count for _word, count in question.words()) if question is not None else 0
    shows = question is not None and (question.is_live or question.result is not None)
    return {"version": room.version, "phones": ROOMS.present(room), "votes": sum(votes) + own, "counts": [*votes, own] if shows else None}


def _shown(question: Question | None, phone: str | None) -> dict[str, Any] | None:
    if question is None:
        return None
    return {
        "number": question.number,
        "text": question.text,
        "options": [option.label for option in question.options],
        "own": question.allows_own,
        "ended": question.result is not None,
        "mine": question.votes.get(phone or ""),
    }


@spoken_language.by_language(maxsize=16)
def page_text() -> str:
    """Return the page in the current language."""
    texts = {name: _(text) for name, text in TEXTS.items()}
    parts = {
        "LANGUAGE": spoken_language.current(),
        "TITLE": texts["title"],
        "NO_SCRIPT": texts["no_script"],
        "STYLE": f":root {{ {_colours(palette.LIGHT)} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {_colours(palette.DARK)} }} }}\n"
        + (HERE / "vote.css").read_text("utf-8"),
        "TEXTS": json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c"),
        "SCRIPT": (HERE / "vote.js").read_text("utf-8"),
    }
    made_of = re.split(r"%(\w+)%", (HERE / "vote.html").read_text("utf-8"))
    return "".join(parts[text] if column % 2 else text for column, text in enumerate(made_of))


def _colours(theme: palette.Palette) -> str:
    return " ".join(f"--{name.replace('_', '-')}: {colour};" for name, colour in palette.as_data(theme).items())


ROUTES = [Route("/vote", page), Route("/vote/now", now), Route("/vote", vote, methods=["POST"])]
