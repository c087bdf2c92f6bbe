"""The app as Streamlit's own test runner sees it, with the bundled model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from core.remote import http_client
from pages.ui.experiments import stored_results
from pages.ui.experiments.worker import Worker
from pages.ui.server import preload
from tests.core.remote.serving import TINY, FakeVLLM, Running, serve
from tests.pages.apptest import use_server

APP = Path(__file__).with_name("main.py")


@pytest.fixture(scope="session", autouse=True)
def components_are_looked_for_once() -> Iterator[None]:
    """Each AppTest reads the metadata of every installed package to find components, which takes longer than drawing a page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(autouse=True)
def no_settings_of_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """An operator's settings of the app in the environment change no test."""
    for name in [name for name in os.environ if name.startswith("TOKEN_VIEWER_") and name != "TOKEN_VIEWER_COMPILED"]:
        monkeypatch.delenv(name)


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., AppTest]]:
    """Open the app with these words behind the question mark, e.g. `open_app(prompt="The fox", temperature="0.7")`.

    Experiments that still run at the end of a test are stopped, so that they take no time from the next one.
    """
    apps: list[AppTest] = []
    monkeypatch.setattr(preload, "freeze_objects", lambda: None)  # it collects all objects of all tests for each model, half a second

    def opened(page: str | None = None, **query: str) -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=60)
        apps.append(app)
        for name, value in query.items():
            app.query_params[name] = value
        app.run()
        if page is not None:
            app.switch_page(f"../../pages/{page}/page.py").run()
        assert not app.exception
        return app

    yield opened
    for app in apps:
        results = app.session_state["_session"].experiments if "_session" in app.session_state else {}
        for worker in list(results.values()):
            if isinstance(worker, Worker) and worker.running:
                worker.stop()
                worker.wait(60)


@pytest.fixture
def no_recordings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As if the app had come without recordings: pages begin with what they have of their own."""

    monkeypatch.setattr(stored_results, "FOLDER", tmp_path)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A server with token ids, which lists 20 of its 512 tokens."""
    monkeypatch.setattr(http_client, "FIRST_PATIENCE", 60.0)
    with serve(FakeVLLM(limit=20)) as running:
        yield running


@pytest.fixture
def connected(open_app: Callable[..., AppTest], server: Running) -> AppTest:
    """The app with that server in use, as after Connect."""
    return use_server(open_app(prompt="def main", temperature="1.0", top_k="0", top_p="1.0"), server.address, str(TINY))


@pytest.fixture
def session() -> Callable[[AppTest], Any]:
    """The visitor's state behind an opened app."""
    return lambda app: app.session_state["_session"]
