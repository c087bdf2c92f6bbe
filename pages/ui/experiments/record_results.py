"""Command that records the bundled runs and experiments with the bundled models.

    python -m pages.ui.experiments.record_results              # all of them, a few minutes
    python -m pages.ui.experiments.record_results race loop    # only these
    python -m pages.ui.experiments.record_results first_step   # only the pictures that a visitor sees while the model loads

It opens each page without a browser, presses its button and saves the finished experiment, if it holds its claim. Run it after the
bundled models have changed, after `python -m pages.ui.presenting.choose_examples`, on a machine that does nothing else: the times of all
results are of one sitting.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import monotonic

from streamlit.testing.v1 import AppTest

from core import Generation, list_models, load_model
from core.backends import compiled
from core.engine.model import LanguageModel
from core.experiments.shared import prepared_runs
from core.models.hub import BUNDLED
from core.reports.step_picture import PictureStyle, step_svg
from core.sampling import presets
from pages.ui.experiments import stored_results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.experiments.worker import Worker
from pages.ui.features import Recorded, file_of, recorded
from pages.ui.i18n import example_texts, spoken_language
from pages.ui.i18n.translation import wording
from pages.ui.server import first_step
from pages.ui.session.provenance import Provenance

APP = Path(__file__).parents[3] / "app.py"
LONGEST_SECONDS = 600.0  # seconds for one experiment


def record(spec: Recorded) -> bytes:
    """Run an experiment on its page and return its file."""
    app = AppTest.from_file(str(APP), default_timeout=LONGEST_SECONDS)
    for name, wanted in spec.query:
        app.query_params[name] = wanted
    app.run()
    app.switch_page(str(file_of(spec.page))).run()
    if spec.view is not None:
        key, view = spec.view
        app.segmented_control(key=key).set_value(view).run()
    app.button(key=spec.press).click().run()
    results = app.session_state["_session"].experiments
    worker = results.get(spec.name)
    if not isinstance(worker, Worker):
        raise RuntimeError(f"{spec.page} did not start {spec.name}: {[error.value for error in app.info]} {app.exception}")
    if not worker.wait(LONGEST_SECONDS):
        raise RuntimeError(f"{spec.name} did not end")
    run = worker.snapshot()
    if run.error or not run.observations:
        raise RuntimeError(f"{spec.name} has no observations: {run.error}")
    if not spec.claim.holds(run.observations):
        raise RuntimeError(f"{spec.name} does not show this: {spec.claim.says}. Search again with `pages.ui.presenting.choose_examples`.")
    return stored_results.dumps(spec.name, run)


def made(spec: Recorded, model: LanguageModel) -> bytes:
    """Make a result with a model that is not bundled and return its file."""
    assert spec.make is not None
    observations = tuple(spec.make(model))
    if not spec.claim.holds(observations):
        raise RuntimeError(f"{spec.name} does not show this: {spec.claim.says}.")
    return stored_results.dumps(spec.name, Experiment(observations, made_by=Provenance(model.name)))


def first_steps() -> dict[Path, str]:
    """Return by its file the picture of the first step in each language and theme."""
    run = Generation(load_model(list_models()[0].name), example_texts.FIRST_PROMPT, presets.START)
    step, pictures = run.step(), {}
    for language in spoken_language.languages():
        with spoken_language.speaking(language):
            for theme in ("light", "dark"):
                pictures[first_step.file(language, theme)] = step_svg(step, PictureStyle(theme, wording()), "weigh")
    return pictures


def warm_up() -> None:
    """Load a model and wait for the compiled code, so that no recorded time contains them."""
    load_model(prepared_runs.PREPARED[0].model)
    compiled.start()
    compiled.wait()
    compiled.batches_are_ready()
    compiled.wait_for_batches()


def main(names: list[str]) -> None:
    """Record the experiments with these names, or all of them. NAME=FILE: the model of a run or a result that is not bundled."""
    files = dict(name.partition("=")[::2] for name in names)
    names = list(files)
    if not names or "first_step" in names:
        for path, picture in first_steps().items():
            path.write_text(picture, "utf-8")
    if names == ["first_step"]:
        return
    warm_up()
    stored_results.FOLDER.mkdir(parents=True, exist_ok=True)
    prepared_runs.FOLDER.mkdir(parents=True, exist_ok=True)
    for recipe in prepared_runs.PREPARED:
        if (names and recipe.name not in names) or not (recipe.is_bundled or files.get(recipe.name)):
            continue
        began = monotonic()
        data = prepared_runs.packed(prepared_runs.make(recipe, load_model(files.get(recipe.name) or recipe.model)))
        write_file(prepared_runs.FOLDER / f"{recipe.name}{prepared_runs.ENDING}", data, began)
    for spec in recorded():
        if (names and spec.name not in names) or (spec.make is not None and not files.get(spec.name)):
            continue
        began = monotonic()
        data = record(spec) if spec.make is None else made(spec, load_model(files[spec.name]))
        write_file(stored_results.FOLDER / f"{spec.name}{stored_results.ENDING}", data, began)
        stored_results.clear_cache()  # a later experiment may begin with this result


def write_file(path: Path, data: bytes, began: float) -> None:
    """Write a file and print its size."""
    path.write_bytes(data)
    sys.stdout.write(f"{path.relative_to(BUNDLED)}: {len(data) / 1024:,.0f} KB, {monotonic() - began:.1f} s\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
