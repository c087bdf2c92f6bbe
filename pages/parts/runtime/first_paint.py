"""The document with its first paint in it: the app's one HTML file, answered for each page with that page's heading and recorded result.

Streamlit's own code needs a second or two in a browser before it has drawn anything, more on a phone and over a slow line. What
`layout/first_paint_pages.py` has written down stands there until then. Nothing is computed here, and no page is imported: this answers
before the model is loaded. Whoever comes with a link that says more than the language gets none, for their page looks otherwise.
"""

from __future__ import annotations

import base64
import gzip
import json
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import parse_qs

from core import language
from pages.parts.layout import first_paint
from pages.parts.runtime.static_files import App, Message, Receive, Scope, Send, takes_gzip

ROOT = b'<div id="root">'
TITLE = b"<title>Streamlit</title>"
LARGEST = 200_000  # bytes of a document that is held to be changed
NAME = "Token Probability Viewer"
# In the theme that was chosen in Streamlit's menu for this page. Gone when the page behind it is drawn, its charts too; when somebody
# presses something; and whatever happens after twenty seconds.
SCRIPT = """(() => {
  const it = document.getElementById("first-paint");
  try {
    const theme = JSON.parse(localStorage.getItem(`stActiveTheme-${location.pathname}-v2`));
    if (["Light", "Dark"].includes(theme)) it.dataset.theme = theme.toLowerCase();
  } catch {}
  const drawn = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
    && document.querySelector("[data-testid=stMain] [data-testid=stElementContainer]")
    && !document.querySelector("[data-testid=stSkeleton]")
    && [...document.querySelectorAll("[data-testid=stVegaLiteChart]")].every((chart) => chart.querySelector("canvas, svg"));
  const clock = setInterval(() => drawn() && gone(), 50);
  const late = setTimeout(() => gone(), 20000);
  const gone = () => {
    clearInterval(clock); clearTimeout(late); it.remove();
    for (const kind of ["pointerdown", "keydown"]) removeEventListener(kind, gone, true);
  };
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, gone, true);
})()"""


class FirstPaintMiddleware:
    """ASGI middleware: puts a page's first paint into the document on its way to the browser."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        found = painted(scope) if scope["type"] == "http" and scope.get("method") == "GET" else None
        if found is None:
            await self._app(scope, receive, send)
            return
        # It must come whole and unpacked, and never as "you have this already".
        asked = {name.lower(): value for name, value in scope["headers"]}
        unwanted = {b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"}
        plain = {**scope, "headers": [pair for pair in scope["headers"] if pair[0].lower() not in unwanted]}
        head: Message = {}
        body = b""

        async def changed(message: Message) -> None:
            nonlocal head, body
            if message["type"] == "http.response.start":
                kind = dict(message["headers"]).get(b"content-type", b"")
                if message["status"] == 200 and kind.startswith(b"text/html"):
                    head = message
                else:
                    await send(message)
                return
            if not head:
                await send(message)
                return
            body += message.get("body", b"")
            if message.get("more_body") and len(body) < LARGEST:
                return
            whole = not message.get("more_body")
            if whole:
                packed = takes_gzip(asked.get(b"accept-encoding", b""))
                body = _with(body, found, packed)
                kept = [pair for pair in head["headers"] if pair[0] not in (b"content-length", b"etag", b"last-modified", b"accept-ranges")]
                more = [(b"content-length", str(len(body)).encode()), (b"vary", b"accept-encoding, accept-language")]
                head = {**head, "headers": [*kept, *more, *([(b"content-encoding", b"gzip")] if packed else [])]}
            await send(head)
            head = {}
            await send({"type": "http.response.body", "body": body, "more_body": not whole})

        await self._app(plain, receive, changed)


def painted(scope: Scope) -> tuple[str, str] | None:
    """(language, path) of the first paint that fits this request; None where none does."""
    path = scope["path"].rsplit("/", 1)[-1]
    query = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    if set(query) - {"lang"}:
        return None
    asked = {name.lower(): value for name, value in scope["headers"]}
    wanted = query.get("lang", [""])[-1]
    browser = asked.get(b"accept-language", b"").decode("latin-1").split(",")[0].split(";")[0].strip()
    code = wanted if wanted in language.languages() else language.fitting(browser)
    return (code, path) if path in kept(code) else None


@cache
def kept(code: str) -> dict[str, dict[str, str]]:
    """What was written down in this language, by path; nothing where nothing was."""
    file = Path(first_paint.__file__).with_name(f"first_paint.{code}.json")
    try:
        return dict(json.loads(file.read_text("utf-8")))
    except (OSError, ValueError):
        return {}


@cache
def _with(document: bytes, found: tuple[str, str], packed: bool) -> bytes:
    """The document with this first paint; as it was, if it has another shape than the one we know."""
    code, path = found
    it = kept(code)[path]
    if document.count(ROOT) == 1:
        document = document.replace(ROOT, _drawn(code, it["html"]).encode() + ROOT)
        told = f"<title>{escape(it['title'])} · {NAME}</title>"
        if it["lead"]:
            told += f'<meta name="description" content="{escape(it["lead"])}">'
        document = document.replace(TITLE, told.encode(), 1)
    return gzip.compress(document, 6, mtime=0) if packed else document


def _drawn(code: str, html: str) -> str:
    logos = "".join(f'<img class="{theme}" alt="" src="data:image/svg+xml;base64,{_logo(theme)}">' for theme in ("light", "dark"))
    return (
        f'<div id="first-paint" aria-hidden="true" lang="{code}"><template shadowrootmode="closed"><style>{first_paint.style()}</style>'
        f'<div class="page"><aside></aside>{logos}{html}</div></template></div><script>{SCRIPT}</script>'
    )


@cache
def _logo(theme: str) -> str:
    return base64.b64encode(Path(first_paint.__file__).with_name(f"logo-{theme}.svg").read_bytes()).decode()
