"""Glossary on every page: hover, focus or tap a term to read its explanation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent

_GLOSSARY = st.components.v2.component(
    "glossary", html="", js=(HERE / "glossary.js").read_text("utf-8"), css=(HERE / "glossary.css").read_text("utf-8")
)


def glossary(data: dict[str, Any]) -> str:
    """Mark these terms. Return the path of the page that the visitor opens from a card, "" if none."""
    sent: Any = _GLOSSARY(key="glossary", data=data, on_go_change=lambda: None)
    return str(sent.go or "")
