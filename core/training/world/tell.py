"""Tell a whole story: an opening, a plot for this hero, an ending."""

from __future__ import annotations

from random import Random

from core.training.world import plots_home, plots_quest, plots_things
from core.training.world.openings import opening
from core.training.world.registry import EVERYBODY, PLOTS
from core.training.world.story import Story

__all__ = ["plots_home", "plots_quest", "plots_things", "story"]


def story(rng: Random, plot: str = "", kinds: str = EVERYBODY) -> Story:
    """A story with its state. `plot` names the plot, `kinds` the kinds of heroes that may have it."""
    while True:
        told = Story(rng, eager=rng.choice([0.45, 0.6, 0.75]))
        hero = told.begin(kinds)
        fitting = {name: share for name, (_, heroes, share) in PLOTS.items() if hero.role in heroes.split() and plot in ("", name)}
        if fitting:
            break
    name = rng.choices(list(fitting), list(fitting.values()))[0]
    told.plot.insert(0, name)
    if rng.random() < 0.93 or not (hero.name or hero.owner_word or hero.pronoun == "I"):
        opening(told)
        told.paragraph(0.25)
    PLOTS[name][0](told)
    return told
