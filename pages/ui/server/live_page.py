"""The live page of the app: one file with a model in it, for phones and for schools without an installation. It needs no session.

GET /live   the page (`core.reports.live_page`) of the app's first model, in all languages, of which the browser takes one. It is the
            same for everyone, made at the first request and cached, packed and not. A browser asks again after a day, and gets it again
            only if it has changed.
"""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from core import list_models
from core.errors import ViewerError
from pages.ui.i18n import spoken_language
from pages.ui.i18n.translation import _, say, wordings
from pages.ui.server import network_address, offered_models
from pages.ui.server.rate_limit import AddressRates
from pages.ui.server.request_body import NO_STORE

if TYPE_CHECKING:
    from starlette.requests import Request

PER_SECOND, AT_ONCE = 10.0, 600.0  # requests of one address: a school behind one router
PART = 64 * 1024  # bytes that are handed to a connection at once, so that slow phones do not fill the memory
RATES = AddressRates(PER_SECOND, AT_ONCE)
CACHED_A_DAY = {"cache-control": "max-age=86400", "vary": "accept-encoding"}
ONE_MAKES = anyio.CapacityLimiter(1)  # while one thread makes the page, other phones wait without the threads of the presses


@dataclass(frozen=True, slots=True)
class MadePage:
    """The page as UTF-8 and as gzip, and a name that changes with its content."""

    plain: bytes
    packed: bytes
    name: str


@cache
def made_page() -> MadePage:
    """Return the page; make it at the first call. Raises ViewerError for an app without a model that the page can hold."""
    from core.reports.live_page.page import page  # imports torch, for which the server need not wait

    with offered_models.without_spinner():
        model = offered_models.loaded(list_models()[0].name)
    document = page(model, wordings()).encode()
    return MadePage(document, gzip.compress(document, 6, mtime=0), f'"{sha256(document).hexdigest()[:24]}"')


async def live(request: Request) -> Response:
    """Return the page, packed if the browser can unpack it; nothing if the browser has it."""
    address = network_address.network_of(request.client.host if request.client else None)
    with spoken_language.speaking(spoken_language.of_browser(request.headers.get("accept-language", ""))):
        if not RATES.count(address):
            return PlainTextResponse(_("Too many requests came from this network. Wait a moment."), 429, NO_STORE)
        try:
            page = await anyio.to_thread.run_sync(made_page, limiter=ONE_MAKES)
        except ViewerError as error:
            return PlainTextResponse(say(error), 503, NO_STORE)
    headers = CACHED_A_DAY | {"etag": page.name}
    if page.name in request.headers.get("if-none-match", "")[:200]:
        return Response(status_code=304, headers=headers)
    packs = "gzip" in request.headers.get("accept-encoding", "")[:200]
    body = page.packed if packs else page.plain
    headers |= {"content-length": str(len(body))} | ({"content-encoding": "gzip"} if packs else {})
    return StreamingResponse(_parts(b"" if request.method == "HEAD" else body), headers=headers, media_type="text/html")


async def _parts(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), PART):
        yield body[start : start + PART]


ROUTES = [Route("/live", live)]
