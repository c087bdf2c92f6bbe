"""The command that trains all models: without a checkpoint it begins with the schedule of a training from nothing."""

from __future__ import annotations

from pathlib import Path

from core.training import make
from core.training.make import plan_of
from core.training.train import finished


def test_a_run_from_nothing_has_the_schedule_from_nothing(tmp_path: Path) -> None:
    assert plan_of(tmp_path) == make.FROM_NOTHING
    assert not finished(tmp_path / "checkpoint.pt", make.FROM_NOTHING)
