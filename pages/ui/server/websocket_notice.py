"""A page whose websocket cannot be opened says so after ten seconds, by a script at the end of Streamlit's HTML."""

from __future__ import annotations

import json
from pathlib import Path

from pages.ui.i18n import spoken_language
from pages.ui.i18n.translation import _
from pages.ui.server import live_page, vote_page
from pages.ui.server.gate import App, Message, Receive, Scope, Send

CODE = Path(__file__).with_suffix(".js").read_text(encoding="utf-8").rstrip()
OTHERS = tuple(route.path for route in (*vote_page.ROUTES, *live_page.ROUTES))  # pages of the app that need no websocket


class WebsocketNotice:
    """ASGI middleware that adds the script to every page of Streamlit."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request. A request for a page is answered uncompressed, because text is added to the answer."""
        headers = dict(scope.get("headers", ()))
        if scope.get("method") != "GET" or b"text/html" not in headers.get(b"accept", b"") or scope["path"].endswith(OTHERS):
            await self._app(scope, receive, send)
            return
        added = script(spoken_language.of_browser(headers.get(b"accept-language", b"").decode("latin-1")))
        is_page = False

        async def send_with_script(message: Message) -> None:
            nonlocal is_page
            if message["type"] == "http.response.start":
                answered = dict(message["headers"])
                is_page = message["status"] == 200 and answered.get(b"content-type", b"").startswith(b"text/html")
                if is_page and b"content-length" in answered:
                    answered[b"content-length"] = str(int(answered[b"content-length"]) + len(added)).encode()
                    message = {**message, "headers": [*answered.items()]}
            elif is_page and not message.get("more_body"):
                message = {**message, "body": message.get("body", b"") + added}
            await send(message)

        left = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        await self._app({**scope, "headers": left}, receive, send_with_script)


def script(language: str) -> bytes:
    """Return the script element, with its sentence in this language."""
    with spoken_language.speaking(language):
        sentence = _(
            "This page cannot connect to its app: no websocket can be opened, so the page stays empty. Often a proxy or a filter of "
            "the network does not pass the headers Upgrade and Connection. The page tries again by itself."
        )
    return f"<script>\n{CODE}({json.dumps(sentence)})\n</script>\n".encode()
