"""/healthz: 200 if the first model is loaded and a public instance has opened its pages once, else 503. For load balancers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse
from starlette.routing import Route

from pages.ui.server import preload, warm_up
from pages.ui.server.gate import NO_UPGRADE, Gate

if TYPE_CHECKING:
    from starlette.requests import Request


async def healthz(request: Request) -> JSONResponse:
    """Return {"ready": true} or {"ready": false, "why": ...}, and nothing about visitors.

    With a "warning" if a proxy passed on a request for a websocket without its Upgrade: pages then stay grey.
    """
    if preload.is_loading():
        return JSONResponse({"ready": False, "why": "loading"}, 503)
    if preload.failed():
        return JSONResponse({"ready": False, "why": "the first model could not be loaded"}, 503)
    if warm_up.is_running():
        return JSONResponse({"ready": False, "why": "opening its pages for the first time"}, 503)
    warning = {"warning": "a page that stays grey: the proxy does not pass websockets"} if Gate.refused[NO_UPGRADE] else {}
    return JSONResponse({"ready": True, **warning}, headers={"cache-control": "no-store"})


ROUTES = [Route("/healthz", healthz)]
