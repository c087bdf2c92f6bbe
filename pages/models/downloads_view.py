"""The progress of downloads from the hub."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from core.models.hub_download import Download
from core.models.memory_estimate import Fit
from pages.models import model_cards
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.server import model_downloads
from pages.ui.session import current, notices, operator_role, progress
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.state import Session, memory


@action_boundary
def stop(name: str) -> None:
    """Stop a download."""
    operator_role.require_operator()
    model_downloads.downloads()[name].stop()


@dataclass(slots=True)
class RequestedModels:
    """What this visitor asked for. fit: a model, what it needs, and how it is run; fetched: the model of the latest download, until its
    notice is closed."""

    fit: tuple[str, Fit, str] | None = None
    fetched: str | None = None


def _close() -> None:
    """Close the notice about the visitor's latest download."""
    memory(RequestedModels).fetched = None


def running_downloads() -> None:
    """Draw all running downloads and this visitor's latest one. A finished one is hidden once its model is in use."""
    fetched = memory(RequestedModels).fetched
    for number, (name, download) in enumerate(list(model_downloads.downloads().items())):
        if download.running or name == fetched:
            draw, key = partial(_progress, name, download.running, number), f"models_progress_{number}"
            progress.part(draw, partial(_fetched, download), key=key, advances=download.running, seconds=0.5)


def _fetched(download: Download, session: Session) -> int:
    """Return how far a download is: a number that grows with each byte, and when it ends."""
    return download.done + (not download.running)


def _progress(name: str, drawn_running: bool, number: int) -> None:
    download = model_downloads.downloads()[name]
    if drawn_running and not download.running:
        st.rerun()
    if download.running:
        loaded, total, speed = numbers.size(download.done), numbers.size(download.total), numbers.size(download.bytes_per_second)
        text = _("Downloading {name}: {done} of {total}, {speed} per second") if download.total else _("Asking the hub for {name} …")
        share = min(1.0, download.done / download.total) if download.total else 0.0
        st.progress(share, text=text.format(name=plain(name), done=loaded, total=total, speed=speed))
        st.button(_("Stop"), key=f"models_stop_{number}", on_click=stop, args=(name,), icon=":material/close:")
    elif download.error is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            notices.show_notice(str(download.error))
            st.button(_("Close"), key=f"models_close_{number}", on_click=_close, type="tertiary")
    elif name != current.model_name():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(_("{name} was downloaded.").format(name=plain(name)))
            st.button(_("Use"), key=f"models_use_fetched_{number}", on_click=model_cards.use, args=(name,), type="primary")
