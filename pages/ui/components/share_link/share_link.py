"""The link of a run with a button to copy it, and buttons that save its charts as SVG."""

from __future__ import annotations

from typing import Any

from pages.ui.components.register import component

_LINK = component("share_link")


def share_link(key: str, data: dict[str, Any]) -> None:
    """Draw the link and a button per chart."""
    _LINK(key=key, data=data)
