"""Stage: actions of the presenter's keys on the run, and the score of the audience. The run is the visitor's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite, isnan
from time import monotonic
from typing import TYPE_CHECKING, Any

from core.errors import ViewerError
from core.experiments.shared import guessing_game
from core.experiments.shared.guessing_game import Guess, Round
from core.record.step import Step, TokenDistribution
from core.sampling.settings import SETTINGS
from core.sources.capabilities import Can
from pages.ui.i18n.translation import _
from pages.ui.presenting import talk
from pages.ui.session import current, player_actions
from pages.ui.session.notices import notify
from pages.ui.session.state import current_session, memory, set_field

if TYPE_CHECKING:
    from core import Generation

KEY = "stage_view"
SLOW = 0.15  # seconds; a slower pass is made after the roll was shown
MOST_AT_ONCE = 60  # tokens of one key press
LONGEST_RUN_ON = 2.0  # seconds
UNKNOWN = 99.0  # bits, above every limit
TEMPERATURES = tuple(round(0.1 * tenth, 1) for tenth in range(1, 21))


@dataclass(slots=True)
class StageState:
    """at: index of the step that is shown. called: the open guesses, made on node `called_on`. rounds: the guesses so far; scored_at: index
    of the step of the last one.

    did: number of the browser's last key press that was handled; the browser waits for it. leave: whether to close the stage.
    rolled_only: the next pass is slow, so it is made when the browser asks, after it has shown the roll. stop: number of the talk's
    stops when it began. opens_vote: whether the stage begins with a vote of the audience.
    """

    at: int = 0
    called: tuple[Guess, ...] = ()
    called_on: int = -1
    rounds: list[Round] = field(default_factory=list)
    scored_at: int = -1
    did: int = 0
    leave: bool = False
    rolled_only: bool = False
    stop: int = 0
    opens_vote: bool = False


Verb = Callable[[StageState, Mapping[str, Any]], None]


def stage_state() -> StageState:
    """Return the state of this visitor's stage."""
    state, opened = memory(StageState), talk.editor().stops_opened
    if state.stop != opened:
        state = current_session().memory[StageState] = StageState(stop=opened)
    return state


def act(verbs: Mapping[str, Verb], event: Mapping[str, Any]) -> None:
    """Do what a key of the browser asked for. verbs: what a key can do besides `VERBS`. event: from a browser, so each value is checked."""
    state = stage_state()
    state.rolled_only = False
    number = event.get("number")
    state.did = number if isinstance(number, int) else state.did
    verb = {**VERBS, **verbs}.get(str(event.get("do")))
    if verb is not None:
        verb(state, event)


def _roll(state: StageState, event: Mapping[str, Any]) -> None:
    """Make the next step, once, however often the key was pressed."""
    run = current.begin()
    if event.get("at") != len(run.path) or run.finished:
        return
    before = run.here
    current.changed("rolled")
    step = run.step()
    state.at, state.rolled_only = step.index, step.forward.seconds > SLOW
    _score(state, before, step)
    until, most = event.get("until"), event.get("most")
    if isinstance(until, int | float) and isinstance(most, int) and not state.rolled_only:
        _run_on(run, float(until), min(most, MOST_AT_ONCE))


def _run_on(run: Generation, until: float, most: int) -> None:
    """Write tokens without a choice, up to `most` with the one just rolled. The next distribution has at least `until` bits of entropy."""
    began = monotonic()
    for _more in range(most - 1):
        if run.finished or monotonic() - began > LONGEST_RUN_ON or doubt(run.next_distribution()) >= until:
            return
        run.step()


def doubt(distribution: TokenDistribution) -> float:
    """Return the entropy of what the token is taken from, in bits: of the dice, or with greedy of the model's own probabilities.

    UNKNOWN if a server lists too few tokens: the step is then shown, and the browser gets a number that JSON has.
    """
    entropy = (
        distribution.model_entropy
        if distribution.settings.greedy or isnan(distribution.sampling_entropy)
        else distribution.sampling_entropy
    )
    return entropy if isfinite(entropy) else UNKNOWN


def _score(state: StageState, node: int, step: Step) -> None:
    """Score the guesses that were made before this step."""
    if state.called and state.called_on == node:
        state.rounds.append(guessing_game.finish(state.called, step))
        state.scored_at = step.index
    state.called = ()


def _look(state: StageState, event: Mapping[str, Any]) -> None:
    at = event.get("at")
    if isinstance(at, int) and 0 <= at <= len(current.begin().path):
        state.at = at


def _again(state: StageState, event: Mapping[str, Any]) -> None:
    player_actions.restart()
    state.at, state.called, state.rounds, state.scored_at = 0, (), [], -1


def _new_dice(state: StageState, event: Mapping[str, Any]) -> None:
    if Can.NEW_TOKENS not in current.begin().can:
        notify(_("This is a recording. Its dice and its temperature cannot be changed."))
        return
    player_actions.new_dice()
    state.at, state.called = 0, ()


def _force(state: StageState, event: Mapping[str, Any]) -> None:
    """Choose this token at this step. The old continuation stays as a branch."""
    at, token_id = event.get("at"), event.get("token")
    run = current.begin()
    if not isinstance(at, int) or not isinstance(token_id, int) or not 0 <= at <= len(run.path):
        return
    current.changed("rolled").player.playing = False
    take(run, at, token_id)
    state.at, state.called = at, ()  # no dice, no points


def take(run: Generation, at: int, key: int) -> None:
    """Take this token at this step. Raises ViewerError if the run cannot, and stays where it was."""
    stood = run.here
    run.go_to(at - 1)
    try:
        run.force(key)
    except ViewerError:  # a recording has no such branch: go back to the old node
        run.switch(stood)
        raise


def _turn(state: StageState, event: Mapping[str, Any]) -> None:
    """Change the temperature by 0.1, or to a value. The next-token probabilities change, and no step is made."""
    if Can.NEW_TOKENS not in current.begin().can:
        notify(_("This is a recording. Its dice and its temperature cannot be changed."))
        return
    by, to, row = event.get("by"), event.get("to"), SETTINGS["temperature"]
    now = float(to) if isinstance(to, int | float) and isfinite(to) else current.settings().temperature
    wanted = round(now + (0.1 if by == 1 else -0.1 if by == -1 else 0.0), 1)
    set_field(row.name, min(max(wanted, TEMPERATURES[0]), TEMPERATURES[-1]))
    if current.settings().greedy:
        set_field("greedy", False)
    current.changed("coming")


def _guess(state: StageState, event: Mapping[str, Any]) -> None:
    """Score the guesses of the audience before the roll."""
    words = event.get("said")
    run = current.begin()
    if isinstance(words, list) and not run.finished and event.get("at") == len(run.path):
        state.called, state.called_on = tuple(guessing_game.judge(run, [str(word) for word in words[: 4 * guessing_game.MOST]])), run.here


def needs_page(state: StageState) -> bool:
    """Return whether a key asked for something that only a run of the page can do: leave the stage, or open another stop."""
    active = talk.active_talk()
    return state.leave or (active is not None and (active.leave or active.go is not None))


def _leave(state: StageState, event: Mapping[str, Any]) -> None:
    state.leave = True


def _stop(state: StageState, event: Mapping[str, Any]) -> None:
    """Open the next or the previous stop of the talk."""
    by = event.get("by")
    active = talk.active_talk()
    if active is not None and by in (1, -1):
        active.go = talk.neighbour(by)


VERBS: dict[str, Verb] = {
    "roll": _roll,
    "look": _look,
    "again": _again,
    "dice": _new_dice,
    "force": _force,
    "turn": _turn,
    "guess": _guess,
    "leave": _leave,
    "stop": _stop,
}
