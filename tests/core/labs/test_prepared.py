"""The prepared runs that came with the app: there, small, complete, replayed without a model, each made as its recipe says."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from core import SamplingSettings
from core.errors import BadRecording
from core.labs import prepared
from core.labs.prepared import PREPARED, PreparedRun


@pytest.mark.parametrize("recipe", PREPARED, ids=lambda recipe: recipe.name)
def test_each_came_with_the_app_and_replays_without_a_model(recipe: PreparedRun) -> None:
    kept = prepared.load(recipe.name)
    assert kept.prompt in (recipe.prompt, *recipe.others) and kept.model_name == recipe.model
    replay = kept.replay()
    written = list(replay.write())
    assert 1 <= len(written) <= recipe.steps and written == kept.path
    assert {step.settings.temperature for step in written} == {recipe.settings.temperature}
    branches = sum(node.parent == 0 for node in kept.tree.nodes)
    assert branches == len(recipe.branches)
    assert (prepared.FOLDER / f"{recipe.name}{prepared.ENDING}").stat().st_size < 150_000


def test_there_are_a_dozen_and_more_and_no_two_are_called_the_same() -> None:
    assert len({recipe.name for recipe in PREPARED}) == len(PREPARED) >= 12


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
