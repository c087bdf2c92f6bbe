"""Two workers that share a step learn what one worker learns alone."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch import nn

from core.training.data import IGNORED, Batch
from core.training.workers import average_gradients, launch, shared, workers


def _linear() -> nn.Linear:
    torch.manual_seed(0)
    return nn.Linear(4, 1, bias=False)


def _inputs() -> torch.Tensor:
    return torch.arange(12.0).reshape(3, 4)


def learn_apart(folder: Path) -> None:
    """Worker 0 has one row, worker 1 has two; each knows the mean of its own rows only."""
    model, (rank, _) = _linear(), workers()
    rows = _inputs()[:1] if rank == 0 else _inputs()[1:]
    model(rows).mean().backward()
    average_gradients(model, len(rows) / 3)
    stopped = shared(1.0 if rank == 1 else 0.0) == 1
    torch.save({"gradient": model.weight.grad, "stopped": stopped}, folder / f"{rank}.pt")


def test_two_workers_have_the_gradient_of_one_and_stop_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A page test leaves app.py behind as the main module, and a new process would run that first.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    launch(partial(learn_apart, tmp_path), tmp_path / "pid", 2)
    alone = _linear()
    alone(_inputs()).mean().backward()
    for rank in range(2):
        result = torch.load(tmp_path / f"{rank}.pt", weights_only=True)
        torch.testing.assert_close(result["gradient"], alone.weight.grad)
        assert result["stopped"]
    assert len((tmp_path / "pid").read_text().split()) == 2


def test_one_worker_needs_nobody() -> None:
    model = _linear()
    model(_inputs()).mean().backward()
    before = model.weight.grad
    average_gradients(model, 0.5)
    assert model.weight.grad is before
    assert (workers(), shared(0.0), shared(2.5)) == ((0, 1), 0.0, 2.5)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_parts_of_a_batch_are_the_batch(count: int) -> None:
    targets = torch.arange(12).reshape(4, 3)
    targets[2, 1] = IGNORED
    mask = torch.ones(4, 1, 3, 3, dtype=torch.bool)
    whole = Batch(torch.arange(12).reshape(4, 3), targets, mask, targets % 2 == 0, targets % 4 == 0, 11)
    parts = [whole.part(worker, count) for worker in range(count)]
    assert sum(part.tokens for part in parts) == whole.tokens
    assert sorted(torch.cat([part.ids for part in parts]).flatten().tolist()) == list(range(12))
