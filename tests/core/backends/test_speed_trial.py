"""The number of threads is the one measured to be fastest. A small model gets one."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from core import Generation, load_model
from core.backends import speed_trial
from core.backends.speed_trial import choose, thread_choices
from core.device import Speed

CPU = torch.device("cpu")
EIGHT = [1, 4, 7, 8]


class Clocked:
    """Stands for a backend whose steps take as long as is said for each number of threads, and whose prompts take a microsecond."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: dict[int, list[float]]) -> None:
        self.seconds, self.tried, self.now, self.steps = seconds, list[int](), 0.0, 0
        monkeypatch.setattr(speed_trial, "perf_counter", lambda: self.now)

    def new_state(self) -> list[int]:
        return []

    def length(self, state: list[int]) -> int:
        return len(state)

    def run(self, ids: np.ndarray, state: list[int] | None) -> None:
        threads = torch.get_num_threads()
        if state is None:  # the pass before the measured ones
            self.tried.append(threads)
            return
        times = self.seconds[threads]
        self.steps += bool(state)
        self.now += times[min(self.tried.count(threads), len(times)) - 1] if state else 1e-6
        state += ids.tolist()


@pytest.mark.parametrize(
    ("seconds", "best", "tried"),
    [
        ({1: [1.0], 4: [0.5], 7: [0.3], 8: [0.2]}, 8, [1, 4, 7, 8]),
        ({1: [1.0], 4: [0.5], 7: [0.45], 8: [9.0]}, 4, [1, 4, 7, 4, 7]),
        ({1: [1.0], 4: [0.9], 7: [0.1], 8: [0.1]}, 1, [1, 4, 1, 4]),
        ({1: [1.0], 4: [80.0], 7: [0.1], 8: [0.1]}, 1, [1, 4]),
        ({1: [1.0], 4: [0.9, 0.55], 7: [9.0], 8: [9.0]}, 4, [1, 4, 1, 4, 7]),  # something else ran beside the first with four
    ],
)
def test_more_threads_must_be_clearly_faster(
    seconds: dict[int, list[float]], best: int, tried: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    backend: Any = Clocked(monkeypatch, seconds)
    before = torch.get_num_threads()
    assert choose(backend, 10**5, EIGHT).threads == best
    assert (backend.tried, torch.get_num_threads()) == (tried, before)


@pytest.mark.parametrize(("seconds", "rounds"), [(1e-3, speed_trial.MOST), (10.0, speed_trial.LEAST)])
def test_slow_steps_are_measured_less_often(seconds: float, rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    backend: Any = Clocked(monkeypatch, {1: [seconds]})
    choose(backend, 10**5, [1], lambda streams: None)
    assert backend.steps == rounds * len(speed_trial.STREAMS)


def test_the_choice_and_its_reason_are_logged(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    backend: Any = Clocked(monkeypatch, {1: [1.0], 2: [0.5]})
    with caplog.at_level(logging.INFO, "core.backends.speed_trial"):
        chosen = choose(backend, 10**5, [1, 2])
    assert chosen == Speed(2, 1, 1, "a step took 1000.00 ms with 1 threads and 1 streams, 500.00 ms with 2 threads and 1 streams")
    assert caplog.messages == [f"2 threads (1 for many tokens) and 1 streams: {chosen.reason}"]


def test_passes_of_many_tokens_have_a_number_of_threads_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    times = {1: (8.0, {1: 1.0, 2: 1.0}), 2: (5.0, {1: 1.0, 2: 1.1})}
    monkeypatch.setattr(speed_trial, "_measured", lambda backend, ids, begin, threads, read_in: times[threads])
    backend: Any = None
    chosen = choose(backend, 10**5, [1, 2], lambda streams: None)
    assert (chosen.threads, chosen.row_threads) == (1, 2)


def test_a_small_model_and_a_gpu_take_one_without_trying(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed_trial, "os", SimpleNamespace(cpu_count=lambda: 8))
    assert thread_choices(10**9, CPU) == EIGHT
    assert thread_choices(4_000_000, CPU) == thread_choices(10**9, torch.device("cuda")) == [1]
    backend: Any = Clocked(monkeypatch, {})
    assert choose(backend, 10**5, [1]) == Speed()
    assert backend.tried == []


@pytest.mark.parametrize("architecture", ["gpt2", "mixtral", "mamba"])
def test_a_real_backend_is_measured(architecture: str, tiny: Any) -> None:
    model = tiny(architecture)
    assert model.engine.backend.choose_speed([1, 2]).threads in (1, 2)


def test_loading_and_running_leave_the_threads_of_the_process(tiny_folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed_trial, "FEW_PARAMETERS", 0)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        model = load_model(str(tiny_folder("llama")), device="cpu")
        assert model.engine.speed.threads in thread_choices(1, CPU)
        Generation(model, "The fox").step()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
