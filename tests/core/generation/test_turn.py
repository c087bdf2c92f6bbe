"""One run, several threads: each step belongs to the place where it began."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from core.labs.fork import Fork


class SlowPass:
    """An engine whose next pass waits until the other thread has had its chance."""

    def __init__(self, run: Any, patch: pytest.MonkeyPatch) -> None:
        self.inside, self.go_on = Event(), Event()
        forward = run.model.engine.forward

        def slow(*args: Any, **named: Any) -> Any:
            made = forward(*args, **named)
            self.inside.set()
            self.go_on.wait(10)
            return made

        patch.setattr(run.model.engine, "forward", slow)


def after(call: Callable[[], object], done: Event) -> None:
    """Call it, and say that it is done."""
    call()
    done.set()


def meanwhile(slow: SlowPass, first: Callable[[], object], second: Callable[[], object]) -> bool:
    """Call both, the second while the first is in its pass; whether the second had to wait."""
    done = Event()
    one = Thread(target=first)
    other = Thread(target=after, args=(second, done))
    one.start()
    assert slow.inside.wait(10)
    other.start()
    waited = not done.wait(0.3)
    slow.go_on.set()
    one.join(20)
    other.join(20)
    return waited


def sound(run: Generation) -> None:
    """Every step stands where its pass was made, and follows from what stands before it."""
    for node in run.nodes[1:]:
        step = node.step
        if step is None:  # deleted
            continue
        before = run.path_to(node.node_id)[:-1]
        assert step.index == len(before)
        assert step.position == len(run.prompt_tokens) + len(before) == step.forward.computed_tokens + step.forward.reused_tokens


@pytest.fixture
def run() -> Generation:
    made = Generation(load_model("storyteller"), "Once upon a time", SamplingSettings(seed=3), top_n=5)
    for _ in range(4):
        made.step()
    return made


MOVES: dict[str, Callable[[Generation], object]] = {
    "go_to": lambda run: run.go_to(-1),
    "switch": lambda run: run.switch(1),
    "delete": lambda run: run.delete(4),
    "force": lambda run: run.force(40),
    "step": lambda run: run.step(),
    "release": lambda run: run.release(),
    "next_distribution": lambda run: run.next_distribution(SamplingSettings(temperature=0.5)),
    "logits": lambda run: run.logits,
}


@pytest.mark.parametrize("name", MOVES)
def test_nobody_moves_a_run_while_a_step_of_it_is_computed(run: Generation, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert meanwhile(SlowPass(run, monkeypatch), run.step, lambda: MOVES[name](run))
    sound(run)


def test_a_fork_and_its_run_take_turns(run: Generation, monkeypatch: pytest.MonkeyPatch) -> None:
    fork = Fork.at(run, 1, None, [40])
    fork.step()
    assert meanwhile(SlowPass(run, monkeypatch), fork.step, lambda: run.go_to(-1))
    assert run.here == 0
    sound(run)


def test_a_recording_of_a_run_that_is_being_written_holds_whole_steps(run: Generation, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Recording] = []
    assert meanwhile(SlowPass(run, monkeypatch), run.step, lambda: kept.append(Recording.of(run)))
    assert [step.token_id for step in kept[0].path] == [step.token_id for step in run.path]
    assert len(kept[0].path) == 5


def test_what_is_read_does_not_wait(run: Generation, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[int, str, int]] = []
    assert not meanwhile(SlowPass(run, monkeypatch), run.step, lambda: read.append((len(run.path), run.written, len(run.branches()))))
    assert read[0][0] == 4
