"""How long a page takes to show something finished: python -m tests.benchmarks.first_results [--rounds 3] [--live]

A new browser opens every page, one after the other: seconds from the address to a page that is drawn to its last line. Then Watch is
opened and the page is chosen from the menu: seconds from the click. With --live the experiments of Serving run with what their pages begin
with: seconds from the press to the first observation and to the last, as the experiment's own clock has them, which is what the saved
recording of it holds. The server has served a page before; nothing else runs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from pages.ui.i18n import page_titles
from tests.browser.conftest import find_browser, running_app
from tests.browser.watching import live

LONG = 180_000  # ms
LIVE = {
    "batching": "batching",
    "speculative": "speculative",
    "quantization": "quantization",
    "pupil": "pupil",
    "waiting": "waiting",
}  # a page, and its experiment
DRAWN = """() => document.querySelector('h1') && document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'
  && !document.querySelector('[data-testid=stSkeleton]') && window.tokenViewerKeys?.list"""


def opened(browser: Any, address: str) -> tuple[Any, float]:
    """A page in a fresh context, and after how many seconds it was drawn."""
    page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
    page.set_default_timeout(LONG)
    began = monotonic()
    page.goto(address)
    page.wait_for_function(DRAWN)
    return page, monotonic() - began


def turned(page: Any, address: str, path: str, group: str, title: str) -> float:
    """From Watch to another page by the menu; after how many seconds it was drawn."""
    page.goto(address)
    page.wait_for_function(DRAWN)
    page.locator('[data-testid="stTopNavSection"]', has_text=group).click()
    link = page.locator('[data-testid="stTopNavDropdownLink"]', has=page.get_by_text(title, exact=True))
    link.wait_for()
    began = monotonic()
    link.click()
    page.wait_for_function(f"() => location.pathname.endsWith('/{path}') && ({DRAWN})()")
    return monotonic() - began


def run_live(page: Any, path: str, name: str) -> tuple[float, float]:
    """Press the page's button; seconds to the first observation and to the last."""
    live(page, f"{path}_start", name, LONG)
    with TemporaryDirectory() as folder, page.expect_download() as waiting:
        page.locator(f".st-key-keep_{name} button:visible").click()
        file = Path(folder) / "run.json.gz"
        waiting.value.save_as(file)
        seconds = json.loads(gzip.decompress(file.read_bytes()))["seconds"]
    return seconds[0], seconds[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--live", action="store_true")
    wanted = parser.parse_args()
    from playwright.sync_api import sync_playwright

    program = find_browser()
    if program is None:
        sys.exit("There is no chromium on this machine.")
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the start, {wanted.rounds} rounds")
    with sync_playwright() as playwright, running_app() as app:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        opened(browser, app)[0].context.close()
        for group, file, title, _ in () if wanted.live else page_titles.PAGES:
            path = Path(file).stem if file != "watch.py" else ""
            fresh, menu = [], []
            for _ in range(wanted.rounds):
                page, took = opened(browser, f"{app}/{path}")
                fresh.append(took)
                if path and path not in page_titles.CHROMELESS_PAGES:
                    menu.append(turned(page, app, path, group, title))
                page.context.close()
            told = "".join(f"{median(times):8.2f} s [{min(times):.2f} {max(times):.2f}]" for times in (fresh, menu) if times)
            print(f"{title:36}{told}", flush=True)
        for path, name in LIVE.items() if wanted.live else ():
            ends = []
            for _ in range(wanted.rounds):
                page, _ = opened(browser, f"{app}/{path}")
                ends.append(run_live(page, path, name))
                page.context.close()
            for told, found in zip(("first", "last"), zip(*ends, strict=True), strict=True):
                print(f"{name:16}{told:8}{median(found):6.2f} s [{min(found):.2f} {max(found):.2f}]", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
