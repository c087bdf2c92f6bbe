"""The first step of the first model as a picture, for who comes while the model loads. Imports nothing of the app that takes time."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st

from pages.ui.i18n import spoken_language
from pages.ui.i18n.translation import _

FOLDER = Path(__file__).parent / "first_steps"
# Over the page, so that nobody watches it being built.
_STYLE = """<style>.st-key-first_step { position: fixed; inset: 3.75rem 0 0; z-index: 100; padding: 0 2rem; background: COLOUR; }
.st-key-first_step img { max-height: calc(100vh - 9rem); object-fit: contain; object-position: left top; }</style>"""


def file(language: str, theme: str) -> Path:
    """Return the file of the picture; `pages.ui.experiments.record_results first_step` writes it. theme: "light" or "dark"."""
    return FOLDER / f"{language}-{theme}.svg"


def is_known() -> bool:
    """Return whether the address asks for the first step of Watch and nothing else."""
    return not set(st.query_params) - {"lang"} and urlsplit(st.context.url or "").path.rstrip("/").rpartition("/")[2] in ("", "watch")


def draw() -> None:
    """Draw the picture over the page."""
    theme = "dark" if st.context.theme.type == "dark" else "light"
    with st.container(key="first_step"):
        st.html(_STYLE.replace("COLOUR", str(st.get_option(f"theme.{theme}.backgroundColor"))))
        st.caption(_("The first step of the storyteller, recorded. The model is loading …"))
        st.image(file(spoken_language.current(), theme).read_text("utf-8"), width="stretch")
