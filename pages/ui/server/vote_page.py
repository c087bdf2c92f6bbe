"""The phones' page of a vote: plain routes of the app, because a Streamlit session for each phone would cost megabytes.

GET /vote?room=CODE       the page; without a room a field for the code. pass: of the room, in the QR code's link
GET /vote/now?room=CODE   what the phone shows now, as JSON; it asks every two seconds. seen: the version that it has; then only the counts
POST /vote?room=CODE      one vote: {"number": of the question, "option": index} or {"number": ..., "word": an own word}
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from functools import wraps
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from core import palette
from core.errors import InputError
from core.experiments.shared.audience_vote import Question
from pages.ui.i18n import spoken_language
from pages.ui.i18n.translation import N_, _
from pages.ui.server import network_address
from pages.ui.server.rate_limit import AddressRates
from pages.ui.server.request_body import NO_STORE, json_object, refusal
from pages.ui.server.vote_rooms import ROOMS, Room, TooMany, VoteRefused

if TYPE_CHECKING:
    from starlette.requests import Request

HERE = Path(__file__).parent / "vote"
KEY = "x-room-key"  # header of the presenter's page
COOKIE = "token-viewer-phone"  # of the browser's session
PHONE = re.compile(r"[\w-]{16,40}", re.ASCII)
LARGEST_VOTE = 1024  # bytes
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
    "result": N_("Votes: {counts}."),
    "own_words": N_("own words"),
    "wait": N_("You are in room {room}. The next question appears here by itself."),
    "lost": N_("No connection. This page tries again by itself."),
    "no_cookie": N_("This page needs cookies, so that each phone has one vote. Allow them and reload the page."),
    "no_script": N_("This page needs JavaScript."),
    "options": N_("Options"),
}
Answer = Callable[["Request", str], Awaitable[Response]]


class NoCookie(VoteRefused):
    """A vote of a browser that keeps no cookie."""

    status = 403


def bounded(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    """Make a route of a function: it gets the network's address, speaks the phone's language, and a refusal becomes its sentence."""

    @wraps(answer)
    async def route(request: Request) -> Response:
        address = network_address.network_of(request.client.host if request.client else None)
        with spoken_language.speaking(spoken_language.of_browser(request.headers.get("accept-language", ""))):
            try:
                if not RATES.count(address):
                    raise TooMany(N_("Too many requests came from this network. Wait a moment."))
                return await answer(request, address)
            except InputError as error:
                return refusal(error)

    return route


def _phone(request: Request) -> str | None:
    """Return the phone's token from its cookie, None without a valid one."""
    token = request.cookies.get(COOKIE, "")
    return token if PHONE.fullmatch(token) else None


def _code(request: Request) -> str:
    return request.query_params.get("room", "")[:8].strip()


def _entry(request: Request) -> str:
    return request.query_params.get("pass", "")[:64]


@bounded
async def page(request: Request, address: str) -> Response:
    """Return the page, the same for every room. The phone gets its token here."""
    response = HTMLResponse(page_text(), headers=NO_STORE)
    if _phone(request) is None:
        # Lax: a phone that comes by a link of another site keeps its token. A POST of another site carries none.
        # Without a path the browser takes that of the page: a proxy can strip a prefix that the app does not know.
        response.set_cookie(COOKIE, token_urlsafe(16), path=None, httponly=True, samesite="lax")
    return response


@bounded
async def now(request: Request, address: str) -> Response:
    """Return what a phone, or the wall, shows now. Raises VoteRefused."""
    key = request.headers.get(KEY, "")[:64]
    phone = None if key else _phone(request)
    room = ROOMS.of_phone(_code(request), phone, address, key, _entry(request))
    numbers = counts(room)
    if request.query_params.get("seen") != str(room.version):
        numbers["question"] = _shown(room.question, phone)
    return JSONResponse(numbers, headers=NO_STORE)


@bounded
async def vote(request: Request, address: str) -> Response:
    """Count one vote. Raises VoteRefused."""
    phone = _phone(request)
    if phone is None:
        raise NoCookie(TEXTS["no_cookie"])
    sent = await json_object(request, LARGEST_VOTE)
    number, option, word = sent.get("number"), sent.get("option"), sent.get("word")
    if type(number) is not int or not (type(option) is int or isinstance(word, str)):
        raise VoteRefused(N_("This vote cannot be read. Reload the page."))
    room = ROOMS.of_phone(_code(request), phone, address, entry=_entry(request))
    cast = ROOMS.vote(room, phone, number, option if type(option) is int else None, str(word))
    return JSONResponse({"mine": cast}, headers=NO_STORE)


def counts(room: Room) -> dict[str, Any]:
    """Return the numbers of a room that every phone may know. The votes of each option only if the presenter shows them."""
    question = room.question
    votes = question.counts() if question is not None else []
    words = sum(count for _word, count in question.words()) if question is not None else 0
    shows = question is not None and (question.is_live or question.result is not None)
    return {
        "version": room.version,
        "phones": ROOMS.present(room),
        "votes": sum(votes) + words,
        "counts": [*votes, words] if shows else None,
    }


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
