"""What if as a page: the visitor's own text forks, ready-made forks begin anew, both ways go on, the tree obeys."""

from __future__ import annotations

from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.errors import RunFinished
from core.experiments.what_if import Fork, side_by_side
from pages.ui.charts.tree_rows import rows_of_run
from pages.ui.components.branch_tree.branch_tree import TreeAction, tree_action
from pages.ui.i18n import example_texts
from pages.what_if import fork_playback
from pages.what_if.fork_playback import ForkOfVisitor, Picked
from pages.what_if.fork_view import picked
from tests.pages.apptest import Open, State, press, said


@pytest.fixture(autouse=True)
def nothing_written_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both branches begin without a word."""
    monkeypatch.setattr(fork_playback, "FIRST_WORDS", 0)


def test_a_word_opened_on_watch_is_where_it_forks(open_app: Open, session: State) -> None:
    app = open_app(page="what_if")
    run = session(app).run
    list(run.stream(5))
    session(app).player.selected_index = 2
    del session(app).memory[ForkOfVisitor]
    app.run()
    fork = session(app).memory[ForkOfVisitor].now.fork
    assert fork.parts_at == 2
    assert len(fork.sides[0].follow) == 3
    assert not fork.sides[0].forced


def test_a_ready_made_fork_begins_with_its_words(open_app: Open, session: State) -> None:
    app = press(open_app(page="what_if"), "what_if_fork_0")
    _, prompt, left, right = example_texts.FORKS[0]
    playback = session(app).memory[ForkOfVisitor].now
    assert playback.run.prompt == prompt
    for side, text in zip(playback.fork.sides, (left, right), strict=True):
        assert playback.run.model.text_of(side.forced) == text
    press(app, "what_if_step")
    assert playback.fork.pairs[0].left.chosen_by == "forced"


def test_whatever_is_typed_is_a_word_or_a_sentence_about_it(open_app: Open, session: State) -> None:
    app = press(open_app(page="what_if"), "what_if_step", 2)
    for text in ("", "x" * 201, "<script>alert(1)</script>🦊"):
        session(app).memory[ForkOfVisitor].now.opened = Picked(1, 1)
        app.run()
        app.text_input(key="what_if_text").set_value(text)
        next(button for button in app.button if button.label == "Fork here").click().run()
        assert not app.exception, text
        press(app, "what_if_step")


def test_the_tree_is_one_row_for_every_way(tiny: Any) -> None:
    run = Generation(tiny("gpt2"), "The sea", SamplingSettings(seed=1))
    list(side_by_side(Fork.at(run, 0, [101], [102]), 6))
    rows = rows_of_run(run)
    assert [(row.parent, row.kind, row.here) for row in rows] == [(None, "open", False), (None, "path", True)]
    assert [row.gone for row in rows] == [6, 6]
    assert rows[1].text == "".join(step.text or step.piece for step in run.path)
    assert rows[1].share == run.path[0].model_probability
    run.go_to(2)
    run.force(103)
    inner = rows_of_run(run)
    assert len(inner) == 4
    assert {row.parent for row in inner[2:]} == {inner[1].node_id}


def test_wishes_that_cannot_be_are_no_wishes() -> None:
    assert tree_action({"verb": "go", "node": 3}, {3}, ("go",)) == TreeAction("go", 3)
    assert tree_action({"verb": "name", "node": 3, "name": "x" * 999}, {3}, ("name",)) == TreeAction("name", 3, "x" * 200)
    wilds: list[Any] = [None, "go", 3, [], {}, {"verb": "go"}, {"verb": "delete", "node": 3}, {"verb": ["go"], "node": 3}]
    wilds += [{"verb": "go", "node": node} for node in ("3", True, 4, 10**40)] + [{"verb": "name", "node": 3, "name": 7}]
    assert {tree_action(wild, {3}, ("go", "name")) for wild in wilds} == {None}


def test_picks_that_cannot_be_are_no_picks() -> None:
    assert picked(0, 1, 0, 2) == Picked(0, 1)
    assert picked(2, 2, 2, 3) == Picked(2, 4)
    wilds: list[Any] = [None, [], -1, 3, True, "0", 1.0, {"0": 1}, 10**40]
    assert {picked(2, wild, 2, 3) for wild in wilds} == {None}


def test_where_nothing_fits_any_more_it_says_so(open_app: Open, session: State, monkeypatch: Any) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise RunFinished("There is no room to write.")

    app = open_app(page="what_if")
    monkeypatch.setattr(Fork, "step", refuse)
    press(app, "what_if_step")
    assert "There is no room to write." in said(app)


def test_the_distance_that_the_sentence_names_is_in_the_chart(open_app: Open, session: State) -> None:
    app = open_app(page="what_if")
    press(app, "what_if_step", 6)
    fork = session(app).memory[ForkOfVisitor].now.fork
    named = fork.alignment().behind_change
    assert named is not None
    table = fork_playback.drift_table(fork).dropna(subset="middle")
    assert named.middle in table[table.place == fork.parts_at + 2].middle.tolist()
