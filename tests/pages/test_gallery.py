"""The gallery: every card opens, what opens says that it is a recording and of which model, and files come in."""

from __future__ import annotations

import pytest

from core.errors import BadRecording
from core.experiments import prepared
from pages.ui.experiments import gallery, recorded_results
from tests.pages.apptest import Open, State, go, press


def test_what_had_been_written_can_be_brought_back(open_app: Open, session: State) -> None:
    app = press(open_app(page="watch.py"), "step")
    before = session(app).run
    press(go(app, "gallery.py"), "gallery_open_cold")
    assert session(app).saved_run.run is before


def test_a_file_of_either_kind_is_opened(open_app: Open, session: State, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app(page="gallery.py")
    experiment = (recorded_results.FOLDER / f"race{recorded_results.ENDING}").read_bytes()
    run = (prepared.FOLDER / f"hot{prepared.ENDING}").read_bytes()
    held = session(app).results
    monkeypatch.setattr(gallery.current, "results", lambda: held)
    monkeypatch.setattr(gallery.opened_recording, "show", lambda recording: held.update(shown=recording))
    for data, page in ((experiment, "cache.py"), (run, "watch.py"), (prepared.load("hot").dumps().encode(), "watch.py")):
        assert gallery.open_file(data)[0] == page
    assert held["race"].seen
    assert held["shown"].prompt == prepared.load("hot").prompt


@pytest.mark.parametrize("data", [b"", b"hello", b"{}", b"\x1f\x8b123", b"[" * 100])
def test_a_wrong_file_costs_a_sentence(data: bytes) -> None:
    with pytest.raises(BadRecording):
        gallery.open_file(data)
