"""Going back, branching and naming: a run only grows, and every place in it can be found again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as budget
from hypothesis import strategies as st

from core import Generation, SamplingSettings
from core.errors import InputError
from tests.core.plain import agrees_with_a_plain_pass

PROMPT = "The sea looked back 🦊"


def test_a_forced_token_is_marked_and_rolls_nothing(tiny: Any) -> None:
    run = Generation(tiny("llama"), PROMPT, SamplingSettings(top_k=1))
    least = run.next_distribution().candidates[-1].token_id
    step = run.force(least)
    assert (step.token_id, step.chosen_by, step.roll) == (least, "forced", None)
    assert step.sampling_probability == 0
    assert step.chosen.removed_by == "top-k"
    assert step.model_probability > 0


def test_branches_name_every_end_and_where_it_parts(tiny: Any) -> None:
    run = Generation(tiny("llama"), PROMPT)
    for token in (40, 41, 42, 43):
        run.force(token)
    end = run.here
    run.go_to(1)
    for token in (50, 51):
        run.force(token)
    branches = {branch.node_id: branch for branch in run.branches()}
    assert len(branches) == 2
    assert branches[run.here].is_current
    assert branches[run.here].parts_at is None
    assert branches[run.here].step_count == 4
    assert branches[end].parts_at == 2
    assert branches[end].step_count == 4
    run.rename(end, "the first way")
    run.switch(end)
    assert [step.token_id for step in run.path] == [40, 41, 42, 43]
    assert next(branch for branch in run.branches() if branch.is_current).name == "the first way"


@pytest.mark.parametrize(("verb", "place"), [("go_to", 1), ("go_to", -2), ("switch", -1), ("switch", 2), ("switch", 10**9)])
def test_a_run_moves_only_to_places_that_exist(verb: str, place: int, tiny: Any) -> None:
    run = Generation(tiny("llama"), PROMPT)
    run.force(40)
    with pytest.raises(InputError):
        getattr(run, verb)(place)
    assert [step.token_id for step in run.path] == [40]


MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("step"), st.integers(0, 3)),
        st.tuples(st.just("force"), st.integers(3, 300)),
        st.tuples(st.just("go_to"), st.floats(0, 1)),
        st.tuples(st.just("switch"), st.floats(0, 1)),
        st.tuples(st.just("settings"), st.integers(0, 4)),
        st.tuples(st.just("coming"), st.none()),
        st.tuples(st.just("release"), st.none()),
    ),
    min_size=5,
    max_size=25,
)


@budget(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=MOVES)
def test_whatever_a_visitor_does_nothing_is_lost_and_the_numbers_stay_right(moves: list[tuple[str, Any]], tiny: Any, plain: Any) -> None:
    model = tiny("llama")
    run = Generation(model, PROMPT, SamplingSettings(seed=8), top_n=model.vocabulary_size)
    made: dict[int, list[int]] = {0: []}
    prompt = model.encode(PROMPT)
    for move, how in moves:
        if move in ("step", "force") and run.finished:
            continue
        if move == "step":
            run.step(attempt=how)
        elif move == "force":
            run.force(how)
        elif move == "go_to":
            run.go_to(round(how * len(run.path)) - 1)
        elif move == "switch":
            run.switch(round(how * (len(run.nodes) - 1)))
        elif move == "settings":
            run.settings = SamplingSettings(seed=8, temperature=1 + how / 2, top_k=how * 40)
        elif move == "coming" and not run.finished:
            run.next_distribution()
        elif move == "release":
            run.release()
        written = [step.token_id for step in run.path]
        assert run.token_ids.tolist() == [*prompt, *written]
        if move in ("step", "force"):
            agrees_with_a_plain_pass(run.path[-1], [*prompt, *written], plain("llama"))
        assert made.setdefault(run.here, written) == written
        assert set(made) == {node.node_id for node in run.nodes}
    for node_id, tokens in made.items():
        assert [step.token_id for step in run.path_to(node_id)] == tokens
        assert [step.index for step in run.path_to(node_id)] == list(range(len(tokens)))


def test_endings_are_texts_that_differ(tiny: Any) -> None:
    run = Generation(tiny("llama"), PROMPT, SamplingSettings(greedy=True))
    run.generate(4)
    run.go_to(1)
    assert len(run.branches()) == 2 and [ending.step_count for ending in run.endings()] == [4], "a part of a branch is none"
    path = run.path_to(4)
    run.force(path[2].key)
    assert len(run.nodes) == 6, "the same token, chosen in another way"
    assert len(run.endings()) == 1
    other = next(one for one in run.next_distribution().candidates if one.key != path[3].key)
    run.force(other.key)
    assert [ending.step_count for ending in run.endings()] == [4, 4] and run.endings()[-1].is_current
