"""Roll again: the same seed's next throw, as a new branch."""

from __future__ import annotations

from core.sampling import dice
from tests.pages.apptest import Open, press, told


def test_the_last_token_is_rolled_again_with_the_next_throw(open_app: Open) -> None:
    app = open_app()
    press(app, "step")
    press(app, "step")
    run = app.session_state["_session"].run
    seed = run.settings.seed
    first = run.path[1]
    for attempt in (1, 2):
        press(app, "roll_again")
        assert not app.exception
        newest = run.path[-1]
        assert (len(run.path), newest.attempt, newest.roll) == (2, attempt, dice.roll(seed, 1, attempt))
    assert first in [node.step for node in run.nodes]
    press(app, "back")
    press(app, "step")
    assert run.path[1] is first


def test_greedy_and_an_empty_text_have_no_dice(open_app: Open) -> None:
    app = open_app()
    press(app, "roll_again")
    run = app.session_state["_session"].run
    assert not app.exception and not run.path
    press(app, "preset_Greedy")
    press(app, "step")
    press(app, "roll_again")
    assert any("no dice" in text for text in told(app))
    assert len(run.nodes) == 2
