"""The common part of live runs and replays beyond their tree: settings, generating, and their display in notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from threading import RLock
from typing import Any, Concatenate, ParamSpec, SupportsIndex, TypeVar

from core.errors import NotEnoughMemory, WrongType
from core.generation.tree import Tree
from core.message import ENGLISH, Message, Wording
from core.record import rich
from core.record.step import Step, Vocabulary
from core.settings import SamplingSettings, whole_number

TAIL = 40  # characters of the text that `repr` shows
P = ParamSpec("P")
Result = TypeVar("Result")
AnyRun = TypeVar("AnyRun", bound="Run")


def in_turn(method: Callable[Concatenate[AnyRun, P], Result]) -> Callable[Concatenate[AnyRun, P], Result]:
    """Decorate a method that moves a run or depends on its current node: threads call it one after the other (see `Run.turn`)."""

    @wraps(method)
    def guarded(self: AnyRun, *args: P.args, **kwargs: P.kwargs) -> Result:
        with self.turn:
            return method(self, *args, **kwargs)

    return guarded


class Run(Tree, ABC):
    """A tree that can be continued, by a model or from a recording.

    turn: lock held by the thread that moves the run. A step belongs to the node where its computation began, so no other thread may move
    the run until it ends. Hold the lock around several calls that belong together. Reading needs no lock.
    """

    model_name: str

    def __init__(self, vocabulary: Vocabulary, settings: SamplingSettings) -> None:
        self.turn = RLock()
        super().__init__(vocabulary)
        self.settings = settings

    def __reduce_ex__(self, _protocol: SupportsIndex) -> Any:
        """Raise WrongType for copy and pickle."""
        raise WrongType("A run holds a loaded model, so it cannot be copied. Keep Recording.of(run), or branch with run.switch().")

    @property
    def settings(self) -> SamplingSettings:
        """Settings of the next steps; assign new ones to change them, existing steps stay. Raises BadSetting for another type."""
        return self._settings

    @settings.setter
    def settings(self, settings: SamplingSettings) -> None:
        self._settings = SamplingSettings.checked(settings)

    @property
    @abstractmethod
    def finished(self) -> str | None:
        """Why the run has ended here; None if it can continue."""

    @abstractmethod
    def step(self, attempt: int = 0, outcome: int | None = None) -> Step:
        """Compute or reveal one token."""

    def go_to(self, step_index: int) -> None:
        """Move to a step; see `Tree.go_to`."""
        with self.turn:
            super().go_to(step_index)

    def switch(self, node_id: int) -> None:
        """Move to a node; see `Tree.switch`."""
        with self.turn:
            super().switch(node_id)

    def delete(self, node_id: int) -> int:
        """Delete a branch; see `Tree.delete`."""
        with self.turn:
            return super().delete(node_id)

    def stream(self, count: int | None = None) -> Iterator[Step]:
        """Generate up to `count` more tokens (None: to the end) and yield each step.

        Stops where the run ends or memory is full; `finished` then has the reason. Raises BadSetting for an invalid count.
        """
        return self._stream(None if count is None else whole_number(count, Message("The number of tokens"), 0))

    def generate(self, count: int | None = None) -> str:
        """Generate up to `count` more tokens (None: to the end) and return the whole text. Raises BadSetting for an invalid count."""
        for _step in self.stream(count):
            pass
        return self.text

    def _stream(self, count: int | None) -> Iterator[Step]:
        made = 0
        while self.finished is None and (count is None or made < count):
            try:
                step = self.step()
            except NotEnoughMemory:
                if not self._path:  # the prompt itself does not fit into memory
                    raise
                return
            yield step
            made += 1

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        link: str = "",
        charts: int = 3,
        wording: Wording = ENGLISH,
        first: int | None = None,
        last: int | None = None,
    ) -> str | None:
        """Return the run as one HTML page that replays it offline; with a path, write it there instead and return None.

        Printed, the page is a handout. link: an address that repeats the run, shown with its QR code. charts: how many steps get a chart.
        first, last: the tokens to show, from 1; without them the newest 2,000. Raises BadSetting, CannotWrite.
        """
        from core.reports import files, html_page  # imported here, because reports import runs: the one declared import cycle

        made = html_page.page(self, link, charts, wording=wording, first=first, last=last)
        if path is None:
            return made
        files.write(path, made.encode())
        return None

    def to_gif(
        self,
        path: str | Path,
        *,
        speed: float = 2.0,
        theme: str = "light",
        beats: bool = False,
        first: int = 1,
        last: int | None = None,
        wording: Wording = ENGLISH,
    ) -> None:
        """Write the run as an animation of 960 x 540, one frame per token. path: ends in .gif or .webp.

        speed: tokens per second. beats: three frames per token: probabilities, choice, text. first, last: the tokens to show, from 1; at
        most 240, or 80 with beats. Raises RunFinished for a run without steps, BadSetting, TooLarge beyond 10 MB, CannotWrite.
        """
        from core.reports import animation  # see `to_html`

        animation.write(self.path, path, animation.Options(theme, speed, beats, wording), first, last)

    def chart(self) -> Any:
        """Return a Vega-Lite chart of each token's probability and surprise, for notebooks. Raises RunFinished for a run without steps."""
        from core.reports import chart  # see `to_html`

        return chart.of_run(self)

    def _repr_html_(self) -> str:
        """Return the tinted text, for a notebook."""
        newest = self._path[-1] if self._path else None
        title = f"{self.model_name} · {len(self._path)} tokens written" + (f" · {self.finished}" if self.finished else "")
        return rich.framed(title, rich.tinted(self._path, self.prompt_tokens), rich.bars(newest, 5) if newest else "")

    def __repr__(self) -> str:
        text = self.text
        shown = text if len(text) <= TAIL else f"…{text[-TAIL:]}"
        ending = f", {self.finished}" if self.finished else ""
        return f"{type(self).__name__}({self.model_name}, {len(self._path)} tokens written, {shown!r}{ending})"
