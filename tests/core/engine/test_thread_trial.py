"""The number of threads is the one measured to be fastest. A small model gets one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from core import Generation, load_model
from core.backends import threads as counting
from core.engine import thread_trial
from core.engine.thread_trial import fastest


class Clocked:
    """Stands for an engine whose passes take as long as is said for each number of threads."""

    device = torch.device("cpu")

    def __init__(self) -> None:
        self.threads = 7
        self.tried: list[int] = []


@pytest.mark.parametrize(
    ("seconds", "best", "tried"),
    [
        ({1: 1.0, 4: 0.5, 7: 0.3, 8: 0.2}, 8, [1, 4, 7, 8]),
        ({1: 1.0, 4: 0.5, 7: 0.45, 8: 9.0}, 4, [1, 4, 7, 4, 7]),
        ({1: 1.0, 4: 0.9, 7: 0.1, 8: 0.1}, 1, [1, 4, 1, 4]),
        ({1: 1.0, 4: 80.0, 7: 0.1, 8: 0.1}, 1, [1, 4]),
    ],
)
def test_more_threads_must_be_clearly_faster(
    seconds: dict[int, float], best: int, tried: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(engine: Any) -> float:
        engine.tried.append(engine.threads)
        return seconds[engine.threads]

    monkeypatch.setattr(thread_trial, "_measured", measured)
    monkeypatch.setattr(counting, "os", SimpleNamespace(cpu_count=lambda: 8))
    engine: Any = Clocked()
    assert fastest(engine, 10**9) == best
    assert (engine.tried, engine.threads) == (tried, 7)


def test_a_moment_in_which_something_else_ran_does_not_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = iter([1.0, 0.9, 1.0, 0.55])  # one thread, two while something else ran; and both again
    monkeypatch.setattr(thread_trial, "_measured", lambda engine: next(taken))
    monkeypatch.setattr(counting, "os", SimpleNamespace(cpu_count=lambda: 2))
    assert fastest(Clocked(), 10**9) == 2  # type: ignore[arg-type]


def test_a_small_model_takes_one_without_trying() -> None:
    engine: Any = Clocked()
    assert fastest(engine, 4_000_000) == 1
    assert engine.tried == []


def test_a_real_engine_is_measured_and_left_as_it_was(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_trial, "FEW", 0)
    engine = tiny("gpt2").engine
    before = engine.threads
    assert fastest(engine, 1) in counting.choices()
    assert engine.threads == before


def test_loading_and_running_leave_the_threads_of_the_process(tiny_folder: Any) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        model = load_model(str(tiny_folder("llama")), device="cpu")
        Generation(model, "The fox").step()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
