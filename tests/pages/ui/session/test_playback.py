"""A page that nobody sees asks for no draws: an experiment that runs in a hidden tab takes no time from other visitors."""

from __future__ import annotations

import pytest

from pages.ui.session import playback
from pages.ui.session.state import Session


@pytest.mark.parametrize(("hidden", "wanted"), [(True, None), (False, 0.5)])
def test_a_part_redraws_itself_while_its_page_is_seen(hidden: bool, wanted: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playback, "current_session", lambda: Session(hidden=hidden))
    assert playback.every(0.5) == wanted
    assert playback.every(None) is None


def test_whoever_plays_alone_is_not_told_of_other_visitors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its clock is still that of a crowd when the others have just left."""
    own, crowd = Session(playing=True, interval=1.0), playback.PlaybackScheduler()
    monkeypatch.setattr(playback, "current_session", lambda: own)
    monkeypatch.setattr(playback, "scheduler", lambda: crowd)
    crowd.join(1)
    assert playback.shared(5.0) is None
    crowd.join(2)
    assert playback.shared(5.0) == (2, 1.0)
