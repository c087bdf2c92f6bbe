"""How long from `streamlit run` to the first odds in a browser: python -m tests.benchmarks.start [--beside FOLDER] [--rounds 3]

The browser runs already and asks for the page until the server listens. With --beside, another copy of the app (of an older commit, say)
takes turns with this one, so that whatever else the machine does meets both alike; the ratio is the median of the rounds' ratios.
"""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

from tests.benchmarks import programs
from tests.benchmarks.page import open_watch
from tests.browser.conftest import ROOT, free_port


def seconds(browser: Any, folder: Path) -> float:
    """From the start of the server in this folder to the first odds on a fresh page."""
    port = free_port()
    with closing(browser.new_page(viewport={"width": 1400, "height": 900})) as page:
        started = monotonic()
        with programs.program(programs.app_command(port), folder):
            open_watch(page, f"http://127.0.0.1:{port}")
            return monotonic() - started


def main() -> None:
    parser = programs.arguments(__doc__)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    folders = [ROOT, *([wanted.beside.resolve()] if wanted.beside else [])]
    times: dict[Path, list[float]] = {folder: [] for folder in folders}
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    with programs.browser() as browser:
        for folder in folders:
            seconds(browser, folder)  # compiles what Python and numba keep on disk
        for _ in range(wanted.rounds):
            for folder in folders:
                times[folder].append(seconds(browser, folder))
    print(f"{os.cpu_count()} processors, load {load:.1f} before the start, {wanted.rounds} rounds")
    for folder, found in times.items():
        print(f"{folder.name:20}{median(found):7.1f} s to the first odds [{min(found):.1f} {max(found):.1f}]")
    if wanted.beside:
        print(f"ratio {median(b / a for a, b in zip(*times.values(), strict=True)):.2f}")


if __name__ == "__main__":
    main()
