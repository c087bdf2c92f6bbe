"""A replay steps, goes back and branches like the recorded run, without a model."""

from __future__ import annotations

from typing import Any

import pytest

from core import Generation, Recording
from core.errors import BadToken, RunFinished
from core.sources.capabilities import Can
from tests.core.runs import alike, all_alike, branched_run


@pytest.fixture(scope="module")
def run(tiny: Any) -> Generation:
    return branched_run(tiny("gpt2"))


def test_a_replay_reveals_the_run_step_by_step(run: Generation) -> None:
    replay = Recording.loads(Recording.of(run).dumps()).replay()
    assert Can.NEW_TOKENS not in replay.can
    assert Can.NEW_TOKENS in run.can
    assert (replay.prompt, replay.path, replay.text) == (run.prompt, [], run.prompt)
    for expected in run.path:
        assert replay.finished is None
        distribution = replay.next_distribution()
        assert distribution.index == expected.index
        alike(replay.step(), expected)
    all_alike(replay.path, run.path)
    assert replay.text == run.text
    assert replay.finished == run.finished == "end of text"
    last = replay.path[-1]
    with pytest.raises(RunFinished):
        replay.step()
    assert replay.path[-1] is last
    with pytest.raises(RunFinished):
        replay.next_distribution()
    assert replay.token_count == run.token_count
    replay.go_to(-1)
    assert replay.finished is None
    all_alike([replay.step()], run.path[:1])


def test_a_replay_follows_recorded_branches_and_no_others(run: Generation) -> None:
    replay = Recording.loads(Recording.of(run).dumps()).replay()
    replay.step()
    recorded = {run.nodes[child].step.token_id for child in run.nodes[1].children}  # type: ignore[union-attr]
    assert len(recorded) >= 2
    for token in recorded:
        replay.go_to(0)
        assert replay.force(token).token_id == token
    replay.go_to(0)
    with pytest.raises(BadToken):
        replay.force(next(i for i in range(400) if i not in recorded))
    assert len(replay.path) == 1


def test_all_branches_of_a_recording_are_there_before_they_are_played(run: Generation) -> None:
    replay = Recording.loads(Recording.of(run).dumps()).replay(whole=True)
    keys = [{tuple(step.key for step in one.path_to(end.node_id)) for end in one.endings()} for one in (replay, run)]
    assert replay.path == [] and keys[0] == keys[1] and len(keys[0]) > 1
    for expected in run.path:
        alike(replay.step(), expected)
    assert len(replay.nodes) == len(run.nodes), "a step is revealed once"
