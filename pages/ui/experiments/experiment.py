"""Experiments of a visitor: run in a worker thread, kept with what made them, saved and opened as files.

    experiment.start("race", lambda: race(model, prompt, settings, 128), made_by=now)
    experiment.of("race").seen        # the observations so far; before the first run those of the bundled result
    experiment.stop("race")

Only the worker uses the generator, and the worker does not use Streamlit. The caller therefore reads model, prompt and settings before
`start`, not inside `make`. Reruns and changes of page or settings do not affect the worker. It ends when the generator ends, when it is
stopped, when the visitor's session ends, or at a limit. Then its memory is freed. `python -m pages.ui.experiments.record_results` makes the
bundled results.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, lru_cache
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any
from weakref import ref

import streamlit as st

from core.costs.measured_hardware import processor
from core.errors import BadRecording, NotAllowed, ViewerError
from core.experiments.shared.result_file import ExperimentFile, RecordedExperiment, experiment_file
from core.limits import Limits
from core.models.hub import BUNDLED
from pages.ui.features import recorded
from pages.ui.i18n import numbers
from pages.ui.i18n.spoken_language import with_current_language
from pages.ui.i18n.translation import _, message_of
from pages.ui.server.gate import is_open
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices
from pages.ui.session.provenance import Provenance, StoredProvenance
from pages.ui.session.state import Session, current_session


@dataclass(frozen=True, slots=True)
class Experiment:
    """A snapshot of an experiment.

    seen: the observations so far; seconds: since the start, one for each. error: one sentence that says what went wrong. made_by: the model
    and settings that it was started with. about: plain values that the page stores with it, so that they can be saved in a file.
    recorded_on: the day of a recording, "" for an experiment that ran here.
    """

    seen: tuple[Any, ...] = ()
    running: bool = False
    error: str | None = None
    made_by: Provenance | None = None
    about: Any = None
    seconds: tuple[float, ...] = ()
    recorded_on: str = ""


log = logging.getLogger(__name__)
FOLDER = BUNDLED / "experiments"
ENDING = ".json.gz"


@cache
def files() -> dict[str, type[ExperimentFile]]:
    """Return the file of each experiment, by its name."""
    return {result.name: experiment_file(result.seen, result.about, StoredProvenance | None) for result in recorded()}


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
    seconds = run.seconds if len(run.seconds) == len(run.seen) else (0.0,) * len(run.seen)
    return RecordedExperiment(name, day, run.seen, seconds, run.made_by, without_model(run.about))


def can_save(name: str, run: Experiment) -> bool:
    """Return whether an experiment can be saved. Tries one observation of each class, and `about`."""
    seen = tuple({type(observation): observation for observation in run.seen}.values())
    try:
        _recording(name, replace(run, seen=seen, seconds=())).content(files()[name])
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


log = logging.getLogger(__name__)

LONGEST_PAUSE = 0.1  # seconds that a draw waits for the worker to finish an observation
LONGEST_DRAW = 1.0  # seconds that a worker waits for a draw
MOST_OBSERVATIONS = 20_000  # observations per experiment
MOST_OF_ONE_VISITOR = 4  # running experiments per visitor


@dataclass(slots=True, eq=False, weakref_slot=True)
class Worker:
    """Thread and observations of one experiment. It refers to its visitor weakly, so that their session can end."""

    name: str
    make: Callable[[], Iterator[Any]] | None
    visitor: ref[Session]
    made_by: Provenance | None = None
    about: Any = None
    recorded_on: str = ""
    seen: list[Any] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    error: str | None = None
    stopping: Event = field(default_factory=Event)
    ended: Event = field(default_factory=Event)
    waiting: Event = field(default_factory=Event)  # set while the worker waits for a draw
    drawn: Event = field(default_factory=Event)  # cleared during a draw
    alone_since: float | None = None  # when the visitor's websocket was first found closed
    of_page: bool = False  # whether it ends when the visitor opens another page
    stop_button: bool = False  # whether the page has drawn a Stop for it

    @property
    def running(self) -> bool:
        """Whether more observations will come."""
        return not (self.ended.is_set() or self.stopping.is_set())

    def snapshot(self) -> Experiment:
        """Return a snapshot. `running` is read first, so that a finished experiment is shown with all its observations."""
        running = self.running
        seen = tuple(self.seen)
        return Experiment(seen, running, self.error, self.made_by, self.about, tuple(self.seconds[: len(seen)]), self.recorded_on)

    def begin(self) -> None:
        """Start the thread. It is a daemon, so that a stopping server does not wait for it."""
        self.drawn.set()
        Thread(target=with_current_language(self._work), name=f"experiment {self.name}", daemon=True).start()

    def stop(self) -> None:
        """End the experiment after the current observation, which is dropped."""
        self.stopping.set()
        self.drawn.set()

    def leave_page(self) -> None:
        """End it if it belongs to its page."""
        if self.of_page:
            self.stop()

    def wait(self, seconds: float) -> bool:
        """Return whether the experiment ended and freed its memory within this time."""
        return self.ended.wait(seconds)

    def _work(self) -> None:
        source: Iterator[Any] | None = None
        try:
            assert self.make is not None
            source, self.make = self.make(), None
            self._observe(source)
        except ViewerError as error:
            self.error = None if self.stopping.is_set() else message_of(error)
        except Exception:
            log.exception("The experiment %s failed", self.name)
            self.error = _("Something went wrong in the app. The results so far are kept. Start the experiment again.")
        finally:
            self._close(source)
            workers().leave(self)
            self.ended.set()

    def _observe(self, source: Iterator[Any]) -> None:
        longest = Limits.from_environment().experiment_seconds
        began = monotonic()
        latest = began + longest if longest else float("inf")
        for observation in source:
            if self.stopping.is_set() or self._visitor_left():
                return
            self.seconds.append(monotonic() - began)
            self.seen.append(observation)
            if not self.drawn.is_set():
                self.waiting.set()
                self.drawn.wait(LONGEST_DRAW)
                self.waiting.clear()
            if len(self.seen) >= MOST_OBSERVATIONS:
                self.error = _("The experiment ended after {count} observations, the limit. The results so far are kept.").format(
                    count=numbers.whole(MOST_OBSERVATIONS)
                )
                return
            if monotonic() > latest:
                self.error = _("The experiment ended after {duration}, the limit of this app. The results so far are kept.").format(
                    duration=numbers.duration(longest)
                )
                return

    def _visitor_left(self) -> bool:
        """Return whether the visitor's session ended, or has had no websocket for as long as Streamlit waits for its return.

        The websocket counts, because Streamlit drops an ended session only when another one ends.
        """
        visitor = self.visitor()
        if visitor is None or is_open(visitor.connection):
            self.alone_since = None
            return visitor is None
        self.alone_since = self.alone_since or monotonic()
        return monotonic() - self.alone_since > float(st.get_option("server.disconnectedSessionTTL"))

    def _close(self, source: Iterator[Any] | None) -> None:
        """Close the generator in its own thread, which frees what it holds, for example a KV cache."""
        try:
            if source is not None and hasattr(source, "close"):
                source.close()
        except Exception:
            log.exception("The experiment %s could not free its memory", self.name)


@dataclass
class Workers:
    """All running workers of this process, including stopped ones that still finish their last pass."""

    active: set[Worker] = field(default_factory=set)
    lock: Lock = field(default_factory=Lock)

    def join(self, worker: Worker, visitor: Session) -> None:
        """Add a worker. Raises NotAllowed."""
        most = Limits.from_environment().experiments
        with self.lock:
            own = sum(other.visitor() is visitor for other in self.active)
            if own >= MOST_OF_ONE_VISITOR:
                raise NotAllowed(_("You have {count} experiments running. Stop one of them, or wait until one ends.").format(count=own))
            if most and len(self.active) >= most:
                raise NotAllowed(_("This machine runs its maximum number of experiments. Try again in a minute."))
            self.active.add(worker)

    def leave(self, worker: Worker) -> None:
        """Remove a worker."""
        with self.lock:
            self.active.discard(worker)


_WORKERS = Workers()


def workers() -> Workers:
    """Return the workers of this process."""
    return _WORKERS


def of(name: str) -> Experiment:
    """Return this visitor's experiment of this name. Before its first start this is the bundled recording, if there is one."""
    experiments = current_session().experiments
    stored = experiments.get(name)
    if isinstance(stored, Worker):
        return stored.snapshot()
    if stored is None and (stored := bundled(name)) is not None:
        experiments[name] = stored
    if not isinstance(stored, RecordedExperiment):
        return Experiment()
    return Experiment(stored.seen, made_by=stored.made_by, about=stored.about, seconds=stored.seconds, recorded_on=stored.recorded_on)


def observed(names: Sequence[str], session: Session) -> int:
    """Return how far these experiments of a visitor are: a number that grows with each observation, and when one ends. For any thread."""
    held = [worker for worker in map(session.experiments.get, names) if isinstance(worker, Worker)]
    return sum(len(worker.seen) + (not worker.running) for worker in held)


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
    shown = of(name)
    if shown.recorded_on and shown.seen and not shown.running:
        recording = RecordedExperiment(name, shown.recorded_on, shown.seen, shown.seconds)
        start(name, lambda: recording.again(speed), shown.made_by, shown.about, recorded_on=shown.recorded_on)


@action_boundary
def start(
    name: str,
    make: Callable[[], Iterator[Any]],
    made_by: Provenance | None = None,
    about: Any = None,
    of_page: bool = False,
    recorded_on: str = "",
) -> None:
    """Start an experiment; it replaces the one of the same name. Errors are in `of(name).error`, too many experiments in a notice.

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
    """Stop an experiment. Its observations are kept, and its memory is freed."""
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
