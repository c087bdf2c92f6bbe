"""What a page gets of an uploaded file: its bytes, or one sentence."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from core.errors import BadRecording
from pages.ui.session import state, upload_field


@pytest.fixture
def fields(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The session state of a visitor, without a page."""
    values: dict[str, Any] = {state._KEY: state.Session()}
    for module in (state, upload_field):
        monkeypatch.setattr(module, "st", SimpleNamespace(session_state=values))
    return values


def test_a_file_that_is_gone_before_it_is_read_is_one_sentence_and_the_field_is_empty(fields: dict[str, Any]) -> None:
    fields["talk_file_0"] = SimpleNamespace(file_id="a")  # as Streamlit gives it for a deleted file: without content
    with pytest.raises(BadRecording, match="deleted before the page could read it"):
        upload_field.take("talk_file")
    assert upload_field.take("talk_file") is None


def test_a_file_is_taken_once(fields: dict[str, Any]) -> None:
    fields["talk_file_0"] = SimpleNamespace(file_id="a", size=3, getvalue=lambda: b"abc")
    assert upload_field.take("talk_file") == b"abc" and upload_field.take("talk_file") is None
