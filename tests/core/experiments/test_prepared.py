"""Prepared runs: made as their recipe says, and read from files that may be broken."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from core import SamplingSettings
from core.errors import BadRecording
from core.experiments import prepared
from core.experiments.prepared import PreparedRun


def test_of_several_runs_the_best_is_kept(tiny: Any) -> None:
    recipe = PreparedRun("any", "the fox", SamplingSettings(), 6, seeds=(1, 2, 3), best=lambda run: -run.path[0].token_id)
    best = prepared.make(recipe, tiny("llama"))
    alone = [prepared.make(PreparedRun("one", "the fox", SamplingSettings(seed=seed), 6), tiny("llama")) for seed in (1, 2, 3)]
    assert best.path[0].token_id == min(one.path[0].token_id for one in alone)


def test_words_that_are_put_first_are_forced_and_the_rest_is_written(tiny: Any) -> None:
    made = prepared.make(PreparedRun("any", "the fox", SamplingSettings(), 6, (" a", " the")), tiny("llama"))
    firsts = [node.step for node in made.tree.nodes if node.parent == 0 and node.step]
    assert len(firsts) == 2 and {step.chosen_by for step in firsts} == {"forced"}
    assert made.path[-1].chosen_by == "sampled"


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b", b"\x1f\x8bnonsense", gzip.compress(b"{}", mtime=0), b"[]"])
def test_what_is_no_recording_gets_a_sentence(data: bytes) -> None:
    with pytest.raises(BadRecording):
        prepared.unpacked(data)
    with pytest.raises(BadRecording):
        prepared.load("../storyteller/config")
