"""A running experiment: a generator of core/experiments in its own worker thread.

    experiment.start("race", lambda: race(model, prompt, settings, 128), made_by=now)
    experiment.of("race").seen        # what it has found so far: a snapshot, whole in itself, however the worker goes on
    experiment.stop("race")

Nothing but the worker ever touches the generator, and the worker never touches Streamlit: what `make` needs of the visitor (model, prompt,
settings) is asked for before `start`, not inside. Reruns, other settings and other pages do not concern it. It ends when it is over, when
it is told to, when its visitor has gone, or at a limit; its memory is then given back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any
from weakref import WeakSet, ref

import streamlit as st

from core.errors import TooManyExperiments, ViewerError
from core.experiments.recorded import RecordedExperiment
from core.language import _, message_of, with_current_language
from core.limits import Limits
from pages.ui.experiments import recorded_results
from pages.ui.experiments.observed import Experiment
from pages.ui.i18n import numbers
from pages.ui.session import current
from pages.ui.session.provenance import Provenance
from pages.ui.session.state import Session

log = logging.getLogger(__name__)

LONGEST_PAUSE = 0.1  # seconds that a draw waits for the worker to come to the end of an observation
LONGEST_DRAW = 1.0  # seconds that a worker waits for a draw
MOST_OBSERVATIONS = 20_000  # observations kept
MOST_OF_ONE_VISITOR = 4  # experiments that one visitor may have at a time


@dataclass(slots=True, eq=False, weakref_slot=True)
class Worker:
    """One experiment's thread and what it has found. It holds its visitor weakly: it must not be what keeps them here."""

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
    waiting: Event = field(default_factory=Event)  # for a draw to be over
    drawn: Event = field(default_factory=Event)  # set while nobody draws
    of_page: bool = False  # ends when its visitor goes to another page

    @property
    def running(self) -> bool:
        """Whether more will come."""
        return not (self.ended.is_set() or self.stopping.is_set())

    def snapshot(self) -> Experiment:
        """What is known now. `running` is read first: what has ended is shown with all that it found."""
        running = self.running
        seen = tuple(self.seen)
        return Experiment(seen, running, self.error, self.made_by, self.about, tuple(self.seconds[: len(seen)]), self.recorded_on)

    def begin(self) -> None:
        """Start the thread. It is a daemon: a server that is stopped does not wait for it."""
        self.drawn.set()
        Thread(target=with_current_language(self._work), name=f"experiment {self.name}", daemon=True).start()

    def stop(self) -> None:
        """End it after the observation that it is at; what comes of that is not kept."""
        self.stopping.set()
        self.drawn.set()

    def wait(self, seconds: float) -> bool:
        """Whether it has ended within this time, its memory given back."""
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
            self.error = _("Something went wrong here, and it is our fault. What was found so far stays; you can start it again.")
        finally:
            self._close(source)
            workers().leave(self)
            self.ended.set()

    def _observe(self, source: Iterator[Any]) -> None:
        longest = Limits.from_environment().experiment_seconds
        began = monotonic()
        latest = began + longest if longest else float("inf")
        for observation in source:
            if self.stopping.is_set() or self.visitor() is None:
                return
            self.seconds.append(monotonic() - began)
            self.seen.append(observation)
            if not self.drawn.is_set():
                self.waiting.set()
                self.drawn.wait(LONGEST_DRAW)
                self.waiting.clear()
            if len(self.seen) >= MOST_OBSERVATIONS:
                self.error = _("It was ended after {count} observations, the most that are kept. What it has found stays.").format(
                    count=numbers.whole(MOST_OBSERVATIONS)
                )
                return
            if monotonic() > latest:
                self.error = _("It was ended after {duration}, the longest an experiment may run here. What it has found stays.").format(
                    duration=numbers.duration(longest)
                )
                return

    def _close(self, source: Iterator[Any] | None) -> None:
        """Let the generator give back what it holds (its cache, say) in the thread that used it."""
        try:
            if source is not None and hasattr(source, "close"):
                source.close()
        except Exception:
            log.exception("The experiment %s could not give back what it held", self.name)


@dataclass
class Workers:
    """All that run in this process, those included that were told to stop and are still in their last pass."""

    active: set[Worker] = field(default_factory=set)
    lock: Lock = field(default_factory=Lock)

    def join(self, worker: Worker, visitor: Session) -> None:
        """One more. Raises TooManyExperiments."""
        most = Limits.from_environment().experiments
        with self.lock:
            own = sum(other.visitor() is visitor for other in self.active)
            if own >= MOST_OF_ONE_VISITOR:
                raise TooManyExperiments(
                    _("You have {count} experiments running. Stop one of them, or wait until it is over.").format(count=own)
                )
            if most and len(self.active) >= most:
                raise TooManyExperiments(_("As many experiments are running here as this machine can carry. Try again in a minute."))
            self.active.add(worker)

    def leave(self, worker: Worker) -> None:
        """It has ended."""
        with self.lock:
            self.active.discard(worker)


_WORKERS = Workers()


def workers() -> Workers:
    """The workers of this process."""
    return _WORKERS


class _Presence:
    """Lives as long as the visitor's session does; with it end their experiments."""

    def __init__(self) -> None:
        self.workers: WeakSet[Worker] = WeakSet()

    def leave(self) -> None:
        """The session was closed: their tab has been gone for a while."""
        for worker in list(self.workers):
            worker.stop()


@st.cache_resource(scope="session", on_release=_Presence.leave, show_spinner=False)
def _presence() -> _Presence:
    return _Presence()


def of(name: str) -> Experiment:
    """This visitor's experiment of this name as it is now; before its first start the recording that came with the app, if there is one."""
    known = current.results().get(name)
    if isinstance(known, Worker):
        return known.snapshot()
    if known is None and (known := recorded_results.bundled(name)) is not None:
        current.results()[name] = known
    if not isinstance(known, RecordedExperiment):
        return Experiment()
    return Experiment(known.seen, made_by=known.made_by, about=known.about, seconds=known.seconds, recorded_on=known.recorded_on)


@current.error_boundary
def play_again(name: str, speed: float = 1.0) -> None:
    """Show a recorded experiment again as if it ran now, in its own rhythm times `speed`; it still says that it is a recording."""
    known = of(name)
    if known.recorded_on and known.seen and not known.running:
        recording = RecordedExperiment(name, known.recorded_on, known.seen, known.seconds)
        start(name, lambda: recording.again(speed), known.made_by, known.about, recorded_on=known.recorded_on)


@current.error_boundary
def start(
    name: str,
    make: Callable[[], Iterator[Any]],
    made_by: Provenance | None = None,
    about: Any = None,
    of_page: bool = False,
    recorded_on: str = "",
) -> None:
    """Begin anew; what goes wrong is said in `of(name).error`, and that there are too many already, beside the place `name`.

    of_page: for what others wait for, so that it ends when its visitor goes to another page. recorded_on: the day of what is shown again.
    """
    current.anchor_notices(name)
    session = current.current_session()
    worker = Worker(name, make, ref(session), made_by, about, recorded_on, of_page=of_page)
    workers().join(worker, session)
    _stop(name)
    _presence().workers.add(worker)
    session.results[name] = worker
    worker.begin()


@current.error_boundary
def stop(name: str) -> None:
    """Leave it as it is; its memory is given back."""
    _stop(name)


def _stop(name: str) -> None:
    worker = current.results().get(name)
    if isinstance(worker, Worker):
        worker.stop()


def wait(name: str, seconds: float) -> bool:
    """Whether this visitor's experiment of this name has come to its end, the observation that it was at included, within this time."""
    worker = current.results().get(name)
    return not isinstance(worker, Worker) or worker.wait(seconds)


@contextmanager
def drawing(*names: str) -> Iterator[None]:
    """Around a draw: the workers of these experiments wait between two observations until it is over.

    Otherwise draw and pass would take turns at Python's lock, thousands of times in one pass, and the passes would be measured too long. A
    worker that is in the midst of a long observation is not waited for.
    """
    held = [worker for name in names if isinstance(worker := current.results().get(name), Worker) and worker.running]
    for worker in held:
        worker.drawn.clear()
    latest = monotonic() + LONGEST_PAUSE
    try:
        for worker in held:
            worker.waiting.wait(max(0.0, latest - monotonic()))
        yield
    finally:
        for worker in held:
            worker.drawn.set()
