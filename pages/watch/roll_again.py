"""Roll again: a token of the path with the next throw of the same seed, as a new branch."""

from __future__ import annotations

from core.generation.generation import Generation
from core.record.step import Step
from core.sources.capabilities import Can
from pages.ui.i18n.translation import _
from pages.ui.session import current
from pages.ui.session.state import error_boundary, notify


@error_boundary
def roll_again() -> None:
    """Roll the reopened token again, or the newest one. The old token stays among the branches."""
    run = current.begin()
    seen = current.shown(run)
    if not run.path:
        return
    index = seen.index if isinstance(seen, Step) else len(run.path) - 1
    if Can.NEW_TOKENS not in run.can:
        notify(_("A recording cannot roll again. Close it to write a text of your own."))
        return
    if run.settings.greedy:
        notify(_("Greedy is on, so there are no dice. Switch it off to roll again."))
        return
    current.changed("rolled").playing = False
    run.go_to(index - 1)
    run.step(attempt=next_attempt(run))


def next_attempt(run: Generation) -> int:
    """Return the number of the next throw at the current node: after the highest one that its branches have with this seed."""
    steps = [run.nodes[child].step for child in run.nodes[run.here].children]
    used = [step.attempt for step in steps if step is not None and step.chosen_by == "sampled" and step.settings.seed == run.settings.seed]
    return max(used, default=-1) + 1
