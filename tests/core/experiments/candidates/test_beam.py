"""Beam search ends where transformers' beam search ends, and says why each beam was kept or dropped."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
import torch

from core.experiments.candidates.beam import DROPPED, FINISHED, LATE, BeamStep, beam_search
from tests.tiny_models import some

PROMPT = "The sea looked back"


def search(model: Any, *arguments: Any, **named: Any) -> list[BeamStep]:
    return list(beam_search(model, *arguments, **named))


def ids_of(steps: list[BeamStep]) -> list[int]:
    """The tokens of the best answer, followed back to the prompt."""
    nodes = {beam.node_id: beam for step in steps for beam in step.considered}
    best = steps[-1].answers[0]
    found = [best.token_id]
    while best.parent:
        best = nodes[best.parent]
        found.append(best.token_id)
    return found[::-1]


def reference(network: Any, model: Any, prompt: str, **named: Any) -> tuple[list[int], float]:
    """What `generate` finds, and its score."""
    ids = torch.tensor([model.encode(prompt)])
    ends = sorted(model.end_token_ids)
    found = network.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        do_sample=False,
        eos_token_id=ends or None,
        pad_token_id=ends[0] if ends else 0,
        return_dict_in_generate=True,
        output_scores=True,
        **named,
    )
    return found.sequences[0, ids.shape[1] :].tolist(), float(found.sequences_scores[0])


@pytest.mark.parametrize(
    "architecture", some(["llama", "gpt2", "mistral", "qwen3", "bloom", "mamba", "lfm2"], ["gpt2", "mistral", "mamba"])
)
@pytest.mark.parametrize(("beams", "steps"), [(1, 7), (2, 1), (3, 12), (5, 25)])
def test_the_result_is_that_of_generate(architecture: str, beams: int, steps: int, tiny: Any, plain: Any) -> None:
    model = tiny(architecture)
    ours = search(model, PROMPT, beams, steps)
    if beams == 1:  # transformers searches with one beam greedily, without scores
        ids = torch.tensor([model.encode(PROMPT)])
        greedy = plain(architecture).generate(
            ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=steps, pad_token_id=0
        )
        assert ids_of(ours) == greedy[0, ids.shape[1] :].tolist()
        return
    tokens, score = reference(plain(architecture), model, PROMPT, num_beams=beams, max_new_tokens=steps)
    assert ids_of(ours) == tokens
    assert ours[-1].answers[0].score == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize("penalty", [-1.0, 0.0, 0.5, 2.0])
@pytest.mark.parametrize("early", [False, True, pytest.param("never", marks=pytest.mark.slow)])
def test_penalty_and_stopping_mean_what_they_mean_there(penalty: float, early: Any, tiny: Any, plain: Any, monkeypatch: Any) -> None:
    model, network = tiny("llama"), plain("llama")
    likely = [step.considered[0].token_id for step in search(model, PROMPT, 3, 6)]
    monkeypatch.setattr(model, "end_token_ids", frozenset({likely[2], *likely[4:]}))  # so that some beginnings really end on the way
    for beams in (2, 4):
        ours = search(model, PROMPT, beams, 14, length_penalty=penalty, early_stopping=early)
        theirs = reference(network, model, PROMPT, num_beams=beams, max_new_tokens=14, length_penalty=penalty, early_stopping=early)
        assert ids_of(ours) == theirs[0]
        assert ours[-1].answers[0].score == pytest.approx(theirs[1], abs=1e-4)


def test_kept_and_dropped_have_their_reasons(tiny: Any) -> None:
    for step in search(tiny("gpt2"), PROMPT, 4, 10):
        totals = [beam.log_probability for beam in step.considered]
        assert totals == sorted(totals, reverse=True)
        assert len(step.considered) == 8
        if step.done is None:
            assert len(step.kept) == 4
            assert step.bar == step.kept[-1].log_probability
            assert all(beam.log_probability <= step.bar for beam in step.considered if beam.fate == DROPPED)
        assert all(place < 4 for place, beam in enumerate(step.considered) if beam.fate == FINISHED)
        assert all(place >= 4 for place, beam in enumerate(step.considered) if beam.fate == LATE)


def test_every_beginning_grows_from_one_that_was_kept(tiny: Any) -> None:
    steps = search(tiny("gpt2"), PROMPT, 3, 8)
    for before, after in pairwise(steps):
        kept = {beam.node_id: beam for beam in before.kept}
        for beam in after.considered:
            parent = kept[beam.parent]
            assert beam.length == parent.length + 1
            assert beam.text.startswith(parent.text)
            assert beam.log_probability == pytest.approx(parent.log_probability + math.log(beam.probability), abs=1e-4)
            assert beam.score == pytest.approx(beam.log_probability / beam.length, abs=1e-6)
    every = [beam.node_id for step in steps for beam in step.considered]
    assert every == list(range(1, len(every) + 1))


def test_computed_tokens_include_the_prompt_and_all_rows(tiny: Any) -> None:
    model = tiny("llama")
    steps = search(model, PROMPT, 3, 6)
    assert steps[-1].tokens == len(model.encode(PROMPT)) + sum(step.rows for step in steps[1:])
