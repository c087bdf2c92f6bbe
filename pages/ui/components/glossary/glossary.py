"""Glossary on every page: hover, focus or tap a term to read its explanation."""

from __future__ import annotations

from typing import Any

from pages.ui.components.register import component

_GLOSSARY = component("glossary")


def glossary(data: dict[str, Any]) -> str:
    """Mark these terms. Return the path of the page that the visitor opens from a card, "" if none."""
    sent: Any = _GLOSSARY(key="glossary", data=data, on_go_change=lambda: None)
    return str(sent.go or "")
