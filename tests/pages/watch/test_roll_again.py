"""Roll again: the same seed's next throw, as a new branch."""

from __future__ import annotations

from core.sampling import dice
from tests.pages.apptest import Open, told


def test_the_last_token_is_rolled_again_with_the_next_throw(open_app: Open) -> None:
    app = open_app()
    app.button(key="step").click().run()
    app.button(key="step").click().run()
    run = app.session_state["_session"].run
    seed = run.settings.seed
    first = run.path[1]
    for attempt in (1, 2):
        app.button(key="roll_again").click().run()
        assert not app.exception
        newest = run.path[-1]
        assert (len(run.path), newest.attempt, newest.roll) == (2, attempt, dice.roll(seed, 1, attempt))
    assert first in [node.step for node in run.nodes]
    app.button(key="back").click().run()
    app.button(key="step").click().run()
    assert run.path[1] is first


def test_greedy_and_an_empty_text_have_no_dice(open_app: Open) -> None:
    app = open_app()
    app.button(key="roll_again").click().run()
    run = app.session_state["_session"].run
    assert not app.exception and not run.path
    app.button(key="preset_Greedy").click().run()
    app.button(key="step").click().run()
    app.button(key="roll_again").click().run()
    assert any("no dice" in text for text in told(app))
    assert len(run.nodes) == 2
