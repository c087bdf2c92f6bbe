"""An experiment as a page draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pages.ui.session.provenance import Provenance


@dataclass(frozen=True, slots=True)
class Experiment:
    """A snapshot of an experiment.

    observations: those so far; seconds: since the start, one for each. error: one sentence that says what went wrong. made_by: the model
    and settings that it was started with. about: plain values that the page stores with it, so that they can be saved in a file.
    recorded_on: the day of a recording, "" for an experiment that ran here.
    """

    observations: tuple[Any, ...] = ()
    running: bool = False
    error: str | None = None
    made_by: Provenance | None = None
    about: Any = None
    seconds: tuple[float, ...] = ()
    recorded_on: str = ""
