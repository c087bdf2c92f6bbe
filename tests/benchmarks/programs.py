"""What benchmarks start: the app, other programs and a browser, each until the end of its block. And what several print."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from tests.browser.conftest import ROOT, find_browser

START_SECONDS = 60


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help is the docstring of the benchmark."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


@contextmanager
def program(command: Sequence[str], folder: Path = ROOT, **environment: str) -> Iterator[psutil.Process]:
    """Start a program without its output and yield its process."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = subprocess.Popen(command, cwd=folder, env=os.environ | environment, **quiet)  # type: ignore[call-overload]
    try:
        yield psutil.Process(started.pid)
    finally:
        started.terminate()
        started.wait(20)


def app_command(port: int) -> list[str]:
    """Return the command that starts the app on this port of this machine."""
    return [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.address", "127.0.0.1"]


@contextmanager
def app(port: int) -> Iterator[psutil.Process]:
    """Start the app and yield its process when it answers."""
    with program(app_command(port), STREAMLIT_SERVER_COOKIE_SECRET="the same on all replicas") as process:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health")
        yield process


def wait_for(address: str, seconds: float = START_SECONDS) -> None:
    """Wait until this address is answered with 200. Ends the benchmark if it is not."""
    latest = time.monotonic() + seconds
    while time.monotonic() < latest:
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"Nothing answers at {address}.")


@contextmanager
def browser() -> Iterator[Any]:
    """Start a browser and yield it. Ends the benchmark if there is none."""
    from playwright.sync_api import sync_playwright

    if find_browser() is None:
        raise SystemExit("There is no chromium on this machine.")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        yield started
        started.close()


def tell(name: str, seconds: Sequence[float]) -> None:
    """Print a line of percentiles, if something was measured."""
    if len(seconds):
        p50, p95, p99 = np.percentile(seconds, [50, 95, 99])
        print(f"  {name:<34} median {p50:.3f} s, p95 {p95:.3f} s, p99 {p99:.3f} s, most {max(seconds):.3f} s ({len(seconds)})")


def tell_errors(errors: Sequence[str]) -> None:
    """Print how many errors there were, and the first three."""
    print(f"  {'errors':<34} {len(errors)} {errors[:3] if errors else ''}")


def tell_load(before: float) -> None:
    """Print a warning if the machine was busy before the start."""
    if before > 0.7:
        print(f"This machine was busy (load {before:.1f} before the start): take the ratios, not the seconds.")
