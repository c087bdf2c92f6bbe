"""Upload fields: the only place in which the app takes a file from a browser.

A file that was read is let go: its field gets a new key, so that it is empty, and Streamlit's copy is deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from core.disk_full import has_room_for
from core.errors import BadRecording
from core.limits import Limits
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _
from pages.ui.server.upload_totals import UPLOADS
from pages.ui.session.state import memory

# Megabytes. A recording of 8,192 tokens has 30 to 50. Streamlit refuses larger files than its own limit, so the smaller one counts.
LARGEST_UPLOAD = min(Limits.from_environment().upload_megabytes or 64, int(st.get_option("server.maxUploadSize")))
WITHOUT_DISK = 1  # megabytes up to which Streamlit's server writes no temporary file


@dataclass(slots=True)
class Uploads:
    """files_read: number of files that were read, a part of the keys of the fields."""

    files_read: int = 0


def _key(name: str) -> str:
    return f"{name}_{memory(Uploads).files_read}"


def upload_field(label: str, name: str, kinds: Sequence[str], on_change: Callable[[], None]) -> None:
    """Draw a field for one file. `on_change` takes the file with `take(name)`.

    On a full disk it takes small files only, and says so: of a failed upload, the browser would show no more than its status code.
    """
    largest = LARGEST_UPLOAD if has_room_for(LARGEST_UPLOAD * 2**20) else WITHOUT_DISK
    with st.container(key=name):
        st.file_uploader(label, type=kinds, key=_key(name), on_change=on_change, max_upload_size=largest)
        if largest < LARGEST_UPLOAD:
            full = _("The disk of this app's machine is full. Until it has room, the file can have at most {limit}.")
            st.caption(full.format(limit=numbers.size(largest * 2**20)))


def take(name: str) -> bytes | None:
    """Return the content of the uploaded file and let it go; None if the field is empty. Raises BadRecording if it is too large or gone."""
    file = st.session_state.get(_key(name))
    if file is None:
        return None
    memory(Uploads).files_read += 1
    UPLOADS.let_go(file.file_id)
    if not hasattr(file, "getvalue"):  # it was deleted meanwhile, or the id in the message is of another session
        raise BadRecording(_("This file was deleted before the page could read it. Choose it again."))
    if file.size > LARGEST_UPLOAD * 2**20:
        raise BadRecording(_("This file is larger than {limit}, the limit of this app.").format(limit=numbers.size(LARGEST_UPLOAD * 2**20)))
    content: bytes = file.getvalue()
    return content
