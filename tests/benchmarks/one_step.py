"""What one press on Step passes through, by Python's profiler: `python -m tests.benchmarks.one_step`.

Prints how many of the project's files and calls `run.step()` takes, a press by the route of the run, and a second run of the page's script
in Streamlit's own test runner, with the files that take most. Calls inside compiled code are not seen.
`--files` lists every file.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from core import Generation, SamplingSettings, load_model
from core.backends import compiled

ROOT = Path(__file__).parents[2]


def traced(act: Callable[[], object]) -> tuple[Counter[str], int]:
    """Return the calls of each of the project's files while this is done, in all threads, and how many functions were called."""
    import threading

    calls: Counter[tuple[str, str]] = Counter()

    def called(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(ROOT)) and frame.f_code.co_filename != __file__:
            calls[frame.f_code.co_filename, frame.f_code.co_qualname] += 1

    threading.setprofile(called)
    sys.setprofile(called)
    try:
        act()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    files: Counter[str] = Counter()
    for (file, _function), count in calls.items():
        files[str(Path(file).relative_to(ROOT))] += count
    return files, len(calls)


def report(title: str, files: Counter[str], functions: int, all_files: bool) -> None:
    """Print one line, and the files that take most calls."""
    sys.stdout.write(f"{title}: {len(files)} files, {functions} functions, {files.total()} calls\n")
    for file, count in files.most_common(None if all_files else 8):
        sys.stdout.write(f"  {count:6} {file}\n")


def press_by_route() -> tuple[Counter[str], int]:
    """Trace a press on Step by the route of the run, its checks before Streamlit included."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.testclient import TestClient

    from pages.ui.live import routes
    from pages.ui.server.gate import Gate
    from pages.ui.session import current, live_state
    from pages.ui.session.state import Session, acting_for

    session = Session()
    with acting_for(session):
        current.begin()
    live_state.OPEN.add(session)
    app = Starlette(routes=routes.ROUTES, middleware=[Middleware(Gate)])

    drawn = [0, 0]  # run and newest node of the view, as its next press says them

    def press(number: int) -> None:  # with threads of its own, because the profiler sees only new ones
        headers = {routes.KEY: session.live.key, "origin": "http://localhost:8501"}
        with TestClient(app, "http://localhost:8501", headers=headers) as client:
            answer = client.post("/run/step", json={"view": "one-press-on-step", "number": number, "drawn": drawn}).json()
            assert answer["count"] == number
            drawn[:] = answer["run"], answer["node"]

    for number in range(1, 4):
        press(number)
    return traced(lambda: press(4))


def main() -> None:
    """Trace a step of a run, a press by its route, then a run of the page's script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", action="store_true", help="list every file")
    chosen = parser.parse_args()
    compiled.start()
    compiled.wait()
    run = Generation(load_model("storyteller"), "Once upon a time", SamplingSettings(temperature=0.7, top_p=0.9))
    for _index in range(3):
        run.step()
    report("run.step()", *traced(run.step), chosen.files)
    report("a press by the route", *press_by_route(), chosen.files)

    from streamlit.testing.v1 import AppTest

    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.run()
    report("the page's script", *traced(app.run), chosen.files)


if __name__ == "__main__":
    main()
