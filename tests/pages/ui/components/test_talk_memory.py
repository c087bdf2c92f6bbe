"""What a browser says it kept of a talk is a stranger's word."""

from __future__ import annotations

from typing import Any

import pytest

from pages.ui.presenting import prepared_talks, talk
from pages.ui.presenting.talk_file import Talk

THREE = prepared_talks.THREE
OWN = Talk("Mine", THREE.stops[:2])


@pytest.fixture
def editor(monkeypatch: pytest.MonkeyPatch) -> talk.TalkEditor:
    """A new visitor's editor."""
    made = talk.TalkEditor()
    monkeypatch.setattr(talk, "editor", lambda: made)
    return made


def test_a_talk_goes_on_at_its_stop_with_the_order_that_lay_on_the_desk(editor: talk.TalkEditor) -> None:
    editor.order = THREE  # what the page of talks puts there by itself
    talk.found({"order": OWN.dumps(), "given": OWN.dumps(), "place": 1})
    assert editor.order == OWN and editor.opened == 1
    assert (
        editor.active_talk is not None and editor.active_talk.talk == OWN and (editor.active_talk.place, editor.active_talk.go) == (1, None)
    )


def test_what_is_there_is_not_overwritten(editor: talk.TalkEditor) -> None:
    editor.active_talk = talk.ActiveTalk(THREE, 3)
    talk.found({"order": OWN.dumps(), "given": OWN.dumps(), "place": 1})
    assert editor.order is None and editor.active_talk.talk == THREE and editor.active_talk.place == 3


@pytest.mark.parametrize("place", [-1, 2, True, "1", None, 10**30, 0.5])
def test_a_stop_that_is_none_is_the_first(editor: talk.TalkEditor, place: Any) -> None:
    talk.found({"given": OWN.dumps(), "place": place})
    assert editor.active_talk is not None and editor.active_talk.place == 0


@pytest.mark.parametrize("told", [None, 7, "x", [], {}, {"given": 3}, {"order": ["x"]}, {"given": ""}])
def test_anything_else_changes_nothing(editor: talk.TalkEditor, told: Any) -> None:
    talk.found(told)
    assert editor.order is None and editor.active_talk is None
