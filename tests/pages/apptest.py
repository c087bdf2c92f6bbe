"""What the tests of pages read from Streamlit's AppTest, and how they wait for an experiment."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep
from typing import Any

from streamlit.testing.v1 import AppTest

from pages.ui.experiments.experiment import Worker

Open = Callable[..., AppTest]
State = Callable[[AppTest], Any]


def told(app: AppTest) -> list[str]:
    """Return the notices of a page."""
    return [str(note.value) for note in app.info]


def said(app: AppTest) -> str:
    """Return the texts of a page."""
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.info) for element in kind)


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def run_on(app: AppTest, patience: float = 240) -> AppTest:
    """Let every experiment come to its end, and draw what it found."""
    assert not app.exception
    for worker in list(app.session_state["_session"].experiments.values()):
        if isinstance(worker, Worker):
            assert worker.wait(patience), "it never ended"
    app.run()
    assert not app.exception
    return app


def press(app: AppTest, key: str, times: int = 1) -> AppTest:
    """Press a button so many times. No press raises."""
    for _ in range(times):
        app.button(key=key).click().run()
        assert not app.exception
    return app


def go(app: AppTest, page: str) -> AppTest:
    """Open another page of the same visitor, e.g. "cost"."""
    app.switch_page(f"../../pages/{page}/page.py").run()
    assert not app.exception
    return app


def see(app: AppTest, name: str, count: int = 1, patience: float = 120) -> None:
    """Wait until an experiment has found so much."""
    worker, latest = app.session_state["_session"].experiments[name], monotonic() + patience
    while len(worker.seen) < count:
        assert worker.running and monotonic() < latest
        sleep(0.01)
