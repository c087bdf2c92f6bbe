"""A button that puts a picture or a link on the clipboard, which it shows."""

from __future__ import annotations

from base64 import b64encode

from pages.ui.components.register import component
from pages.ui.i18n.translation import N_, said

WORDS = {
    "copied": N_("Copied"),
    "refused": N_("This browser does not let the app copy pictures. Save the PNG instead."),
}

_COPY = component("copy_button")


def copy_button(copy: str, label: str, *, key: str, png: bytes = b"", query: str = "") -> None:
    """Draw the picture, or the link of this page with the query, and the button. label: what is copied, for screen readers."""
    data = {"picture": b64encode(png).decode(), "query": query, "label": label, "words": {"copy": copy, **said(WORDS)}}
    _COPY(key=key, data=data)
