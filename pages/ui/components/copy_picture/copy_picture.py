"""A picture with a button that puts it on the clipboard."""

from __future__ import annotations

from base64 import b64encode

from pages.ui.components.register import component
from pages.ui.i18n.language import N_, said

WORDS = {
    "copy": N_("Copy picture"),
    "copied": N_("Copied"),
    "refused": N_("This browser does not let the app copy pictures. Save the PNG instead."),
}

_PICTURE = component("copy_picture")


def copy_picture(png: bytes, alt_text: str, *, key: str) -> None:
    """Draw the picture and the button."""
    data = {"picture": b64encode(png).decode(), "alt": alt_text, "words": said(WORDS)}
    _PICTURE(key=key, data=data)
