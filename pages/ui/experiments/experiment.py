"""Experiments of a visitor: run in a worker thread, stored with what made them, saved and opened as files.

    experiment.start("race", lambda: race(model, prompt, settings, 128), made_by=now)
    experiment.started_or_recorded("race").observations        # the observations so far; before the first run those of the bundled result
    experiment.stop("race")

Only the worker uses the generator, and the worker does not use Streamlit. The caller therefore reads model, prompt and settings before
`start`, not inside `make`. Reruns and changes of page or settings do not affect the worker. It ends when the generator ends, when it is
stopped, when the visitor's session ends, or at a limit. Then its memory is freed. `python -m pages.ui.experiments.record_results` makes the
bundled results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any
from weakref import ref

from core.experiments.shared.result_file import RecordedExperiment
from pages.ui.experiments.snapshot import Experiment
from pages.ui.experiments.stored_results import bundled
from pages.ui.experiments.worker import Worker, workers
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices
from pages.ui.session.provenance import Provenance
from pages.ui.session.state import Session, current_session

LONGEST_PAUSE = 0.1  # seconds that a draw waits for the worker to finish an observation


def started_or_recorded(name: str) -> Experiment:
    """Return the experiment of this name that this visitor started; before its first start the bundled recording, if there is one."""
    experiments = current_session().experiments
    stored = experiments.get(name)
    if isinstance(stored, Worker):
        return stored.snapshot()
    if stored is None and (stored := bundled(name)) is not None:
        experiments[name] = stored
    if not isinstance(stored, RecordedExperiment):
        return Experiment()
    return Experiment(
        stored.observations, made_by=stored.made_by, about=stored.about, seconds=stored.seconds, recorded_on=stored.recorded_on
    )


def observed(names: Sequence[str], session: Session) -> int:
    """Return how far these experiments of a visitor are: a number that grows with each observation, and when one ends. For any thread."""
    held = [worker for worker in map(session.experiments.get, names) if isinstance(worker, Worker)]
    return sum(len(worker.observations) + (not worker.running) for worker in held)


def live() -> dict[str, Worker]:
    """Return the experiments that this visitor started, by name. A recording that is played is none."""
    experiments = current_session().experiments
    return {name: worker for name, worker in experiments.items() if isinstance(worker, Worker) and not worker.recorded_on}


def put(recording: RecordedExperiment) -> None:
    """Show this recorded experiment in place of the visitor's own."""
    current_session().experiments[recording.name] = recording


def forget(name: str) -> None:
    """Stop an experiment and drop its observations."""
    _stop(name)
    current_session().experiments.pop(name, None)


@action_boundary
def play_again(name: str, speed: float = 1.0) -> None:
    """Play a recorded experiment at `speed` times its own speed. It stays marked as a recording."""
    snapshot = started_or_recorded(name)
    if snapshot.recorded_on and snapshot.observations and not snapshot.running:
        recording = RecordedExperiment(name, snapshot.recorded_on, snapshot.observations, snapshot.seconds)
        start(name, lambda: recording.again(speed), snapshot.made_by, snapshot.about, recorded_on=snapshot.recorded_on)


@action_boundary
def start(
    name: str,
    make: Callable[[], Iterator[Any]],
    made_by: Provenance | None = None,
    about: Any = None,
    of_page: bool = False,
    recorded_on: str = "",
) -> None:
    """Start an experiment; it replaces the one of the same name. Errors are in its `error`, too many experiments in a notice.

    of_page: end it when the visitor opens another page, because it blocks others. recorded_on: the day of a recording that is played.
    """
    anchor_notices(name)
    session = current_session()
    worker = Worker(name, make, ref(session), made_by, about, recorded_on, of_page=of_page)
    workers().join(worker, session)
    _stop(name)
    session.experiments[name] = worker
    worker.begin()


@action_boundary
def stop(name: str) -> None:
    """Stop an experiment. Its observations stay, and its memory is freed."""
    _stop(name)


def _stop(name: str) -> None:
    for worker in _workers_of(name):
        worker.stop()


def _workers_of(*names: str) -> list[Worker]:
    held = map(current_session().experiments.get, names)
    return [worker for worker in held if isinstance(worker, Worker)]


def note_stop_button(name: str) -> None:
    """Note that the page has drawn a Stop for this experiment. The experiment can end before the rest of the page is drawn."""
    for worker in _workers_of(name):
        worker.stop_button = True


def had_stop_button(*names: str) -> bool:
    """Return whether the page has drawn a Stop for one of these experiments. It answers once for each of them."""
    drawn = [worker for worker in _workers_of(*names) if worker.stop_button]
    for worker in drawn:
        worker.stop_button = False
    return bool(drawn)


def wait(name: str, seconds: float) -> bool:
    """Return whether this visitor's experiment ended, including its current observation, within this time."""
    return all(worker.wait(seconds) for worker in _workers_of(name))


@contextmanager
def drawing(*names: str) -> Iterator[None]:
    """Context of a draw: the workers of these experiments wait between two observations until it ends.

    Otherwise draw and pass would compete for Python's global lock, and the measured times of passes would be too long. The draw waits
    at most LONGEST_PAUSE for a worker in a long observation.
    """
    paused = [worker for worker in _workers_of(*names) if worker.running]
    for worker in paused:
        worker.drawn.clear()
    latest = monotonic() + LONGEST_PAUSE
    try:
        for worker in paused:
            worker.waiting.wait(max(0.0, latest - monotonic()))
        yield
    finally:
        for worker in paused:
            worker.drawn.set()
