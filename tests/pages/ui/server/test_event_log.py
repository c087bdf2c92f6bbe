"""The journal holds what happened and where, and no word of a visitor."""

from __future__ import annotations

import json
import logging

import pytest

from pages.ui.server import event_log

SECRET = "what I wrote to my diary"


def record(name: str = "pages.watch") -> logging.LogRecord:
    try:
        raise ValueError(f"cannot read {SECRET}")
    except ValueError as error:
        return logging.getLogger(name).makeRecord(
            name, logging.ERROR, __file__, 1, "%s failed for %s", ("step", SECRET), (type(error), error, error.__traceback__)
        )


@pytest.mark.parametrize("name", ["pages.watch", "core.engine", "streamlit.runtime", "uvicorn.error"])
def test_a_line_says_kind_and_place_and_nothing_that_was_written(name: str) -> None:
    line = event_log.JsonLines().format(record(name))
    assert SECRET not in line
    told = json.loads(line)
    assert (told["fault"], told["level"], told["from"]) == ("ValueError", "ERROR", name)
    assert told["place"].startswith("tests/pages/ui/server/test_event_log.py:")
    assert ("said" in told) == name.startswith(("pages", "core"))


def test_texts_are_kept_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_LOG_TEXTS", "1")
    assert SECRET in event_log.JsonLines().format(record())


def test_the_latest_faults_are_kept_for_the_operator() -> None:
    kept = event_log._Latest()
    for _ in range(event_log.MOST_FAULTS + 5):
        kept.emit(record())
    assert len(kept.faults) == event_log.MOST_FAULTS
    assert SECRET not in repr(kept.faults)
