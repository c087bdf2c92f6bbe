"""A button that fetches a file of the session from its route (`GET /run/file/KEY`) and saves it."""

from __future__ import annotations

from pages.ui.components.register import component
from pages.ui.i18n.translation import N_, said

WORDS = {"failed": N_("The file could not be made. Press again.")}

_SAVE = component("save_button")


def draw_save_button(label: str, file: str, name: str, run_key: str, *, key: str, help: str = "", quiet: bool = False) -> None:
    """Draw the button. file: its key in the route. name: under which the browser saves it. run_key: opens the session's routes.

    label: "" shows the sign alone, and `help` is its name. quiet: without a border.
    """
    data = {"file": file, "name": name, "label": label, "help": help, "quiet": quiet, "run_key": run_key, "words": said(WORDS)}
    _SAVE(key=key, data=data, width="content")
