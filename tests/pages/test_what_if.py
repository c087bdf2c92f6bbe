"""What if as a page: the visitor's own text forks, ready-made forks begin anew, both ways go on, the tree obeys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import Generation, SamplingSettings
from core.errors import RunFinished
from core.experiments.fork import Fork, side_by_side
from core.sampling.dice import roll
from pages.ui.components.branch_tree.branch_tree import TreeAction, rows_of_run, tree_action
from pages.ui.components.fork_view.fork_view import Picked, picked
from pages.ui.experiments import fork_playback
from pages.ui.i18n import example_texts

Open = Callable[..., AppTest]
Session = Callable[[AppTest], Any]


def said(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.info) for element in kind)


@pytest.fixture(autouse=True)
def nothing_written_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first words of both branches, which stand there before anybody asks, have tests in `test_first_results.py`."""
    monkeypatch.setattr(fork_playback, "FIRST_WORDS", 0)


def test_it_opens_on_the_visitors_own_text(open_app: Open, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example_texts, "FORKS", ())  # one of them begins with the very text that the app begins with
    app = open_app(page="what_if.py")
    assert not app.exception
    playback = session(app).results["what_if"]
    best = [c.token_id for c in playback.run.next_distribution().candidates[:2]]
    assert [side.forced for side in playback.fork.sides] == [[best[0]], [best[1]]]
    assert len(playback.run.nodes) == 1, "looking changes nothing"
    for _ in range(3):
        app.button(key="what_if_step").click().run()
    assert not app.exception
    assert [pair.index for pair in playback.fork.pairs] == [0, 1, 2]
    for pair in playback.fork.pairs[1:]:
        assert pair.left.roll == pair.right.roll == roll(playback.run.settings.seed, pair.index)
    charts = app.get("vega_lite_chart")
    assert len(charts) == 3


def test_a_word_opened_on_watch_is_where_it_forks(open_app: Open, session: Session) -> None:
    app = open_app(page="what_if.py")
    run = session(app).run
    for _ in range(5):
        run.step()
    session(app).selected_index = 2
    del session(app).results["what_if"]
    app.run()
    fork = session(app).results["what_if"].fork
    assert fork.parts_at == 2
    assert len(fork.sides[0].follow) == 3
    assert not fork.sides[0].forced


@pytest.mark.parametrize("number", [0, len(example_texts.FORKS) - 1])
def test_ready_made_forks_begin_with_their_words(number: int, open_app: Open, session: Session) -> None:
    app = open_app(page="what_if.py")
    app.button(key=f"what_if_fork_{number}").click().run()
    assert not app.exception
    _, prompt, left, right = example_texts.FORKS[number]
    playback = session(app).results["what_if"]
    assert playback.run.prompt == prompt
    for side, text in zip(playback.fork.sides, (left, right), strict=True):
        assert playback.run.model.text_of(side.forced) == text
    app.button(key="what_if_step").click().run()
    assert playback.fork.pairs[0].left.chosen_by == "forced"


def test_from_the_fork_again_it_says_the_same(open_app: Open, session: Session) -> None:
    app = open_app(page="what_if.py")
    for _ in range(3):
        app.button(key="what_if_step").click().run()
    first = [(p.left.token_id, p.right.token_id) for p in session(app).results["what_if"].fork.pairs]
    nodes = len(session(app).run.nodes)
    app.button(key="what_if_again").click().run()
    assert not session(app).results["what_if"].fork.pairs
    for _ in range(3):
        app.button(key="what_if_step").click().run()
    assert [(p.left.token_id, p.right.token_id) for p in session(app).results["what_if"].fork.pairs] == first
    assert len(session(app).run.nodes) == nodes


def test_another_word_where_one_clicked(open_app: Open, session: Session) -> None:
    app = open_app(page="what_if.py")
    for _ in range(3):
        app.button(key="what_if_step").click().run()
    playback = session(app).results["what_if"]
    playback.opened = Picked(2, 1)
    app.run()
    offers = [button for button in app.button if button.key and button.key.startswith("what_if_other_")]
    assert len(offers) == 8
    taken = playback.fork.pairs[1].right.token_id
    assert f"what_if_other_{taken}" not in {button.key for button in offers}
    offers[0].click().run()
    assert not app.exception
    fresh = session(app).results["what_if"].fork
    assert fresh.parts_at == 1
    assert fresh.sides[1].forced == [int(str(offers[0].key).rsplit("_", 1)[1])]


@pytest.mark.parametrize("text", ["", "x" * 201, "<script>alert(1)</script>🦊"])
def test_whatever_is_typed_is_a_word_or_a_sentence_about_it(text: str, open_app: Open, session: Session) -> None:
    app = open_app(page="what_if.py")
    for _ in range(2):
        app.button(key="what_if_step").click().run()
    session(app).results["what_if"].opened = Picked(1, 1)
    app.run()
    app.text_input(key="what_if_text").set_value(text)
    next(button for button in app.button if button.label == "Fork here").click().run()
    assert not app.exception
    app.button(key="what_if_step").click().run()
    assert not app.exception


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
    wilds: list[Any] = [
        None,
        "go",
        3,
        [],
        {},
        {"verb": "go"},
        {"verb": "go", "node": "3"},
        {"verb": "go", "node": True},
        {"verb": "go", "node": 4},
        {"verb": "go", "node": 10**40},
        {"verb": "delete", "node": 3},
        {"verb": "name", "node": 3, "name": 7},
        {"verb": ["go"], "node": 3},
    ]
    for wild in wilds:
        assert tree_action(wild, {3}, ("go", "name")) is None


def test_picks_that_cannot_be_are_no_picks() -> None:
    assert picked([0, 1], 2, (3, 3)) == Picked(0, 1)
    assert picked([2, 4], 2, (3, 3)) == Picked(2, 4)
    wilds: list[Any] = [None, [], [0], [0, 2], [0, -1], [1, 1], [1, 5], [3, 2], [True, 0], ["0", 1], [0, 1.0], {"0": 1}, [1, 10**40]]
    for wild in wilds:
        assert picked(wild, 2, (3, 3)) is None


def test_the_tree_is_walked_named_and_pruned(open_app: Open, session: Session, monkeypatch: Any) -> None:
    app = open_app(page="what_if.py")
    for _ in range(3):
        app.button(key="what_if_step").click().run()
    left, right = session(app).results["what_if"].fork.ends()
    run = session(app).run
    wishes = [TreeAction("name", left, "the first\n<b>"), TreeAction("go", left), TreeAction("delete", right), TreeAction("delete", right)]

    def tree(*_: Any, **__: Any) -> TreeAction | None:
        return wishes.pop(0) if wishes else None

    monkeypatch.setattr("pages.ui.components.branch_tree.branch_tree.branch_tree", tree)
    while wishes:
        app.run()
        assert not app.exception
    app.run()
    assert run.nodes[left].name == "the first<b>"
    assert run.here == left
    assert run.nodes[right].is_deleted
    assert "was deleted" in said(app)
    assert not app.exception


def test_where_nothing_fits_any_more_it_says_so(open_app: Open, session: Session, monkeypatch: Any) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise RunFinished("There is no room to write.")

    app = open_app(page="what_if.py")
    monkeypatch.setattr(Fork, "step", refuse)
    app.button(key="what_if_step").click().run()
    assert not app.exception
    assert "There is no room to write." in said(app)
