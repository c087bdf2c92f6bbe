"""What the gallery shows and opens: prepared runs, recorded experiments, files that a visitor hands in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from core.errors import BadRecording
from core.labs import prepared
from core.labs.recorded import RecordedExperiment
from pages.parts.layout import navigation
from pages.parts.runtime import loaded_models, recordings
from pages.parts.runtime.takes import TAKES
from pages.parts.session import current, opened_recording
from pages.parts.session.provenance import Provenance
from pages.parts.text import gallery_words as words
from pages.parts.text import numbers
from pages.parts.text import words as watch_words

EXCERPT = 110  # characters
OPENED = "gallery_opened"
NO_EXPERIMENT = "This file is not a recording of an experiment"


@dataclass(frozen=True, slots=True)
class Card:
    """What stands on the card of a prepared run."""

    model: str
    tokens: int
    excerpt: str


@lru_cache(maxsize=64)
def card(name: str) -> Card:
    """The card of a prepared run. Raises BadRecording."""
    kept = prepared.load(name)
    text = " ".join(kept.text.split())
    return Card(kept.model_name, len(kept.path), text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1]}…")


def experiment_recording(name: str) -> RecordedExperiment | None:
    """A recorded experiment that came with the app."""
    return recordings.first(name)


def maker(known: RecordedExperiment) -> str:
    """The model that an experiment was made with."""
    return loaded_models.title(known.made_by.model) if isinstance(known.made_by, Provenance) else ""


@current.error_boundary
def open_run(name: str) -> None:
    """A prepared run, on Watch."""
    opened_recording.show(prepared.load(name))


@current.error_boundary
def open_experiment(known: RecordedExperiment) -> None:
    """A recorded experiment, on its page."""
    current.results()[known.name] = known


@current.error_boundary
def file_given() -> None:
    """A file was handed in."""
    current.at("gallery_file")
    current.results().pop(OPENED, None)
    file = current.field("gallery_file")
    if file is None:
        return
    if file.size > opened_recording.LARGEST_UPLOAD * 2**20:
        raise BadRecording(watch_words.UPLOAD_TOO_LARGE.format(limit=numbers.size(opened_recording.LARGEST_UPLOAD * 2**20)))
    page, title = opened(file.getvalue())
    current.results()[OPENED] = page
    current.notify(words.OPENED.format(title=title))


def opened(data: bytes) -> tuple[str, str]:
    """Open a file, whichever of the two kinds it is; its page and that page's title. Raises BadRecording."""
    try:
        known = recordings.opened(data)
    except BadRecording as error:
        if not str(error).startswith(NO_EXPERIMENT):
            raise
        opened_recording.show(prepared.unpacked(data))
        return _page("watch.py")
    found = _page(page_of(known.name))
    current.results()[known.name] = known
    return found


def page_of(name: str) -> str:
    """The page on which an experiment of this name is shown. Raises BadRecording."""
    found = next((take.page for take in TAKES if take.name == name), None)
    if found is None:
        raise BadRecording(words.NO_PAGE)
    return found


def _page(file: str) -> tuple[str, str]:
    title = next((title for _, listed, title, _ in navigation.PAGES if listed == file), None)
    if title is None:
        raise BadRecording(words.NO_PAGE)
    return file, title


def opened_page() -> str | None:
    """The page on which the file that was just handed in is open."""
    page = current.results().get(OPENED)
    return page if isinstance(page, str) else None
