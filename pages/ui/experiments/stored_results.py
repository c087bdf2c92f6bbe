"""Results of experiments as files: those that are bundled, and those that a visitor saves and opens."""

from __future__ import annotations

import logging
from copy import deepcopy
from dataclasses import replace
from datetime import date
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from core.costs.measured_hardware import processor
from core.errors import BadRecording
from core.experiments.shared.result_file import ExperimentFile, RecordedExperiment, experiment_file
from core.models.hub import BUNDLED
from pages.ui.experiments.snapshot import Experiment
from pages.ui.features import recorded
from pages.ui.i18n.translation import _
from pages.ui.session.provenance import Provenance, StoredProvenance

log = logging.getLogger(__name__)
FOLDER = BUNDLED / "experiments"
ENDING = ".json.gz"


@cache
def files() -> dict[str, type[ExperimentFile]]:
    """Return the file of each experiment, by its name."""
    return {result.name: experiment_file(result.observation, result.about, StoredProvenance | None) for result in recorded()}


@lru_cache(maxsize=64)
def _bundled(path: Path) -> RecordedExperiment | None:
    if not path.is_file():
        return None
    try:
        return RecordedExperiment.loads(path.read_bytes(), files())
    except BadRecording:
        log.exception("A bundled recording cannot be read")
        return None


def clear_cache() -> None:
    """Forget the files that were read."""
    _bundled.cache_clear()


def bundled(name: str) -> RecordedExperiment | None:
    """Return a copy of the bundled recording of this experiment, None if there is none."""
    recording = _bundled(FOLDER / f"{name}{ENDING}")
    return None if recording is None else replace(recording, about=deepcopy(recording.about))


def dumps(name: str, run: Experiment) -> bytes:
    """Return the file of an experiment. Raises BadRecording."""
    made_by = run.made_by if run.made_by is None or run.recorded_on else replace(run.made_by, machine=processor())
    return _recording(name, replace(run, made_by=made_by)).dumps(files()[name])


def _recording(name: str, run: Experiment) -> RecordedExperiment:
    day = run.recorded_on or date.today().isoformat()
    seconds = run.seconds if len(run.seconds) == len(run.observations) else (0.0,) * len(run.observations)
    return RecordedExperiment(name, day, run.observations, seconds, run.made_by, without_model(run.about))


def can_save(name: str, run: Experiment) -> bool:
    """Return whether an experiment can be saved. Tries one observation of each class, and `about`."""
    one_of_each = tuple({type(observation): observation for observation in run.observations}.values())
    try:
        _recording(name, replace(run, observations=one_of_each, seconds=())).content(files()[name])
    except (BadRecording, KeyError):
        return False
    return True


def without_model(about: Any) -> Any:
    """Return `about` without the model in it."""
    return replace(about, model=None, tuning=None) if hasattr(about, "tuning") else about


def loads(data: bytes) -> RecordedExperiment:
    """Read an experiment from a file. Raises BadRecording."""
    recording = RecordedExperiment.loads(data, files())
    if not isinstance(recording.made_by, Provenance):
        raise BadRecording(_("This recording does not contain the model and the settings it was made with, so it cannot be shown."))
    return recording
