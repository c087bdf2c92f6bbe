"""What a live run and a shown recording have in common beyond their tree: settings, writing on, and how they look in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, TypeVar

from core.errors import NotEnoughMemory
from core.generation.tree import Tree
from core.language import N_
from core.record import rich
from core.record.step import Step, Vocabulary
from core.settings import SamplingSettings, whole_number

TAIL = 40  # characters of the text that a run shows of itself
P = ParamSpec("P")
Result = TypeVar("Result")
AnyRun = TypeVar("AnyRun", bound="Run")


def in_turn(method: Callable[Concatenate[AnyRun, P], Result]) -> Callable[Concatenate[AnyRun, P], Result]:
    """What moves a run, or goes by where it stands: from whichever threads it is called, one after the other (see `Run.turn`)."""

    @wraps(method)
    def guarded(self: AnyRun, *args: P.args, **kwargs: P.kwargs) -> Result:
        with self.turn:
            return method(self, *args, **kwargs)

    return guarded


class Run(Tree, ABC):
    """A tree that can go on: from a model, or from what was recorded.

    turn: held by whoever moves it. A step that is being computed belongs to the place where it began, so nobody else moves the run
    meanwhile; hold it around several calls that belong together. Reading needs no turn.
    """

    model_name: str

    def __init__(self, vocabulary: Vocabulary, settings: SamplingSettings) -> None:
        self.turn = RLock()
        super().__init__(vocabulary)
        self.settings = settings

    @property
    def settings(self) -> SamplingSettings:
        """For the coming steps; assign others to change them, nothing is rolled again. Raises BadSetting for anything else."""
        return self._settings

    @settings.setter
    def settings(self, settings: SamplingSettings) -> None:
        self._settings = SamplingSettings.checked(settings)

    @property
    @abstractmethod
    def finished(self) -> str | None:
        """Why it cannot go on from here; None while it can."""

    @abstractmethod
    def step(self, attempt: int = 0, outcome: int | None = None) -> Step:
        """One token."""

    def go_to(self, step_index: int) -> None:
        """As `Tree.go_to`."""
        with self.turn:
            super().go_to(step_index)

    def switch(self, node_id: int) -> None:
        """As `Tree.switch`."""
        with self.turn:
            super().switch(node_id)

    def delete(self, node_id: int) -> int:
        """As `Tree.delete`."""
        with self.turn:
            return super().delete(node_id)

    def stream(self, count: int | None = None) -> Iterator[Step]:
        """Write up to `count` more tokens (None: to the end) and yield each step as it is made.

        It ends where the run ends or memory is full; `finished` says why. Raises BadSetting for an impossible count.
        """
        return self._stream(None if count is None else whole_number(count, N_("The number of tokens"), 0))

    def generate(self, count: int | None = None) -> str:
        """Write up to `count` more tokens (None: to the end) and return the whole text. Raises BadSetting for an impossible count."""
        for _step in self.stream(count):
            pass
        return self.text

    def _stream(self, count: int | None) -> Iterator[Step]:
        made = 0
        while self.finished is None and (count is None or made < count):
            try:
                step = self.step()
            except NotEnoughMemory:
                if not self._path:  # a prompt that does not fit is no end of a text
                    raise
                return
            yield step
            made += 1

    def to_html(self, link: str = "", charts: int = 3) -> str:
        """The run as one HTML page that needs nothing else: the tinted text, charts of the most telling steps, settings, model, receipt.

        link: an address that repeats the run; it stands there with its QR code. charts: how many steps get one.
        """
        from core.reports.handout import handout  # reports are functions of a run: the one declared circle of imports

        return handout(self, link, charts)

    def chart(self) -> Any:
        """How likely and how surprising each token was, as a Vega-Lite chart for notebooks. Raises RunFinished where nothing is written."""
        from core.reports import chart  # see `to_html`

        return chart.of_run(self)

    def _repr_html_(self) -> str:
        """In a notebook: the tinted text."""
        newest = self._path[-1] if self._path else None
        told = f"{self.model_name} · {len(self._path)} tokens written" + (f" · {self.finished}" if self.finished else "")
        return rich.framed(told, rich.tinted(self._path, self.prompt_tokens), rich.bars(newest, 5) if newest else "")

    def __repr__(self) -> str:
        text = self.text
        shown = text if len(text) <= TAIL else f"…{text[-TAIL:]}"
        ending = f", {self.finished}" if self.finished else ""
        return f"{type(self).__name__}({self.model_name}, {len(self._path)} tokens written, {shown!r}{ending})"
