"""Requests to the app's own routes: bodies bounded in bytes and time, and refusals in one sentence."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from core.errors import InputError
from pages.ui.i18n.translation import N_, say

if TYPE_CHECKING:
    from starlette.requests import Request

SECONDS = 10.0  # seconds within which a body must arrive
NO_STORE = {"cache-control": "no-store"}


class RequestRefused(InputError):
    """A request that is not answered. status: of HTTP."""

    status = 400


class BodyTooLarge(RequestRefused):
    """A body with more bytes than its route takes."""

    status = 413


async def json_object(request: Request, largest: int) -> dict[str, Any]:
    """Return the JSON object of a request of at most `largest` bytes. Raises RequestRefused, BodyTooLarge."""
    body = bytearray()
    try:
        async with asyncio.timeout(SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > largest:
                    raise BodyTooLarge(N_("This request has more than {most} bytes, so it was refused."), most=largest)
        sent = json.loads(body)
    except (TimeoutError, ClientDisconnect, ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict):
        raise RequestRefused(N_("This request cannot be read. Reload the page."))
    return sent


def refusal(error: InputError) -> Response:
    """Return the answer that says why a request is refused, in the current language."""
    return JSONResponse({"error": say(error)}, getattr(error, "status", 400), headers=NO_STORE)
