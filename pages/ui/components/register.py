"""Registers a component from the files in its folder. The browser loads its script once, from a route of the app.

Streamlit sends the script and the style of a component with each of its elements in every run of a page: 880 KB for Watch. What is sent is
therefore a line that imports a module from `GET /script/FILE`; the module has the style, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.reports import step_in_browser

HERE = Path(__file__).parent
# A script that could not be loaded is asked for again when its element is drawn again: under another address, because the browser keeps
# a failure.
_LOADER = """let loaded, tries = 0;
export default component => {
  const address = new URL("script/NAME", window.location.href);
  if (tries) address.searchParams.set("try", tries);
  loaded ??= import(address.href).catch(error => { loaded = null; tries += 1; throw error; });
  loaded.then(({ default: draw, sheet }) => {
    const { adoptedStyleSheets } = component.parentElement.getRootNode();
    if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
    draw(component);
  });
};
"""
_MODULES: dict[str, bytes] = {}  # by the name in the address, which changes with the content


def component(folder: str, html: str = "", *scripts: str | Path, styles: Sequence[Path] = ()) -> Callable[..., Any]:
    """Return the component of this folder: FOLDER.html (or `html`), FOLDER.css, and FOLDER.js (or these scripts).

    scripts: names of files in the folder without ".js", or paths of those of `step_in_browser`. streamlit.js, step.js and shared.js come
    before them. styles: style sheets before that of the folder.
    """

    def text(file: Path) -> str:
        return file.read_text("utf-8") if file.exists() else ""

    scripts_here = [script if isinstance(script, Path) else HERE / folder / f"{script}.js" for script in scripts or (folder,)]
    css = "".join(map(text, (*styles, HERE / folder / f"{folder}.css")))
    style = f"export const sheet = new CSSStyleSheet();\nsheet.replaceSync({json.dumps(css)});\n"
    module = style + "".join(map(text, (HERE / "streamlit.js", step_in_browser.STEP, HERE / "shared.js", *scripts_here)))
    file = f"{folder}-{sha256(module.encode()).hexdigest()[:12]}.js"
    _MODULES[file] = module.encode()
    body = html or text(HERE / folder / f"{folder}.html")
    return st.components.v2.component(folder, html=body, js=_LOADER.replace("NAME", file))


async def _module(request: Request) -> Response:
    module = _MODULES.get(request.path_params["file"])
    if module is None:
        return Response(status_code=404)
    return Response(module, media_type="text/javascript", headers={"cache-control": "max-age=31536000,immutable"})


ROUTES = [Route("/script/{file}", _module)]
