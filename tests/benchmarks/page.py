"""How fast Watch is in a real browser: `python -m tests.benchmarks.page [--busy 2] [--experiments 8] [--presses 1000] [--pages]`.

Measured inside the browser, as a visitor sees it: from a press to the frame with the last change of text, bars and dice. Presses are real
input events. --busy: loops that run beside it, one for each processor. --experiments: visitors of the same server who race caches all the
time. --presses: presses on Step and Back at 20 a second. --pages: from a press in the menu or on a tab until all of the page is drawn.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic, sleep
from typing import Any

import numpy as np

from pages.ui import features
from tests.benchmarks import programs
from tests.browser.conftest import ROOT, free_port
from tests.browser.watching import turn_to

TURNS = 20
PLAY_SECONDS = 6
APART = 0.05  # seconds between two of many presses
STEPS, BACKS = 9, 8  # of many presses, in turn: a press that is lost or done twice changes the length of the text
QUIET = 300  # milliseconds without a change after which a drawing is finished
# Before the page's own listeners, which end the way of a key that is theirs.
LISTEN = """() => {
  window.measured = { began: 0 };
  for (const name of ["pointerdown", "keydown"]) window.addEventListener(name, () => { window.measured.began = performance.now(); }, true);
}"""
WATCH = """() => {
  const shown = root => [...root.children].filter(child => !child.matches(".announcer")).map(child => child.textContent).join();
  const look = () => [...window.tokenViewerLive.parts.keys()].filter(root => ["text", "bars", "dice"].includes(root.dataset.part))
    .map(root => shown(root) + [...root.querySelectorAll("i.used")].map(bar => bar.style.cssText).join()).join();
  const state = Object.assign(window.measured, { last: 0, seen: look(), lengths: new Set() });
  const { port1, port2 } = new MessageChannel(); // looks as soon as a frame is drawn
  port1.onmessage = () => {
    const seen = look();
    if (seen !== state.seen) {
      [state.seen, state.last] = [seen, performance.now()];
      state.lengths.add(window.tokenViewerLive.tokens.length);
    }
  };
  const frame = () => {
    port2.postMessage("");
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
DRAWN = """path => (window.tokenViewerPage || "watch") === path
  && document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning"
  && [...document.querySelectorAll("[data-testid=stVegaLiteChart]")].every(one => !one.checkVisibility() || one.querySelector("svg"))
  && performance.now() - window.measured.began"""
SETTLED = f"() => window.measured.last > window.measured.began && performance.now() - window.measured.last > {QUIET}"


def main() -> None:
    """Start the app, measure, print a small table."""
    parser = programs.arguments(__doc__)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--experiments", type=int, default=0)
    parser.add_argument("--presses", type=int, default=0)
    parser.add_argument("--pages", action="store_true")
    asked = parser.parse_args()
    port = free_port()
    with programs.browser() as browser, ExitStack() as beside:
        for _loop in range(asked.busy):
            beside.enter_context(programs.program([sys.executable, "-c", "while True: pass"]))
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.add_init_script(f"({LISTEN})()")
        started = monotonic()
        beside.enter_context(programs.program(programs.app_command(port)))
        open_watch(page, f"http://127.0.0.1:{port}")
        start_up = monotonic() - started
        if asked.experiments:
            beside.enter_context(experimenters(port, asked.experiments))
        measure(page, asked, start_up)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    sys.stdout.write(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {load:.1f}\n")


@contextmanager
def experimenters(port: int, count: int) -> Iterator[None]:
    """Let so many visitors race caches. From the first race that has ended on, all of them are there."""
    command = [sys.executable, "-m", "tests.benchmarks.experimenters", f"http://127.0.0.1:{port}", str(count)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as visitors:
        assert visitors.stdout is not None
        visitors.stdout.readline()
        try:
            yield
        finally:
            visitors.terminate()


def measure(page: Any, asked: argparse.Namespace, start_up: float) -> None:
    """Do what the command line asks for, and print it. start_up: seconds to the first bars."""
    page.wait_for_timeout(2000)
    page.evaluate(WATCH)
    _report(f"{asked.busy} busy loops; from start to first bars", [1000 * start_up])
    step = page.locator("button[data-name=step]")
    _report("press on Step to last change", [_measured(page, step.click) for _turn in range(TURNS)])
    _report("key to last change", [_measured(page, lambda: page.keyboard.press("ArrowRight")) for _turn in range(TURNS)])
    _report("click on a bar to last change", [_measured(page, lambda place=turn % 3 + 1: _bar(page, place)) for turn in range(TURNS)])
    page.evaluate("async () => { const live = window.tokenViewerLive; await live.press('restart'); await live.press('step'); }")
    page.wait_for_timeout(1500)
    handle = page.locator(".st-key-temperature input[type=range]")
    handle.focus()
    keys = ["ArrowRight" if turn % 2 else "ArrowLeft" for turn in range(TURNS)]
    _report("slider to last change", [_measured(page, lambda key=key: page.keyboard.press(key)) for key in keys])
    for speed in (20.0, 0.0):
        _play(page, speed)
    if asked.presses:
        _many(page, asked.presses)
    if asked.pages:
        for lap in ("first time", "again"):
            _pages(page, lap)


def _report(title: str, milliseconds: list[float]) -> None:
    middle, high = statistics.median(milliseconds), float(np.quantile(milliseconds, 0.95))
    sys.stdout.write(f"{title}: median {middle:.0f} ms, p95 {high:.0f} ms\n")
    sys.stdout.flush()


def open_watch(page: Any, address: str) -> None:
    """Open the page as soon as the server listens, and wait for the first bars."""
    while True:
        try:
            page.goto(address)
            break
        except Exception:  # not listening yet
            sleep(0.05)
    page.locator(".st-key-odds .bar").first.wait_for(timeout=120_000)


def _measured(page: Any, act: Any) -> float:
    """Do something, and return the milliseconds from its event to the last change."""
    act()
    page.wait_for_function(SETTLED)
    return float(page.evaluate("() => window.measured.last - window.measured.began"))


def _bar(page: Any, place: int) -> None:
    """Click a bar that is not the chosen one."""
    page.locator(".st-key-odds .bar:not(.chosen):visible").nth(place).click()


def _play(page: Any, speed: float) -> None:
    """Play from the prompt, and print how many steps were made and drawn."""
    page.evaluate(
        "async speed => { const live = window.tokenViewerLive; await live.press('restart'); await live.press('speed', { speed }); }", speed
    )
    page.wait_for_timeout(1500)
    page.evaluate("() => { window.measured.lengths.clear(); }")
    page.locator("button[data-name=play]").click()
    began = monotonic()
    page.wait_for_function("() => window.measured.lengths.size > 1")
    page.wait_for_function(
        f"() => !window.tokenViewerLive.data.playing || performance.now() - window.measured.began > {1000 * PLAY_SECONDS}"
    )
    seconds = monotonic() - began
    made, drawn = page.evaluate("() => [window.tokenViewerLive.tokens.length, window.measured.lengths.size - 1]")
    page.evaluate("() => window.tokenViewerLive.press('pause')")
    name = f"{speed:g} a second" if speed else "as fast as it goes"
    sys.stdout.write(f"Play, {name}: {made} steps made, {drawn} drawn in {seconds:.1f} s, {drawn / seconds:.1f} a second\n")


def _many(page: Any, presses: int) -> None:
    """Press Step and Back at 20 a second, and print how many presses were lost or done twice."""
    page.evaluate("() => window.tokenViewerLive.press('restart')")
    page.wait_for_timeout(1500)
    boxes = [page.locator(f"button[data-name={name}]").bounding_box() for name in ("step", "back")]
    places = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    expected, due = 0, monotonic()
    for number in range(presses):
        is_back = number % (STEPS + BACKS) >= STEPS
        expected += -1 if is_back else 1
        page.mouse.click(*places[is_back])
        due += APART
        sleep(max(0.0, due - monotonic()))
    page.wait_for_timeout(3000)
    sent, length = page.evaluate("() => [window.tokenViewerLive.connection.number, window.tokenViewerLive.tokens.length]")
    sys.stdout.write(f"{presses} presses at {1 / APART:.0f} a second: {sent} numbered in all; {length} tokens, {expected} expected\n")


def _pages(page: Any, lap: str) -> None:
    """Open each page that the menu lists and that has the menu, and print how long the pages took, the slowest ones by name."""
    times: dict[str, float] = {}
    for group in (*features.GROUPS[1:], features.GROUPS[0]):  # Watch is open at the beginning
        first, *others = (feature for feature in features.tabs(group) if not feature.bare)
        for feature in (first, *others):
            if feature is first:
                turn_to(page, group)
            else:
                page.locator(
                    ".st-key-page_tabs a[href]:visible, .st-key-ways a[href]:visible",
                    has=page.get_by_text(feature.tab or feature.title, exact=True),
                ).click()
            times[feature.path] = page.wait_for_function(DRAWN, arg=feature.path).json_value()
    _report(f"change of page, {lap}", list(times.values()))
    slowest = sorted(times, key=times.__getitem__, reverse=True)[:5]
    sys.stdout.write("  " + ", ".join(f"{path} {times[path]:.0f}" for path in slowest) + "\n")


if __name__ == "__main__":
    main()
