"""A live page in a browser: size, time to the first bars, speed, memory: python -m tests.benchmarks.live_page [--model storyteller]

The browser has no network. Tokens per second: the model's passes at the beginning of the context, with SIMD and in plain JavaScript; and
Play as fast as it goes, with everything that is drawn. Memory: of the tab's process without files, when the first bars are drawn and
after Play.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

import psutil

from core import load_model
from core.reports.live_page.page import page as page_of
from tests.benchmarks import programs

TOKENS = 100
PASSES = f"""async () => {{
  const {{ run }} = tokenViewerPage, ids = [...run.promptIds, ...Array.from({{ length: {TOKENS} }}, (_, i) => 300 + i)];
  await run.model.after(ids.slice(0, 30), async () => {{}});
  const {{ computed, seconds }} = await run.model.after([...ids].reverse(), async () => {{}});
  return computed / seconds;
}}"""
PLAYED = f"""async () => {{
  const {{ run }} = tokenViewerPage, began = performance.now();
  run.settings = {{ ...run.settings, temperature: 1.2 }};
  await run.press("play", {{ speed: 0 }});
  while (run.playing && run.path.length < {TOKENS}) await new Promise(requestAnimationFrame);
  const speed = 1000 * run.path.length / (performance.now() - began);
  await run.press("pause");
  return speed;
}}"""


def memory(browser: Any) -> float:
    """Return the memory in MB of the browser's largest tab, without files and without what it shares with others."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    held = [psutil.Process(one["id"]).memory_info() for one in processes if one["type"] == "renderer"]
    return max((each.rss - getattr(each, "shared", 0)) / 1e6 for each in held)


def measured(browser: Any, file: Path, way: str) -> tuple[float, ...]:
    """Return the seconds to the first bars, the passes per second, the tokens per second in Play, and the MB at first and then."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    began = monotonic()
    page.goto(file.as_uri() + way)
    page.wait_for_selector("main[data-ready] .bar", timeout=120_000)
    opened = monotonic() - began
    first = memory(browser)
    found = opened, page.evaluate(PASSES), page.evaluate(PLAYED), first, memory(browser)
    context.close()
    return found


def main() -> None:
    parser = programs.arguments(__doc__)
    parser.add_argument("--model", default="storyteller")
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, programs.browser() as browser:
        file = Path(folder) / "live.html"
        file.write_text(page_of(load_model(wanted.model)), "utf-8")
        print(f"{wanted.model}: {file.stat().st_size / 1e6:.1f} MB; load of the machine {os.getloadavg()[0]:.1f}")
        for name, way in (("SIMD", ""), ("plain JavaScript", "#plain")):
            rounds = [measured(browser, file, way) for _ in range(wanted.rounds)]
            opened, passes, played, first, then = map(median, zip(*rounds, strict=True))
            speeds = f"a second {passes:.0f} passes, in Play {played:.0f} tokens"
            print(f"{name}: first bars after {opened:.1f} s; {speeds}; {first:.0f} MB, after Play {then:.0f} MB")


if __name__ == "__main__":
    main()
