"""The one command: it goes on where it was stopped, and reads on from finished weights with their record."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from core.training import make, together
from core.training.evaluate import BUNDLED
from core.training.make import Making, plan_of, take_weights
from core.training.models import CHECKPOINTS
from core.training.train import Plan, finished


@pytest.fixture
def making(tmp_path: Path) -> Making:
    (tmp_path / "texts").mkdir()
    return Making(tmp_path / "texts", tmp_path / "run", tmp_path / "bundle", workers=1)


def test_a_run_that_reads_on_begins_with_the_weights_and_the_record_it_was_given(tmp_path: Path) -> None:
    take_weights(BUNDLED, tmp_path)
    last = json.loads((BUNDLED / "storyteller" / "growth.json").read_text())["moments"][-1]
    state = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    assert (state["step"], state["tokens"]) == (last["step"], last["tokens"])
    for name, file in CHECKPOINTS.items():
        state = torch.load(tmp_path / file, weights_only=True)
        stored = load_file(BUNDLED / name / "model.safetensors")
        assert all(torch.equal(state["model"][key], weight.float()) for key, weight in stored.items()), "each goes on from its own"
        assert name == "storyteller" or finished(tmp_path / file, make.DISTILLED), "the first phase of the small ones is over"
    assert (tmp_path / "tokenizer" / "tokenizer.json").exists()
    plan = plan_of(tmp_path)
    assert (plan.begin, plan.steps) == (last["step"], last["step"] + make.FURTHER_STEPS)
    assert not finished(tmp_path / "checkpoint.pt", plan)
    assert finished(tmp_path / "checkpoint.pt", plan_of(tmp_path, further=0)), "nothing more is read alone, if so asked"
    assert finished(tmp_path / "checkpoint.pt", replace(plan, steps=last["step"]))


def test_a_run_from_nothing_has_the_schedule_from_nothing(tmp_path: Path) -> None:
    assert plan_of(tmp_path) == make.FROM_NOTHING
    assert not finished(tmp_path / "checkpoint.pt", make.FROM_NOTHING)


def test_a_stopped_phase_ends_the_command_and_the_next_call_goes_on_there(making: Making, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    stop_at = ["mini.pt"]

    plans: list[Plan] = []

    def learn(making: Making, checkpoint: Path, plan: Plan, begin: object) -> bool:
        done.append(checkpoint.name)
        plans.append(plan)
        if checkpoint.name == "checkpoint.pt":
            torch.save({"step": plan.steps}, checkpoint)
        return checkpoint.name not in stop_at

    monkeypatch.setattr(make, "learn", learn)
    monkeypatch.setattr(make, "LESSONS_FOR_TOKENIZER", 50)
    monkeypatch.setattr(make.together, "put_back", lambda run: done.append("put back"))
    monkeypatch.setattr(make, "make_folders", lambda making: done.append("folders"))
    monkeypatch.setattr(make, "make_card", lambda making: done.append("card"))
    assert not make.make(making)
    assert done == ["checkpoint.pt", "mini.pt"]
    made = (making.run / "tokenizer" / "tokenizer.json").stat().st_mtime_ns
    stop_at[:] = ["together.pt"]
    assert not make.make(making)
    assert done[2:] == ["checkpoint.pt", "mini.pt", "alone.pt", "together.pt"]
    stop_at.clear()
    assert make.make(making)
    assert done[6:] == ["checkpoint.pt", "mini.pt", "alone.pt", "together.pt", "put back", "alone.pt", "folders", "card"]
    pairs, twins = plans[-2:]
    assert (pairs.begin, pairs.steps) == (make.FROM_NOTHING.steps, make.FROM_NOTHING.steps + together.STEPS)
    assert twins == together.twin_of(pairs)
    assert (making.run / "tokenizer" / "tokenizer.json").stat().st_mtime_ns == made, "the tokenizer is kept"
