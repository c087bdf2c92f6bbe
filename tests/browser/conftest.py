"""One server and one browser for all browser tests of a worker; every test also shows that no request left the machine."""

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

from tests.browser.presenting import OnStage
from tests.browser.watching import COLD, PATIENCE, Watching, settled

pytest.register_assert_rewrite("tests.browser.drawn", "tests.browser.observed")  # so that a failure says what was drawn

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
START_SECONDS = 60


def find_browser() -> str | None:
    """Return the path of a Chromium program on this machine, None if there is none."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


def free_port() -> int:
    """Return a port on which no program listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running_app(port: int | None = None, **environment: str) -> Iterator[str]:
    """Start a server, yield its address when it answers, and stop it afterwards. port: a free one if None."""
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
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:  # on a busy machine
            server.kill()
            server.wait()


@pytest.fixture(scope="session")
def app() -> Iterator[str]:
    """The address of the server that all browser tests of this worker share."""
    with running_app(TOKEN_VIEWER_TRAINING_MEGABYTES="6000") as address:  # sessions outlive their tests: room for all trainings
        yield address


@pytest.fixture(scope="session")
def hall() -> Iterator[str]:
    """The address of a second server of this worker, which listens beyond its machine and finds llama-server, if it was built."""
    from tests.servers.build import SERVER

    path = f"{SERVER.parent}{os.pathsep}{os.environ['PATH']}"
    with running_app(STREAMLIT_SERVER_ADDRESS="0.0.0.0", TOKEN_VIEWER_PUBLIC="0", PATH=path) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real browser. Without one the tests are skipped; in CI they fail."""
    program = find_browser()
    if program is None:
        missing = "no chromium on this machine; install it to run the browser tests"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def left() -> list[Any]:
    """Pages that earlier tests left, without anything that they stored. A page that has loaded the app before loads it in half the time."""
    return []


def emptied(page: Any, app: str) -> bool:
    """Close what was opened beside a page and delete what its visitor stored. Returns whether the next visitor can have the page."""
    if page.is_closed() or not page.url.startswith(app):
        return False
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.mouse.move(0, 0)
    page.goto(f"{app}/_stcore/health")
    page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    page.context.clear_cookies()
    return True


@pytest.fixture
def new_page(browser: Any, app: str, left: list[Any]) -> Iterator[Callable[..., Any]]:
    """Open a page of a new visitor at an address. Afterwards: no request left the machine, no script failed.

    beside: a page of the same visitor; the new one then shares its browser storage, like a second window.
    options: of the browser's context, which is a fresh one then.
    """
    asked: list[str] = []
    failed: list[str] = []
    opened: list[tuple[Any, bool]] = []
    heard = {"request": lambda request: asked.append(request.url), "pageerror": lambda error: failed.append(str(error))}

    def first_page(**options: Any) -> Any:
        if left and not options:
            return left.pop()
        context = browser.new_context(**options)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.set_default_timeout(PATIENCE)
        return context.new_page()

    def open_page(
        address: str, width: int = 1400, height: int = 900, beside: Any = None, color_scheme: str = "light", **options: Any
    ) -> Any:
        if beside is None:
            page = first_page(**options)
            opened.append((page, not options))
        else:
            page = beside.context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=color_scheme, reduced_motion="no-preference")
        for event, listen in heard.items():
            page.on(event, listen)
        page.goto(address)
        return page

    yield open_page
    for page, usual in opened:
        for event, listen in heard.items():
            page.remove_listener(event, listen)
        if usual and emptied(page, app):
            left.append(page)
        else:
            page.context.close()
    outside = [url for url in asked if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).hostname != "127.0.0.1"]
    assert not outside, f"requests left the machine: {outside[:5]}"
    assert asked, "the record of requests is empty, so it proves nothing"
    assert not failed, failed


@pytest.fixture
def visit(app: str, new_page: Callable[..., Any]) -> Callable[..., Watching]:
    """Open the Watch page as a new visitor: `visit("?seed=3", width=390)`. address: of another server."""
    return lambda query="", address=app, **look: Watching(new_page(f"{address}/{query}", **look))


@pytest.fixture
def at(app: str, new_page: Callable[..., Any]) -> Callable[..., Any]:
    """Open any page as a new visitor and wait until it stands still: `at("compare", width=390)`. address: of another server."""

    def open_page(path: str, address: str = app, **look: Any) -> Any:
        page = new_page(f"{address}/{path}", **look)
        settled(page, COLD)
        return page

    return open_page


@pytest.fixture(scope="session")
def live_files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The live page of each bundled model, by its name."""
    from tests.browser.live_files import written_in  # imports torch, for which other tests need not wait

    return written_in(tmp_path_factory.mktemp("live"))


@pytest.fixture
def open_file(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a file in the browser, without a network."""
    from tests.browser.live_files import opening

    with opening(browser) as opened:
        yield opened


@pytest.fixture
def on_stage(new_page: Callable[..., Any], app: str) -> Callable[..., OnStage]:
    """Open a page for a presenter: `on_stage("/stage")`. beside: a second window of the same presenter."""

    def opened(path: str, beside: OnStage | None = None) -> OnStage:
        return OnStage(new_page(f"{app}{path}", width=1280, height=720, beside=beside.page if beside else None))

    return opened
