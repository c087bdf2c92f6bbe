"""The experiment of a stop of the tour, smaller than on its page. The stop is `tour_stop.py` of the page that shows more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pages.ui.experiments import experiment, results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n.controls import Value
from pages.ui.i18n.example_texts import FIRST_PROMPT
from pages.ui.presenting import tour_state
from pages.ui.session import provenance
from pages.ui.session.provenance import Provenance


def made_by(prompt: str | None = FIRST_PROMPT, **controls: Value) -> Provenance:
    """Return the provenance of an experiment of the tour."""
    return Provenance(tour_state.model().name, prompt, tour_state.SETTINGS if prompt else None, provenance.stored(**controls))


def widget(
    stop: str,
    now: Provenance,
    make: Callable[[], Iterator[Any]],
    draw: Callable[[Experiment], None],
    about: Any = None,
    **button: Any,
) -> None:
    """Draw the button and the result of a stop's experiment; the stop counts as tried once it ran here. See `results.starter`."""
    name = f"tour_{stop}"
    begin = results.starter(name, now, make, about)
    results.start_button(name, begin=begin, type="primary", **button)
    results.part(name, now, begin, draw)
    run = experiment.started_or_recorded(name)
    if run.observations and not run.recorded_on:
        tour_state.tried(stop)
