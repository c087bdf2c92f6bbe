"""How fast the Watch page is in a real browser: `python -m tests.benchmarks.page`.

Measured from inside the browser, as a visitor would feel it: from the press to the last change of the odds' drawing.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
from time import monotonic
from typing import Any

from tests.browser.conftest import ROOT, find_browser, free_port

PRESSES = 20
PLAY_SECONDS = 8
QUIET = 400  # ms without a change after which a drawing is finished
WATCH = """() => {
  window.drawn = [];
  new MutationObserver(() => window.drawn.push(performance.now())).observe(document.querySelector(".st-key-odds"),
    { subtree: true, childList: true, attributes: true, characterData: true });
  const find = root => {
    for (const node of root.querySelectorAll("*")) {
      if (node.classList.contains("words")) return node;
      const inner = node.shadowRoot && find(node.shadowRoot);
      if (inner) return inner;
    }
  };
  window.lengths = [];
  const words = find(document);
  new MutationObserver(() => window.lengths.push([performance.now(), words.places.length])).observe(words, { childList: true });
}"""
PRESSED = f"""async selector => {{
  window.drawn = [];
  const start = performance.now();
  document.querySelector(selector).click();
  for (;;) {{
    await new Promise(done => setTimeout(done, 50));
    const last = window.drawn.at(-1);
    if (last && performance.now() - last > {QUIET}) return last - start;
  }}
}}"""


def main() -> None:
    """Start the app, measure, print a small table."""
    from playwright.sync_api import sync_playwright

    program = find_browser()
    if program is None:
        sys.exit("There is no chromium on this machine.")
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        started = monotonic()
        server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _open(page, f"http://127.0.0.1:{port}")
            start_up = monotonic() - started
            page.wait_for_timeout(1500)
            page.evaluate(WATCH)
            steps = [page.evaluate(PRESSED, ".st-key-step button") for _ in range(PRESSES)]
            slides = _slides(page)
            rate = _play(page)
        finally:
            server.terminate()
            server.wait(timeout=20)
            browser.close()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {load:.1f}")
    print(f"{'from start to first distribution':<28}{start_up:8.1f} s        goal  6")
    print(f"{'Step to drawn distribution':<28}{statistics.median(steps):8.0f} ms       goal  150")
    print(f"{'slider to drawn distribution':<28}{statistics.median(slides):8.0f} ms       goal  150")
    print(f"{'drawn steps in Play':<28}{rate:8.1f} a second goal  10")


def _open(page: Any, address: str) -> None:
    """Open the page as soon as the server listens, and wait for the first odds."""
    while True:
        try:
            page.goto(address)
            break
        except Exception:  # not listening yet
            page.wait_for_timeout(50)
    page.wait_for_selector(".st-key-odds svg.marks", timeout=120_000)


def _slides(page: Any) -> list[float]:
    """Milliseconds from a key on the temperature slider to the redrawn odds."""
    handle = page.locator(".st-key-temperature input[type=range]")
    handle.focus()
    times = []
    for turn in range(PRESSES):
        page.evaluate("() => { window.drawn = []; window.slid = 0; }")
        page.evaluate(
            "() => document.addEventListener('keydown', () => { window.slid = performance.now(); }, { once: true, capture: true })"
        )
        page.keyboard.press("ArrowRight" if turn % 2 else "ArrowLeft")
        page.wait_for_function(f"() => window.drawn.length && performance.now() - window.drawn.at(-1) > {QUIET}", polling=50)
        times.append(page.evaluate("() => window.drawn.at(-1) - window.slid"))
    return times


def _play(page: Any) -> float:
    """Steps a second that appear in the sentence while it plays at full speed."""
    handle = page.locator(".st-key-speed input[type=range]")
    handle.focus()
    handle.press("End")
    page.wait_for_timeout(1000)
    page.locator(".st-key-restart button").click()
    page.wait_for_timeout(1000)
    page.locator(".st-key-play button").click()
    page.wait_for_timeout(1000)
    page.evaluate("() => { window.lengths = []; }")
    page.wait_for_timeout(PLAY_SECONDS * 1000)
    seen = page.evaluate("() => window.lengths")  # shorter than the time if the text came to its end
    drawn = len({length for _, length in seen})
    return (drawn - 1) / ((seen[-1][0] - seen[0][0]) / 1000)


if __name__ == "__main__":
    main()
