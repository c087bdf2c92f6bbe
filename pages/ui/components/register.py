"""Registers a component from the files in its folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from core.reports import step_in_browser

HERE = Path(__file__).parent
TOKENS = HERE / "tokens.css"  # the style of texts token by token


def component(folder: str, html: str = "", *scripts: str, styles: Path | None = None) -> Callable[..., Any]:
    """Return the component of this folder: FOLDER.html (or `html`), FOLDER.css, and FOLDER.js (or these scripts).

    streamlit.js, what draws a step (`step_in_browser`) and shared.js come before its own. styles: a style sheet before that of the folder.
    """

    def text(name: str) -> str:
        file = HERE / folder / name
        return file.read_text("utf-8") if file.exists() else ""

    streamlit, shared = ((HERE / name).read_text("utf-8") for name in ("streamlit.js", "shared.js"))
    js = streamlit + step_in_browser.script() + shared + "".join(text(f"{name}.js") for name in scripts or (folder,))
    css = styles.read_text("utf-8") if styles else ""
    css += text(f"{folder}.css")
    return st.components.v2.component(folder, html=html or text(f"{folder}.html"), css=css or None, js=js)
