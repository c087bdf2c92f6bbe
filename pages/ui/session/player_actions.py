"""What the buttons of the player do to the visitor's run: step, Play, back, restart, another branch, other dice.

The live view calls them by the verbs of `pages/ui/live/verbs.py`, other pages pass them to widgets as callbacks.
One that fails adds one sentence to the notices. The visitor's run stays.
"""

from __future__ import annotations

from secrets import randbelow

from core.generation.generation import Generation
from core.record.step import Step
from core.reports.live_view.texts import STEP
from core.sources.capabilities import Can
from pages.ui.i18n.translation import _
from pages.ui.session import current
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import notify
from pages.ui.session.sampling_controls import LARGEST_SEED
from pages.ui.session.state import current_session, set_field


@action_boundary
def step() -> None:
    """Make one step, unless the run has ended."""
    current_run = current.begin()
    current.changed("rolled")
    if not current_run.finished:
        current_run.step()


@action_boundary
def play() -> None:
    """Start Play. A replay at its end starts again from the prompt."""
    session, current_run = current_session(), current.begin()
    current.changed(session.player.moment)
    if Can.NEW_TOKENS not in current_run.can and current_run.finished and current_run.path:
        current_run.go_to(-1)
        session.player.moment = "coming"
    session.player.playing = current_run.finished is None


@action_boundary
def pause() -> None:
    """Stop Play."""
    current_session().player.playing = False


@action_boundary
def go_back() -> None:
    """Go back one step. The step stays in the tree."""
    current_run = current.begin()
    session = current.changed("rolled")
    session.player.playing = False
    if current_run.path:
        current_run.go_to(len(current_run.path) - 2)
    if not current_run.path:
        session.player.moment = "coming"


@action_boundary
def restart() -> None:
    """Go back to the prompt. All steps stay in the tree."""
    current_run = current.begin()
    current.changed("coming").player.playing = False
    current_run.go_to(-1)


@action_boundary
def select_step(index: int) -> None:
    """Reopen a past step of the current path; the newest one is only shown."""
    session = current_session()
    if index == len(current.begin().path) - 1 >= 0 and not session.player.playing:
        current.changed("rolled")
    elif 0 <= index < len(current.begin().path):
        session.player.selected_index, session.player.playing = index, False
        session.player.clicks += 1
        session.notices.latest.clear()


@action_boundary
def newest() -> None:
    """Show the newest step."""
    current.changed("rolled" if current.begin().path else "coming")


@action_boundary
def look_at(moment: str) -> None:
    """Show the next-token distribution ("coming") or the newest step ("rolled")."""
    current.changed(moment)


@action_boundary
def switch(node_id: int) -> None:
    """Go to the end of another branch."""
    current_run = current.begin()
    current.changed("rolled").player.playing = False
    current_run.switch(node_id)


@action_boundary
def new_dice() -> None:
    """Go back to the prompt with another seed. All steps stay in the tree."""
    run = current.begin()
    if Can.NEW_TOKENS not in run.can:
        notify(_("A recording cannot roll again. Close it to write a text of your own."))
        return
    current.changed("coming").player.playing = False
    set_field("seed", randbelow(LARGEST_SEED + 1))
    current.begin().go_to(-1)


@action_boundary
def roll_again() -> None:
    """Roll the reopened token again, or the newest one. The old token stays among the branches."""
    run = current.begin()
    distribution = current.shown(run)
    if not run.path:
        return
    index = distribution.index if isinstance(distribution, Step) else len(run.path) - 1
    if Can.NEW_TOKENS not in run.can:
        notify(_("A recording cannot roll again. Close it to write a text of your own."))
        return
    if run.settings.greedy:
        notify(_(STEP["no_dice"]))
        return
    current.changed("rolled").player.playing = False
    run.go_to(index - 1)
    run.step(attempt=next_attempt(run))


def next_attempt(run: Generation) -> int:
    """Return the number of the next throw at the current node: after the highest one that its branches have with this seed."""
    steps = [run.nodes[child].step for child in run.nodes[run.here].children]
    used = [step.attempt for step in steps if step is not None and step.chosen_by == "sampled" and step.settings.seed == run.settings.seed]
    return max(used, default=-1) + 1
