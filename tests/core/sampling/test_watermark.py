"""The watermark is what transformers' own processors do in `generate`, and at a step it follows from the text alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import SynthIDTextWatermarkingConfig, WatermarkingConfig

from core import Generation, Recording, SamplingSettings
from core.errors import BadSetting
from core.reports.settings_text import arguments
from core.sampling import observe_stages
from core.sampling.observation import History, Selection
from core.sampling.samplers.watermark import configuration, tournament
from tests.core.sampling.chains import logits_like, on_device

PROMPT = "Once upon a time"
GREEN = SamplingSettings(watermark="green", watermark_delta=3.0, temperature=1.3, seed=4)
SYNTHID = SamplingSettings(watermark="synthid", watermark_context=4, temperature=1.3, seed=4)
KINDS = [
    GREEN,
    replace(GREEN, watermark_gamma=0.5, watermark_key=42, watermark_context=3, top_k=40),
    SYNTHID,
    replace(SYNTHID, watermark_context=1, watermark_key=7, top_p=0.9),
]


@pytest.mark.parametrize("settings", KINDS, ids=str)
def test_a_stage_is_what_generate_does(settings: SamplingSettings, tiny: Any) -> None:
    model = tiny("llama")
    prompt = torch.tensor([model.encode(PROMPT)])
    torch.manual_seed(1)
    made = model.load_network().generate(
        prompt, do_sample=True, max_new_tokens=60, min_new_tokens=60, temperature=settings.temperature, top_k=settings.top_k,
        top_p=settings.top_p, output_logits=True, output_scores=True, return_dict_in_generate=True,
        watermarking_config=configuration(settings), eos_token_id=None, pad_token_id=0,
    )  # fmt: skip
    ids = made.sequences[0].numpy()
    skipped = 0
    for number, (logits, scores) in enumerate(zip(made.logits, made.scores, strict=True)):
        text = History(ids[: prompt.shape[1] + number], prompt.shape[1], lambda token_id: b"")
        ours = observe_stages.sampling_probabilities(logits[0].float(), settings, text)
        np.testing.assert_allclose(ours, scores[0].double().softmax(0).numpy(), atol=2e-6)
        skipped += np.allclose(
            ours, observe_stages.sampling_probabilities(logits[0].float(), replace(settings, watermark=""), text), atol=1e-9
        )
    assert skipped == 0 or settings.watermark == "synthid", "a green list marks every step, a tournament leaves out repeated contexts"


@given(size=st.sampled_from([33, 1000, 1025, 4096]), ids=st.lists(st.integers(0, 9), min_size=1, max_size=12), number=st.integers(0, 3))
def test_the_arithmetic_of_a_device_agrees(size: int, ids: list[int], number: int) -> None:
    settings, logits = KINDS[number], logits_like("ordinary", size, 3)
    text = History(np.array(ids, np.int64), 1, lambda token_id: b"")
    seen = observe_stages.observe(logits, settings, text, 20, roll=0.4)
    other = on_device(logits, settings, text, Selection(roll=0.4), 20)
    assert seen.stage_names == other.stage_names and seen.stage_names[-1] == "watermark" and seen.stage_kept == other.stage_kept
    assert seen.chosen == other.chosen
    np.testing.assert_allclose(np.sort(seen.probabilities[-1])[-9:], np.sort(other.probabilities[-1])[-9:], atol=2e-6)


def test_a_branch_a_step_back_and_a_replay_are_marked_alike(tiny: Any) -> None:
    for settings in (GREEN, SYNTHID):
        run = Generation(tiny("llama"), PROMPT, settings, top_n=8)
        first = [step.token_id for step in run.stream(30)]
        run.go_to(9)
        again = [step.token_id for step in run.stream(20)]
        assert run.path[-1].index == 29 and [*first[:10], *again] == first
        run.go_to(9)
        other = run.force(next(c.token_id for c in run.next_distribution().candidates if c.token_id != first[10]))
        fresh = Generation(tiny("llama"), PROMPT, settings, top_n=8)
        for token_id in [*first[:10], other.token_id]:
            fresh.force(token_id)
        assert run.step().token_id == fresh.step().token_id


def test_the_step_knows_its_mark_in_a_file_too(tiny: Any) -> None:
    run = Generation(tiny("llama"), PROMPT, GREEN, top_n=20)
    [*run.stream(12)]
    back = Recording.loads(Recording.of(run).dumps()).replay()
    for step, kept in zip(run.path, back.path, strict=False):
        lifted = step.probabilities[-1] > step.probabilities[-2]
        assert [candidate.fact == "green list" for candidate in step.candidates] == lifted.tolist()
        assert [str(candidate.fact) for candidate in kept.candidates] == [str(candidate.fact) for candidate in step.candidates]
    step = Generation(tiny("llama"), PROMPT, SYNTHID).step()
    process = tournament(SYNTHID.watermark_key, 4)
    sums = process.compute_g_values(torch.tensor([[0, 0, 0, 0, candidate.token_id] for candidate in step.candidates])).sum((1, 2))
    assert [str(candidate.fact) for candidate in step.candidates] == [f"g-values: {count} of 30" for count in sums.tolist()]


def test_greedy_takes_part_in_a_green_list_and_not_in_a_tournament(tiny: Any) -> None:
    run = {settings: Generation(tiny("llama"), PROMPT, replace(settings, greedy=True)) for settings in (GREEN, SYNTHID, SamplingSettings())}
    texts = [[step.token_id for step in each.stream(30)] for each in run.values()]
    assert texts[0] != texts[2] and texts[1] == texts[2]
    assert replace(SYNTHID, greedy=True).without_effect == ("temperature", "watermark") and not SYNTHID.without_effect
    assert replace(GREEN, greedy=True).active_stages == ("watermark",)


def test_the_arguments_for_generate_are_code_that_makes_the_same_configuration() -> None:
    for settings in KINDS:
        code = arguments("transformers", settings)
        made = eval(
            "dict" + code.removeprefix("model.generate").replace("**inputs, ", ""),
            {kind.__name__: kind for kind in (WatermarkingConfig, SynthIDTextWatermarkingConfig)},
        )["watermarking_config"]
        assert made.to_dict() == configuration(settings).to_dict()
    assert "watermark" not in arguments("transformers", replace(SYNTHID, greedy=True))
    with pytest.raises(BadSetting, match="does not have these settings: watermark"):
        arguments("llama.cpp", GREEN)


def test_a_text_shorter_than_the_context_is_not_marked_by_a_green_list() -> None:
    logits, settings = logits_like("ordinary", 33, 1), replace(GREEN, watermark_context=3)
    for count, changes in ((2, False), (3, True)):
        text = History(np.arange(count), 0, lambda token_id: b"")
        plain = observe_stages.sampling_probabilities(logits, replace(settings, watermark=""), text)
        assert (not np.allclose(observe_stages.sampling_probabilities(logits, settings, text), plain)) == changes
