"""An experiment that runs while one watches: a generator of core/labs, advanced a little between two draws.

run = experiment.of("race")
st.button("Start", on_click=experiment.start, args=("race", lambda: race(visit.model(), ...)))
st.fragment(draw, run_every=run.pace)()        # draw() shows run.seen, then calls experiment.advance("race")
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import streamlit as st

from core.errors import ViewerError
from pages.parts.session import current
from pages.parts.text import words

log = logging.getLogger(__name__)

SLICE = 0.12  # seconds of work between two draws
TICK = 0.05  # seconds the browser waits after a draw
MOST = 20_000  # observations kept


@dataclass(slots=True)
class Experiment:
    """seen: the observations so far. source: where more come from, None when it is over or was stopped. told: what went wrong."""

    source: Iterator[Any] | None = None
    seen: list[Any] = field(default_factory=list)
    error: str | None = None
    about: Any = None  # what the page wants to remember about how it was started

    @property
    def running(self) -> bool:
        """Whether there is more to come."""
        return self.source is not None

    @property
    def interval(self) -> float | None:
        """Seconds until the next draw; None when nothing moves."""
        return TICK if self.running else None


def of(name: str) -> Experiment:
    """This visitor's experiment of this name, empty before its first start."""
    return current.results().setdefault(name, Experiment())


@current.error_boundary
def start(name: str, make: Callable[[], Iterator[Any]], about: Any = None) -> None:
    """Begin anew."""
    current.results()[name] = Experiment(make(), about=about)


@current.error_boundary
def stop(name: str) -> None:
    """Leave it as it is; its memory is given back."""
    of(name).source = None


def advance(name: str, seconds: float = SLICE) -> None:
    """The end of a draw: work for a moment. When it is over, the whole page is drawn once more, and then stands still."""
    run = of(name)
    if run.source is None:
        return
    until = perf_counter() + seconds
    try:
        for observation in run.source:
            run.seen.append(observation)
            if perf_counter() > until and len(run.seen) < MOST:
                return
            if len(run.seen) >= MOST:
                break
    except ViewerError as error:
        run.error = str(error)
    except Exception:
        log.exception("The experiment %s failed", name)
        run.error = words.SURPRISED
    run.source = None
    st.rerun()
