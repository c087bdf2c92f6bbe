"""What the app takes on disk and in memory: python -m tests.benchmarks.footprint

Disk: the files of the app, and of the packages that requirements.txt names with all that they need, as installed here. Memory: resident
size of the process when the first model is loaded, and after a browser has shown the first page.
"""

from __future__ import annotations

import re
from collections import Counter
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from packaging.requirements import Requirement

from tests.benchmarks import programs
from tests.benchmarks.page import open_watch
from tests.browser.conftest import ROOT, free_port

LARGEST = 6  # packages that are printed by name
PARTS = ("core", "pages", "app.py", ".streamlit")


def installed_bytes(requirements: list[str]) -> Counter[str]:
    """Return the size of each package that these lines need, directly or not, and that is installed."""
    sizes: Counter[str] = Counter()
    waiting = [Requirement(line) for line in requirements]
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in sizes or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue
        files = (Path(str(package.locate_file(file))) for file in package.files or ())
        sizes[name] = sum(file.stat().st_size for file in files if file.is_file())
        waiting += [Requirement(line) for line in package.requires or ()]
    return sizes


def app_bytes() -> int:
    """Return the size of the app's own files, bundled models included."""
    files = (file for part in PARTS for file in [ROOT / part, *(ROOT / part).rglob("*")])
    return sum(file.stat().st_size for file in files if file.is_file() and file.suffix != ".pyc")


def memory() -> tuple[float, float]:
    """Return the resident megabytes of a process that is ready, and of the same one when a browser shows its first page."""
    port = free_port()
    with programs.app(port) as process, programs.browser() as browser:
        programs.wait_for(f"http://127.0.0.1:{port}/healthz")
        ready = process.memory_info().rss / 1e6
        open_watch(browser.new_page(), f"http://127.0.0.1:{port}")
        return ready, process.memory_info().rss / 1e6


def main() -> None:
    """Print disk and memory."""
    sizes = installed_bytes((ROOT / "requirements.txt").read_text("utf-8").splitlines())
    largest = ", ".join(f"{name} {size / 1e6:.0f}" for name, size in sizes.most_common(LARGEST))
    print(f"disk, the app             {app_bytes() / 1e6:6.0f} MB, bundled models included")
    print(f"disk, {len(sizes)} packages         {sizes.total() / 1e6:6.0f} MB ({largest}), torch {version('torch')}")
    ready, shown = memory()
    print(f"memory, ready             {ready:6.0f} MB, the first model is loaded")
    print(f"memory, a page is shown   {shown:6.0f} MB")


if __name__ == "__main__":
    main()
