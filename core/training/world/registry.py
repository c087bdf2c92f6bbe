"""The list of plots. A plot is a function that lets something happen in a story and tells it, after the opening."""

from __future__ import annotations

from collections.abc import Callable

from core.training.world.story import Story

Plot = Callable[[Story], None]
EVERYBODY = "child animal grown tale alive I my"
# name: plot, kinds of heroes, share
PLOTS: dict[str, tuple[Plot, str, float]] = {}


def plot(kinds: str = EVERYBODY, share: float = 1.0) -> Callable[[Plot], Plot]:
    """Register a plot for heroes of these kinds."""

    def register(function: Plot) -> Plot:
        PLOTS[function.__name__] = (function, kinds, share)
        return function

    return register
