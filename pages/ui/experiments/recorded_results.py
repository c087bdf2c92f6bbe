"""Recorded experiments: the bundled ones, and files that a visitor opens or saves.

`experiment.of(name)` returns the bundled one until the visitor has run the experiment, so that no page is empty.
`python -m pages.ui.experiments.record` makes them.
"""

from __future__ import annotations

import logging
from copy import deepcopy
from dataclasses import replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.costs.machine import processor
from core.errors import BadRecording
from core.experiments.codec import Writer
from core.experiments.recorded import RecordedExperiment
from core.models.hub import BUNDLED
from pages.ui.experiments.finetuning_record import Lesson
from pages.ui.experiments.observed import Experiment
from pages.ui.i18n.translation import _
from pages.ui.session.provenance import Provenance

log = logging.getLogger(__name__)
FOLDER = BUNDLED / "experiments"
ENDING = ".json.gz"


def classes() -> dict[str, type]:
    """Return the classes of this package that a file can contain."""
    return {"Provenance": Provenance, "Lesson": Lesson}


@lru_cache(maxsize=64)
def _bundled(path: Path) -> RecordedExperiment | None:
    if not path.is_file():
        return None
    try:
        return RecordedExperiment.load(path, classes())
    except BadRecording:
        log.exception("A bundled recording cannot be read")
        return None


def clear_cache() -> None:
    """Forget the files that were read."""
    _bundled.cache_clear()


def bundled(name: str) -> RecordedExperiment | None:
    """Return a copy of the bundled recording of this experiment, None if there is none."""
    found = _bundled(FOLDER / f"{name}{ENDING}")
    return None if found is None else replace(found, about=deepcopy(found.about))


def dumps(name: str, run: Experiment) -> bytes:
    """Return the file of an experiment. Raises BadRecording."""
    day = run.recorded_on or date.today().isoformat()
    seconds = run.seconds if len(run.seconds) == len(run.seen) else (0.0,) * len(run.seen)
    made_by = run.made_by if run.made_by is None or run.recorded_on else replace(run.made_by, machine=processor())
    return RecordedExperiment(name, day, run.seen, seconds, made_by, without_model(run.about)).dumps(classes())


def can_save(run: Experiment) -> bool:
    """Return whether an experiment can be saved. Tries one observation of each class, and `about`."""
    writer = Writer(classes())
    try:
        writer.write(without_model(run.about))
        for one in {type(seen): seen for seen in run.seen}.values():
            writer.write(one)
    except BadRecording:
        return False
    return True


def without_model(about: Any) -> Any:
    """Return `about` without the model in it."""
    return replace(about, model=None, tuning=None) if hasattr(about, "tuning") else about


def loads(data: bytes) -> RecordedExperiment:
    """Read an experiment from a file. Raises BadRecording."""
    found = RecordedExperiment.loads(data, classes())
    if not isinstance(found.made_by, Provenance):
        raise BadRecording(_("This recording does not contain the model and the settings it was made with, so it cannot be shown."))
    return found
