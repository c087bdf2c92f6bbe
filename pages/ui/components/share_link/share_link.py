"""The link of a run with a button to copy it."""

from __future__ import annotations

from typing import Any

from pages.ui.components.register import component

_LINK = component("share_link")


def share_link(key: str, data: dict[str, Any]) -> None:
    """Draw the link and the button."""
    _LINK(key=key, data=data)
