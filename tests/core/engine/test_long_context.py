"""A bill over a long path stays that of the path, and files with many faults are refused at the first of each kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from pydantic import ValidationError

from core import Generation, Recording, SamplingSettings
from core.costs.receipt import Account, Receipt
from core.errors import BadRecording


def same(one: Receipt, other: Receipt) -> bool:
    mine, theirs = asdict(one), asdict(other)
    return all(mine[name] == pytest.approx(theirs[name]) for name in mine if name != "assumptions")


def test_after_a_way_back_or_to_another_branch_the_bill_is_that_of_the_path(tiny: Callable[[str], Any]) -> None:
    model = tiny("gpt2")
    run, account = Generation(model, "Once", SamplingSettings(seed=3)), Account(model.shape)
    for _ in range(8):
        run.step()
    end = run.here
    assert same(account.bill(run.path), Receipt.of(run.path, model.shape))
    run.go_to(3)
    assert same(account.bill(run.path), Receipt.of(run.path, model.shape))
    for candidate in (4, 5, 6, 7, 8):
        run.force(run.next_distribution().candidates[candidate].token_id)
    assert same(account.bill(run.path), Receipt.of(run.path, model.shape)), "as long as before, but another branch"
    run.switch(end)
    assert same(account.bill(run.path), Receipt.of(run.path, model.shape))
    run.go_to(-1)
    assert same(account.bill(run.path), Receipt.of([], model.shape))
    assert account.bill([]).multiply_adds == 0
    assert Account(None).bill(run.path).multiply_adds is None


HOSTILE: dict[str, dict[str, Any]] = {
    "steps of nothing": {"steps": [{}] * 20_000},
    "unknown names in every step": {"steps": [{str(i): 0 for i in range(100)}] * 2_000},
    "lists of nonsense": {"steps": [{"token_ids": ["x"] * 1000, "ranks": ["x"] * 1000}] * 100},
    "unknown names": {str(i): 1 for i in range(50_000)},
    "unknown names in the model": {"model": {str(i): 1 for i in range(50_000)}},
    "tokens of nothing": {"vocabulary": [[]] * 50_000, "prompt_tokens": [None] * 50_000},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_of_nothing_but_faults_is_refused_at_the_first_of_each_kind(name: str) -> None:
    """Some 200 KB of them once took gigabytes to report."""
    with pytest.raises(BadRecording) as caught:
        Recording.loads(json.dumps(HOSTILE[name] | {"format": "token-probability-viewer recording", "version": 1}))
    cause = caught.value.__cause__
    assert cause is None or (isinstance(cause, ValidationError) and cause.error_count() < 60)
