"""What benchmarks start and stop: a browser, and the app as it is installed for visitors."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil

from tests.browser.conftest import ROOT, find_browser, free_port

QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser. Raises SystemExit if this machine has none."""
    from playwright.sync_api import sync_playwright

    program = find_browser()
    if program is None:
        sys.exit("There is no chromium on this machine.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


def answering(process: subprocess.Popen[bytes], port: int) -> subprocess.Popen[bytes]:
    """Return the process when it answers on this port. Raises SystemExit after 30 seconds."""
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1):
                return process
        except OSError:
            time.sleep(0.1)
    process.terminate()
    raise SystemExit("The app did not start within 30 seconds.")


def start_app(port: int) -> subprocess.Popen[bytes]:
    """Start the app on this port and return its process when it answers."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.address", "127.0.0.1"]
    environment = os.environ | {"STREAMLIT_SERVER_COOKIE_SECRET": "the same on all replicas"}
    return answering(subprocess.Popen(command, cwd=ROOT, env=environment, **QUIET), port)


@contextmanager
def running_app() -> Iterator[tuple[psutil.Process, int]]:
    """Run the app and yield its process and its port."""
    port = free_port()
    app = start_app(port)
    try:
        yield psutil.Process(app.pid), port
    finally:
        app.terminate()
        app.wait(20)
