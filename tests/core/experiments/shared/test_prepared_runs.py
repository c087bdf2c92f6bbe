"""Prepared runs: made as their recipe says, and read from files that may be broken."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from core import Recording, SamplingSettings
from core.errors import BadRecording
from core.experiments.shared import prepared_runs
from core.experiments.shared.claim import Claim
from core.experiments.shared.prepared_runs import PreparedRun

ANY = Claim("anything", lambda run: True)


def test_the_first_run_that_holds_the_claim_is_kept_and_without_one_there_is_none(tiny: Any) -> None:
    firsts = []

    def third(recording: Recording) -> bool:
        firsts.append(recording.settings.seed)
        return len(firsts) == 3

    assert prepared_runs.make(PreparedRun("any", Claim("it is the third", third), "the fox", SamplingSettings(), 6, seeds=5), tiny("llama"))
    assert firsts == [0, 1, 2]
    with pytest.raises(BadRecording, match="No run of any"):
        prepared_runs.make(
            PreparedRun("any", Claim("nothing", lambda run: False), "the fox", SamplingSettings(), 6, seeds=2), tiny("llama")
        )


def test_a_run_to_a_sentence_stops_at_its_end(tiny: Any) -> None:
    made = prepared_runs.make(PreparedRun("any", ANY, "the fox", SamplingSettings(), 6, to_sentence=True), tiny("llama"))
    assert len(made.path) <= 6


def test_words_that_are_put_first_are_forced_and_the_rest_is_written(tiny: Any) -> None:
    made = prepared_runs.make(PreparedRun("any", ANY, "the fox", SamplingSettings(), 6, (" a", " the")), tiny("llama"))
    firsts = [node.step for node in made.nodes if node.parent == 0 and node.step]
    assert len(firsts) == 2 and {step.chosen_by for step in firsts} == {"forced"}
    assert made.path[-1].chosen_by == "sampled"


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b", b"\x1f\x8bnonsense", gzip.compress(b"{}", mtime=0), b"[]"])
def test_what_is_no_recording_gets_a_sentence(data: bytes) -> None:
    with pytest.raises(BadRecording):
        prepared_runs.unpacked(data)
    with pytest.raises(BadRecording):
        prepared_runs.load("../storyteller/config")
