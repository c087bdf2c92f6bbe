"""What a visitor can do with their run from the live view: one table for its buttons, its keys and the routes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from core.errors import InputError
from core.sources.capabilities import Can
from pages.ui.i18n.translation import N_
from pages.ui.session import current, player_actions, undo
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.share_link import LONGEST_PROMPT
from pages.ui.session.state import current_session, set_field

LARGEST_NUMBER = 2**53
Count = Annotated[int, Field(ge=0, le=LARGEST_NUMBER)]
OTHER_RUN = N_("The text was replaced meanwhile. Press again for the new one.")

OTHER_PAGE = N_("Another page is open in this session. Reload this one.")


class Press(BaseModel):
    """One press of a view. number: counts the presses of this `view`, a random name. drawn: run and node that the view has drawn.

    run: the run that the press is for, which the verbs with a `node`, a `token` or an `index` of a step need. node: the one before the
    token that is forced, or the end of a branch. index: of a step of the current path, -1 for the newest; of "fold", 1 to show what is
    excluded. text: a prompt. speed: steps per second. event: what a scene of its own sends (see `Scene`).
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    view: Annotated[str, Field(min_length=8, max_length=40)]
    number: Annotated[int, Field(ge=1, le=LARGEST_NUMBER)]
    drawn: tuple[Count, Count] = (0, 0)
    run: Count = 0
    node: Count = 0
    token: Annotated[int, Field(ge=-LARGEST_NUMBER, le=2 * LARGEST_NUMBER)] = 0
    index: Annotated[int, Field(ge=-1, le=LARGEST_NUMBER)] = -1
    text: Annotated[str, Field(max_length=LONGEST_PROMPT + 1)] = ""
    speed: Annotated[float, Field(ge=0.0, le=1000.0, allow_inf_nan=False)] = 0.0
    event: dict[str, Any] = {}


def play(press: Press) -> None:
    """Start Play with this speed."""
    set_speed(press)
    player_actions.play()


@action_boundary
def set_speed(press: Press) -> None:
    """Change the speed of Play. 0 is as fast as it goes."""
    current_session().live.speed = press.speed


@action_boundary
def force(press: Press) -> None:
    """Take this token after this node, where the visitor saw its bar, also if the run has moved on since. Begins a new branch."""
    run = current.begin()
    _must_be_run(press)
    here, line = run.here, run.line
    if (press.node, press.token) in zip(line, (step.key for step in run.path), strict=False):
        return  # the token that stands there
    try:
        run.switch(press.node)
        run.force(press.token)
    except Exception:
        run.switch(here)
        raise
    current.changed("rolled").player.playing = False


@action_boundary
def go(press: Press) -> None:
    """Reopen this step of the current path, or show the newest one."""
    if press.index < 0:
        player_actions.newest()
        return
    current.begin()
    _must_be_run(press)
    player_actions.select_step(press.index)


@action_boundary
def switch(press: Press) -> None:
    """Go to the end of another branch."""
    current.begin()
    _must_be_run(press)
    player_actions.switch(press.node)


@action_boundary
def write_prompt(press: Press) -> None:
    """Begin a run with this prompt, unless the run has it. The old run is saved for undo."""
    current.changed("coming").player.playing = False
    set_field("prompt", press.text)
    current.begin()


@action_boundary
def example(press: Press) -> None:
    """Begin a run with this prompt in place of what is open, also of a recording or of the same prompt."""
    current.use_prompt(press.text)
    current.begin()


@action_boundary
def close(press: Press) -> None:
    """Return from a recording to the visitor's own text, with its steps if it had any. The recording is saved for undo."""
    session = current_session()
    if session.run is None or Can.NEW_TOKENS in session.run.can:
        return
    saved = session.saved_run
    if saved is not None and Can.NEW_TOKENS in saved.run.can and saved.begun_with == current.request():
        undo.undo()
    else:
        current.close_recording()
    current.begin()


def fold(press: Press) -> None:
    """Let the excluded tokens share one line of the bars, or give each its own (`index` 1)."""
    show_excluded(press.index == 1)


@action_boundary
def show_excluded(shown: bool) -> None:
    """Show or fold the excluded tokens."""
    current_session().live.folded = not shown
    set_field("cut_shown", shown)


def show_rows(rows: int, folded: bool) -> None:
    """Let the view show so many bars, and fold the excluded tokens or not."""
    live = current_session().live
    if (live.rows, live.folded) != (rows, folded):
        live.rows, live.folded = rows, folded
        live.changed()


@action_boundary
def act(press: Press) -> None:
    """Do what the scene of the open page makes of this press."""
    scene = current_session().live.scene
    if scene is None:
        raise InputError(OTHER_PAGE)
    scene.act(press.event)


def _must_be_run(press: Press) -> None:
    if press.run != current_session().live.run_number:
        raise InputError(OTHER_RUN)


def _without_arguments(action: Callable[[], None]) -> Callable[[Press], None]:
    return lambda press: action()


VERBS: dict[str, Callable[[Press], None]] = {
    "step": _without_arguments(player_actions.step),
    "play": play,
    "speed": set_speed,
    "act": act,
    "example": example,
    "close": close,
    "fold": fold,
    "force": force,
    "go": go,
    "switch": switch,
    "prompt": write_prompt,
    "pause": _without_arguments(player_actions.pause),
    "back": _without_arguments(player_actions.go_back),
    "restart": _without_arguments(player_actions.restart),
    "seed": _without_arguments(player_actions.new_dice),
    "roll": _without_arguments(player_actions.roll_again),
    "coming": _without_arguments(lambda: player_actions.look_at("coming")),
    "rolled": _without_arguments(lambda: player_actions.look_at("rolled")),
    "undo": _without_arguments(undo.undo),
}
