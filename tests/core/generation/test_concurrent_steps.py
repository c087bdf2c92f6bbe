"""One run used by several threads: each step belongs to the place where it began."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings
from core.experiments.what_if import Fork


class Turn:
    """A run's lock that reports in `settled` when a thread has to wait for it."""

    def __init__(self, lock: Any, settled: Event) -> None:
        self._lock, self._settled = lock, settled

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            self._settled.set()
            self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def meanwhile(run: Generation, patch: pytest.MonkeyPatch, first: Callable[[], object], second: Callable[[], object]) -> bool:
    """Call both, the second while the first is in its forward pass; return whether the second had to wait."""
    inside, go_on, settled, done = Event(), Event(), Event(), Event()
    model: Any = run.model
    forward = model.engine.forward

    def slow(*args: Any, **named: Any) -> Any:
        made = forward(*args, **named)
        inside.set()
        assert go_on.wait(30)
        return made

    def call_second() -> None:
        second()
        done.set()
        settled.set()

    patch.setattr(model.engine, "forward", slow)
    patch.setattr(run, "turn", Turn(run.turn, settled))
    threads = [Thread(target=first), Thread(target=call_second)]
    threads[0].start()
    assert inside.wait(30)
    threads[1].start()
    assert settled.wait(30)
    waited = not done.is_set()
    go_on.set()
    for thread in threads:
        thread.join(30)
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
def run(tiny: Any) -> Generation:
    made = Generation(tiny("llama"), "Once upon a time", SamplingSettings(seed=3), top_n=5)
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
    assert meanwhile(run, monkeypatch, run.step, lambda: MOVES[name](run))
    sound(run)


def test_a_fork_and_its_run_take_turns(run: Generation, monkeypatch: pytest.MonkeyPatch) -> None:
    fork = Fork.at(run, 1, None, [40])
    fork.step()
    assert meanwhile(run, monkeypatch, fork.step, lambda: run.go_to(-1))
    assert run.here == 0
    sound(run)


def test_a_recording_of_a_run_that_is_being_written_holds_whole_steps(run: Generation, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Recording] = []
    assert meanwhile(run, monkeypatch, run.step, lambda: kept.append(Recording.of(run)))
    assert [step.token_id for step in kept[0].path] == [step.token_id for step in run.path]
    assert len(kept[0].path) == 5


def test_what_is_read_does_not_wait(run: Generation, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[int, str, int]] = []
    assert not meanwhile(run, monkeypatch, run.step, lambda: read.append((len(run.path), run.written, len(run.branches()))))
    assert read[0][0] == 4
