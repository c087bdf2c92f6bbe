"""The gallery: every card opens, what opens says that it is a recording and of which model, and files come in."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import BadRecording
from core.experiments.shared import prepared_runs
from pages.gallery import gallery
from pages.ui.experiments import stored_results
from pages.ui.session import upload_field
from tests.pages.apptest import Open, State, go, press


def test_what_had_been_written_can_be_brought_back(open_app: Open, session: State) -> None:
    app = press(open_app(page="watch"), "step")
    before = session(app).run
    press(go(app, "gallery"), "gallery_open_cold")
    assert session(app).saved_run.run is before


def test_a_file_of_either_kind_is_opened(open_app: Open, session: State, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app(page="gallery")
    race = (stored_results.FOLDER / f"race{stored_results.ENDING}").read_bytes()
    run = (prepared_runs.FOLDER / f"hot{prepared_runs.ENDING}").read_bytes()
    held = session(app).experiments
    shown: list[Any] = []
    monkeypatch.setattr(gallery.experiment, "current_session", lambda: session(app))
    monkeypatch.setattr(gallery.opened_recording, "show", shown.append)
    for data, page in ((race, "cache"), (run, "watch"), (prepared_runs.load("hot").dumps().encode(), "watch")):
        assert gallery.open_file(data) == page
    assert held["race"].observations
    assert shown[-1].prompt == prepared_runs.load("hot").prompt


@pytest.mark.parametrize("data", [b"", b"hello", b"{}", b"\x1f\x8b123", b"[" * 100])
def test_a_wrong_file_costs_a_sentence(data: bytes) -> None:
    with pytest.raises(BadRecording):
        gallery.open_file(data)


@pytest.mark.parametrize("room", [True, False])
def test_on_a_full_disk_a_field_takes_small_files_and_says_so(room: bool, open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_field, "has_room_for", lambda size: room)
    app = open_app(page="gallery")
    (field,) = app.get("file_uploader")
    assert field.proto.max_upload_size_mb == (upload_field.LARGEST_UPLOAD if room else upload_field.WITHOUT_DISK)
    assert room == all("1 MB" not in caption.value.replace("\N{NO-BREAK SPACE}", " ") for caption in app.caption)
