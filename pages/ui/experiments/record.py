"""Make the recordings that come with the app anew, with the bundled models: the prepared runs, and every page's experiment as it runs it.

    python -m pages.ui.experiments.record              # all of them, a few minutes
    python -m pages.ui.experiments.record race loop    # only these

Each page is opened headless, its own button is pressed and its experiment kept when it is over: what is shown first is what the button
would have brought. Run it after the bundled models were exchanged.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import monotonic

from streamlit.testing.v1 import AppTest

from core import load_model
from core.experiments import prepared
from core.models.hub import BUNDLED
from pages.ui.experiments import recorded_results
from pages.ui.experiments.experiment import Worker
from pages.ui.experiments.recording_specs import RECORDING_SPECS, RecordingSpec

APP = Path(__file__).parents[3] / "app.py"
LONGEST_SECONDS = 600.0  # seconds for one experiment


def record(take: RecordingSpec) -> bytes:
    """Run it as a visitor would, and keep it."""
    app = AppTest.from_file(str(APP), default_timeout=LONGEST_SECONDS)
    for name, wanted in take.query:
        app.query_params[name] = wanted
    app.run()
    app.switch_page(f"pages/{take.page}").run()
    for kind, key, value in take.before:
        getattr(app, kind)(key=key).set_value(value).run()
    app.button(key=take.press).click().run()
    results = app.session_state["_session"].results
    worker = results.get(take.name)
    if not isinstance(worker, Worker):
        raise RuntimeError(f"{take.page} did not start {take.name}: {[one.value for one in app.info]} {app.exception}")
    if not worker.wait(LONGEST_SECONDS):
        raise RuntimeError(f"{take.name} did not end")
    run = worker.snapshot()
    if run.error or not run.seen:
        raise RuntimeError(f"{take.name} brought nothing: {run.error}")
    return recorded_results.dumps(take.name, run)


def main(names: list[str]) -> None:
    """Record what is asked for, or everything."""
    recorded_results.FOLDER.mkdir(parents=True, exist_ok=True)
    prepared.FOLDER.mkdir(parents=True, exist_ok=True)
    for recipe in prepared.PREPARED:
        if names and recipe.name not in names:
            continue
        began = monotonic()
        data = prepared.packed(prepared.make(recipe, load_model(recipe.model)))
        write_file(prepared.FOLDER / f"{recipe.name}{prepared.ENDING}", data, began)
    for take in RECORDING_SPECS:
        if names and take.name not in names:
            continue
        began = monotonic()
        data = record(take)
        write_file(recorded_results.FOLDER / f"{take.name}{recorded_results.ENDING}", data, began)
    recorded_results.clear_cache()


def write_file(path: Path, data: bytes, began: float) -> None:
    """Keep a file and say so."""
    path.write_bytes(data)
    sys.stdout.write(f"{path.relative_to(BUNDLED)}: {len(data) / 1024:,.0f} KB, {monotonic() - began:.1f} s\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
