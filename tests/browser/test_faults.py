"""Faults of the machine and the network: a server that has just started or stands still, a proxy without websockets.

One sentence says what happens.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from tests.browser.balancer import balancing
from tests.browser.conftest import running_app
from tests.browser.watching import Watching, eventually, settled

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
SENTENCE = "The server has not answered for 5 seconds."
NO_WEBSOCKET = "This page cannot connect to its app: no websocket can be opened"


@contextmanager
def standing_still(address: str) -> Iterator[None]:
    """Stop the process that serves this address, and let it go on afterwards."""
    port = str(urlsplit(address).port)
    server = next(one for one in psutil.process_iter(["cmdline"]) if {"streamlit", port} <= set(one.info["cmdline"] or ()))
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.pid, signal.SIGCONT)


def test_a_new_server_opens_its_first_link_and_is_named_when_it_stands_still(new_page: Callable[..., Any], visit: Visit) -> None:
    with running_app() as address:
        first_link(new_page(f"{address}/_stcore/health"), address)
        stands_still(visit("?prompt=Once+upon+a+time", address=address), address)


def first_link(page: Any, address: str) -> None:
    """An address that is no file of `pages/` is known to Streamlit only after a page was opened: the app opens one before it is ready."""

    def ready() -> None:
        assert page.request.get(f"{address}/healthz").json()["ready"]

    eventually(page, ready, 60)
    page.goto(f"{address}/two-branches?prompt=The+old+king&temperature=0.7")
    page.get_by_role("heading", name="Two branches").first.wait_for()
    settled(page)
    assert page.get_by_text("Page not found").count() == 0
    assert page.locator(".st-key-temperature input[type=range]").input_value() == "0.7", "a cold server opens the link"


def stands_still(watching: Watching, address: str) -> None:
    """The server is named, and nothing is lost."""
    written = watching.steps(1, 2)
    notice = watching.page.get_by_text(SENTENCE)
    with standing_still(address):
        watching.button("step").click()
        notice.wait_for(timeout=20_000)
        assert watching.written() == written
    watching.until("steps.length === 3")
    assert watching.written()[:2] == written
    notice.wait_for(state="hidden")
    watching.steps(4, 4)


def test_a_proxy_without_websockets_is_named_on_the_page(new_page: Callable[..., Any], app: str) -> None:
    with balancing(urlsplit(app).port or 0) as balancer:
        balancer.passes_websockets = False
        page = new_page("about:blank", locale="en-GB")  # a context of its own: the clock stays with it
        page.clock.install(time=0)
        page.clock.pause_at(1)  # from here on only the test moves the page's clock
        page.goto(f"http://127.0.0.1:{balancer.port}/glossary")
        notice = page.get_by_role("alert").filter(has_text=NO_WEBSOCKET)
        page.clock.fast_forward(9_000)
        assert notice.count() == 0, "a slow server has its time"
        page.clock.fast_forward(2_000)
        notice.wait_for()
        balancer.passes_websockets = True
        page.clock.fast_forward(11_000)
        notice.wait_for(state="detached")
        page.clock.resume()
        settled(page)
