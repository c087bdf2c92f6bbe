"""A branch can be deleted. All other nodes keep their place and number, and can still be saved."""

from __future__ import annotations

import random
from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings
from core.errors import InputError


@pytest.fixture
def run(tiny: Any) -> Generation:
    """Nodes 1 to 4 in a row; 5 behind the prompt; 6 and 7 behind 2. The visitor stands at 7."""
    made = Generation(tiny("llama"), "The sea", SamplingSettings(seed=3), top_n=8)
    for _ in range(4):
        made.step()
    made.go_to(-1)
    made.force(99)
    made.switch(2)
    made.force(98)
    made.step()
    assert made.here == 7
    return made


def texts(run: Any) -> list[tuple[int, ...]]:
    """Every way through the tree, as tokens."""
    return sorted(tuple(step.token_id for step in run.path_to(branch.node_id)) for branch in run.branches())


def test_whoever_stood_on_it_stands_at_the_fork(run: Generation) -> None:
    run.delete(7)
    assert run.here == 2
    assert len(run.path) == 2
    before = [step.token_id for step in run.path]
    step = run.step()
    assert step.index == 2
    assert run.here == 3, "the way that was rolled before is found again"
    assert [s.token_id for s in run.path[:2]] == before


def test_numbers_of_others_stay_and_deleted_ones_are_not_given_again(run: Generation) -> None:
    kept = {i: run.path_to(i) for i in (1, 2, 5, 6, 7)}
    run.delete(4)
    assert all(run.path_to(i) == path for i, path in kept.items())
    run.go_to(-1)
    run.force(50)
    assert run.here == 8


@pytest.mark.parametrize("node_id", [0, -1, 8, 10**30, True, None, "4", 2.0, float("nan")])
def test_what_is_not_there_cannot_be_deleted(run: Generation, node_id: Any) -> None:
    before = texts(run)
    with pytest.raises(InputError):
        run.delete(node_id)
    assert texts(run) == before


def test_a_deleted_branch_is_gone_for_good(run: Generation) -> None:
    run.delete(4)
    for verb in (run.switch, run.path_to, run.delete, run.nodes_to_delete, lambda i: run.rename(i, "x")):
        with pytest.raises(InputError, match="was deleted"):
            verb(4)


def test_a_recording_holds_what_is_left(run: Generation) -> None:
    run.rename(5, "short")
    run.delete(4)
    kept = Recording.loads(Recording.of(run).dumps())
    assert texts(kept) == texts(run)
    assert kept.text == run.text
    assert [branch.name for branch in kept.branches()] == [branch.name for branch in run.branches()]
    replay = kept.replay()
    while not replay.finished:
        replay.step()
    assert replay.text == run.text


def test_any_order_of_writing_and_deleting_keeps_the_tree_whole(tiny: Any) -> None:
    chance = random.Random(5)
    run = Generation(tiny("gpt2"), "She", SamplingSettings(seed=1), top_n=4)
    for _ in range(120):
        alive = [node.node_id for node in run.nodes if not node.is_deleted]
        what = chance.random()
        if what < 0.6 and not run.finished:
            run.force(chance.randrange(20, 300))
        elif what < 0.85:
            run.switch(chance.choice(alive))
        elif len(alive) > 1:
            run.delete(chance.choice(alive[1:]))
        for node in run.nodes:
            assert all(run.nodes[child].parent == node.node_id for child in node.children)
        assert not run.nodes[run.here].is_deleted
        assert [step.index for step in run.path] == list(range(len(run.path)))
    assert texts(Recording.loads(Recording.of(run).dumps())) == texts(run)
