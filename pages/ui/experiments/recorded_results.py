"""Recorded experiments: those that came with the app, shown before a visitor has made their own, and those that a visitor opens or keeps.

A page asks `experiment.of(name)` and gets one of them where nothing else is there, so that no page begins empty. They are made by
`python -m pages.ui.experiments.record`.
"""

from __future__ import annotations

import logging
from copy import deepcopy
from dataclasses import replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.errors import BadRecording
from core.experiments.codec import Writer
from core.experiments.recorded import RecordedExperiment
from core.language import _
from core.models.hub import BUNDLED
from pages.ui.experiments.finetuning_record import Lesson
from pages.ui.experiments.observed import Experiment
from pages.ui.session.provenance import Provenance

log = logging.getLogger(__name__)
FOLDER = BUNDLED / "experiments"
ENDING = ".json.gz"


def classes() -> dict[str, type]:
    """The classes of the pages that may stand in a file."""
    return {"Provenance": Provenance, "Lesson": Lesson}


@lru_cache(maxsize=64)
def _bundled(path: Path) -> RecordedExperiment | None:
    if not path.is_file():
        return None
    try:
        return RecordedExperiment.load(path, classes())
    except BadRecording:
        log.exception("A recording that came with the app cannot be read")
        return None


def clear_cache() -> None:
    """Read the files anew when they are next asked for."""
    _bundled.cache_clear()


def bundled(name: str) -> RecordedExperiment | None:
    """The recording of this experiment that came with the app, for one visitor to do with as they like; None if there is none."""
    found = _bundled(FOLDER / f"{name}{ENDING}")
    return None if found is None else replace(found, about=deepcopy(found.about))


def dumps(name: str, run: Experiment) -> bytes:
    """A visitor's experiment as a file. Raises BadRecording."""
    day = run.recorded_on or date.today().isoformat()
    seconds = run.seconds if len(run.seconds) == len(run.seen) else (0.0,) * len(run.seen)
    return RecordedExperiment(name, day, run.seen, seconds, run.made_by, without_model(run.about)).dumps(classes())


def can_save(run: Experiment) -> bool:
    """Whether an experiment can be written down: one observation of each kind is tried, and what the page remembers."""
    writer = Writer(classes())
    try:
        writer.write(without_model(run.about))
        for one in {type(seen): seen for seen in run.seen}.values():
            writer.write(one)
    except BadRecording:
        return False
    return True


def without_model(about: Any) -> Any:
    """What a page remembers of a start, without the model in it."""
    return replace(about, model=None, tuning=None) if hasattr(about, "tuning") else about


def loads(data: bytes) -> RecordedExperiment:
    """An experiment that a visitor hands in. Raises BadRecording."""
    found = RecordedExperiment.loads(data, classes())
    if not isinstance(found.made_by, Provenance):
        raise BadRecording(_("This recording does not say what made it, so it cannot be shown for what it is."))
    return found
