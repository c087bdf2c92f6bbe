"""The glossary on every page: each use of a term can be hovered, focused or tapped, and shows its explanation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent

_GLOSSARY = st.components.v2.component(
    "glossary", html="", js=(HERE / "glossary.js").read_text("utf-8"), css=(HERE / "glossary.css").read_text("utf-8")
)


def glossary(data: dict[str, Any]) -> str:
    """Explain these terms; return the path of the page that the visitor asked for, "" if none."""
    told: Any = _GLOSSARY(key="glossary", data=data, on_go_change=lambda: None)
    return str(told.go or "")
