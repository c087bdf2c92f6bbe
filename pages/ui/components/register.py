"""Registers a component from the files in its folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent


def component(folder: str, html: str = "", *scripts: str, styles: str = "") -> Callable[..., Any]:
    """Return the component of this folder: FOLDER.html (or `html`), FOLDER.css, and shared.js before FOLDER.js (or these scripts).

    styles: a style sheet beside this file that comes before that of the folder.
    """

    def text(name: str) -> str:
        file = HERE / folder / name
        return file.read_text("utf-8") if file.exists() else ""

    js = (HERE / "shared.js").read_text("utf-8") + "".join(text(f"{name}.js") for name in scripts or (folder,))
    css = (HERE / styles).read_text("utf-8") if styles else ""
    css += text(f"{folder}.css")
    return st.components.v2.component(folder, html=html or text(f"{folder}.html"), css=css or None, js=js)
