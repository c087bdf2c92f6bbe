"""The threads in which experiments run, and how many of them may run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any
from weakref import ref

import streamlit as st

from core.engine.pass_queue import in_background
from core.errors import NotAllowed, ViewerError
from core.limits import Limits
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.spoken_language import with_current_language
from pages.ui.i18n.translation import _, message_of
from pages.ui.server.gate import is_open
from pages.ui.session.provenance import Provenance
from pages.ui.session.state import Session

log = logging.getLogger(__name__)
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
    observations: list[Any] = field(default_factory=list)
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
        observations = tuple(self.observations)
        return Experiment(
            observations, running, self.error, self.made_by, self.about, tuple(self.seconds[: len(observations)]), self.recorded_on
        )

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
            with in_background():
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
            self.observations.append(observation)
            if not self.drawn.is_set():
                self.waiting.set()
                self.drawn.wait(LONGEST_DRAW)
                self.waiting.clear()
            if len(self.observations) >= MOST_OBSERVATIONS:
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
        if visitor is None or is_open(visitor.browser.websocket):
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
            running = sum(other.visitor() is visitor for other in self.active)
            if running >= MOST_OF_ONE_VISITOR:
                raise NotAllowed(_("You have {count} experiments running. Stop one of them, or wait until one ends.").format(count=running))
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
