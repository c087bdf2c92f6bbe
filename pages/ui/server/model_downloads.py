"""The downloads of models that visitors started in this process."""

from __future__ import annotations

from functools import partial

from core.models.gguf.hub_file import files_on_hub, is_hub_file
from core.models.hub_download import Download

DOWNLOADS_AT_A_TIME = 2
_DOWNLOADS: dict[str, Download] = {}  # of the module, because a visitor's browser can clear Streamlit's caches


def downloads() -> dict[str, Download]:
    """Return the downloads of this process, by model name."""
    return _DOWNLOADS


def download(name: str) -> Download:
    """Start to download a model, or return its running download. A failed download starts again."""
    running = downloads().get(name)
    if running is None or (running.error is not None and not running.running):
        files = partial(files_on_hub, name) if is_hub_file(name) else None
        running = downloads()[name] = Download(name, files=files)
    return running


def busy() -> bool:
    """Return whether DOWNLOADS_AT_A_TIME downloads are running."""
    return sum(download.running for download in downloads().values()) >= DOWNLOADS_AT_A_TIME
