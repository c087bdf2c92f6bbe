"""Settings as arguments of other engines."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

from core import SamplingSettings
from core.errors import BadSetting
from core.message import ENGLISH
from core.reports.settings_text import arguments, summary
from pages.ui.i18n import phrases


def test_generate_takes_the_arguments_and_sees_the_same_distribution(tiny: Any) -> None:
    """The greedy text of transformers with these arguments is that of the app."""
    from core import Generation

    model = tiny("llama")
    settings = SamplingSettings(greedy=True, repetition_penalty=1.3, no_repeat_ngram_size=2)
    run = Generation(model, "The sea looked", settings)
    run.generate(8)
    network = model.load_network()
    ids = torch.tensor([run.token_ids[: -len(run.path)].tolist()])
    scope = {"model": network, "inputs": {"input_ids": ids, "max_new_tokens": 8, "eos_token_id": sorted(model.end_token_ids) or None}}
    written = eval(arguments("transformers", settings), scope)[0, ids.shape[1] :].tolist()
    assert written == [step.token_id for step in run.path]


def test_samplers_that_are_off_are_written_because_engines_have_other_defaults() -> None:
    settings = SamplingSettings(temperature=0.7, top_p=0.9)
    assert arguments("transformers", settings) == "model.generate(**inputs, do_sample=True, temperature=0.7, top_k=0, top_p=0.9)"
    assert "top_k=0" in arguments("vllm", settings) and "min_p=0.0" in arguments("vllm", settings)
    assert json.loads(arguments("llama.cpp", settings))["typical_p"] == 1.0


def test_cut_offs_are_written_also_where_a_sampler_of_another_engine_replaces_them() -> None:
    written = arguments("transformers", SamplingSettings(top_k=40, top_p=0.9, mirostat_tau=3.0))
    assert "top_k=40, top_p=0.9" in written and "temperature=1.0" in written
    greedy = arguments("transformers", SamplingSettings(greedy=True, top_k=40, min_p=0.1, repetition_penalty=1.2))
    assert greedy == "model.generate(**inputs, do_sample=False, repetition_penalty=1.2)"


def test_what_an_engine_does_not_have_is_said() -> None:
    settings = SamplingSettings(xtc_probability=0.5)
    assert arguments("transformers", settings).splitlines()[0] == "# transformers does not have: XTC"
    with pytest.raises(BadSetting, match="XTC"):
        arguments("vllm", settings)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (SamplingSettings(dynatemp_range=0.5), "dynamic temperature range"),
        (SamplingSettings(repetition_penalty=1.2, repeat_last_n=5), "repeat last n"),
        (SamplingSettings(dry_multiplier=0.8, dry_base=2.0), "DRY"),
    ],
    ids=str,
)
def test_a_setting_without_a_stage_of_its_own_is_not_left_out_in_silence(settings: SamplingSettings, named: str) -> None:
    assert arguments("transformers", settings).splitlines()[0] == f"# transformers does not have: {named}"
    with pytest.raises(BadSetting, match=f"vLLM does not have these settings: {named}. Switch"):
        arguments("vllm", settings)
    arguments("llama.cpp", settings)


def test_what_has_no_effect_is_not_missed() -> None:
    for settings in (SamplingSettings(dry_base=2.0), SamplingSettings(repeat_last_n=5), SamplingSettings(greedy=True, dynatemp_range=0.5)):
        assert settings.missing_in("vllm") == settings.missing_in("transformers") == []


def test_both_summaries_name_what_has_an_effect_and_nothing_else() -> None:
    drying = SamplingSettings(dry_multiplier=0.8, dry_base=2.0, xtc_threshold=0.2, repeat_last_n=9)
    penalised = SamplingSettings(greedy=True, temperature=0.5, repetition_penalty=1.2)
    for settings, there, absent in ((drying, ("DRY base 2", "repeat last n 9"), "XTC"), (penalised, ("repetition penalty 1.2",), "0.5")):
        for written in (summary(settings, ENGLISH), phrases.settings_summary(settings)):
            assert all(words in written for words in there) and absent not in written, written
