"""The running app and a real browser, one of each for all browser tests; every test also proves that no request left the machine."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browser.watching import COLD, PATIENCE, Watching

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
START_SECONDS = 60


def find_browser() -> str | None:
    """The program of a chromium on this machine."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser test gets a second try, which the report counts: browser, server and model share a machine with other tests."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1, reruns_delay=3))


@contextmanager
def running_app(port: int | None = None, **environment: str) -> Iterator[str]:
    """A server of its own, on a free port if none is named; yields its address once it answers, and ends it afterwards."""
    port = port or free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"HF_HUB_OFFLINE": "1"} | environment, **quiet)  # type: ignore[call-overload]
    try:
        latest = monotonic() + START_SECONDS
        while True:
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).read()
                break
            except OSError:
                if server.poll() is not None or monotonic() > latest:
                    pytest.fail("the app did not start")
                sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=20)


@pytest.fixture(scope="package")
def app() -> Iterator[str]:
    """The address of the app that all browser tests share. Its visitors come and go faster than sessions do: there is room for all."""
    with running_app(TOKEN_VIEWER_TRAINING_MEGABYTES="6000") as address:
        yield address


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """A real browser. Without one the tests are skipped; where CI runs them they fail."""
    program = find_browser()
    if program is None:
        missing = "no chromium on this machine; install it to run the browser tests"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def new_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """A page of a new visitor at an address. Afterwards: no request went anywhere else, no script failed."""
    asked: list[str] = []
    failed: list[str] = []
    contexts: list[Any] = []

    def open_page(address: str, width: int = 1400, height: int = 900, dark: bool = False) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light")
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    outside = [url for url in asked if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).hostname != "127.0.0.1"]
    assert not outside, f"requests left the machine: {outside[:5]}"
    assert asked, "the record of requests is empty, so it proves nothing"
    assert not failed, failed


@pytest.fixture
def visit(new_page: Callable[..., Any]) -> Callable[..., Watching]:
    """Open the Watch page at an address as a new visitor: `visit(address, width=390)`."""
    return lambda address, **look: Watching(new_page(address, **look))


@pytest.fixture
def at(app: str, new_page: Callable[..., Any]) -> Callable[..., Any]:
    """Open any other page as a new visitor and wait for its heading: `at("compare", width=390)`; address: of another server."""

    def open_page(path: str, address: str = app, **look: Any) -> Any:
        page = new_page(f"{address}/{path}", **look)
        page.locator("h1").first.wait_for(timeout=COLD)
        return page

    return open_page
