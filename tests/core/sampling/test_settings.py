"""Settings are those of transformers, and no other value is accepted."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import SamplingSettings
from core.errors import BadSetting
from core.sampling.samplers import by_stage
from core.sampling.settings import SETTINGS, STAGES

HUGE = 1 << 20_000  # more digits than Python is willing to write out

BAD: dict[str, list[Any]] = {
    "temperature": [0, 0.0, -0.1, math.nan, math.inf, -math.inf, 1e9, "1", None, True, [1.0], 10**400, HUGE],
    "top_k": [-1, 1.5, math.nan, math.inf, "5", None, True, 10**30, HUGE],
    "top_p": [0, -0.5, 1.01, math.nan, math.inf, "0.9", None, True],
    "min_p": [-0.01, 1.01, math.nan, "0", None, False],
    "typical_p": [0, -1, 1.5, math.nan, "x", None],
    "repetition_penalty": [0, -1, math.nan, math.inf, 1e9, "1.2", None, 10**400, HUGE],
    "presence_penalty": [-101, 101, math.nan, math.inf, "0", None, True, 10**400],
    "frequency_penalty": [-101, 1e9, math.nan, -math.inf, "0", None],
    "repeat_last_n": [-1, 1.5, math.nan, "64", None, True, HUGE],
    "logit_bias": [
        0,
        "",
        "5",
        {1: math.nan},
        {1: math.inf},
        {1: "2"},
        {1: True},
        {1: 1e9},
        {-1: 2},
        {1.5: 2},
        {10**9: 1},
        {"a": 1},
        5,
        [1, 2],
    ],
    "no_repeat_ngram_size": [-1, 2.0, math.inf, None, True, 10**30],
    "dry_multiplier": [-0.1, 101, math.nan, "1", None],
    "dry_base": [0.5, 0, 101, math.nan, math.inf, None],
    "dry_allowed_length": [0, -1, 1.5, None, 10**6],
    "dry_sequence_breakers": ["abc", None, 5, [""], [1], ["x" * 41], ["a"] * 41, ["\ud800"]],
    "top_n_sigma": [-1, 1e9, math.nan, None, "1"],
    "epsilon_cutoff": [-0.1, 1.0, 2, math.nan, None],
    "eta_cutoff": [-0.1, 1.0, 2, math.nan, None],
    "xtc_probability": [-0.1, 1.1, math.nan, None],
    "xtc_threshold": [0, 0.51, -1, math.nan, None],
    "dynatemp_range": [-1, 101, math.nan, None],
    "dynatemp_exponent": [-1, 101, math.inf, None],
    "mirostat_tau": [-1, 101, math.nan, None],
    "mirostat_eta": [-1, 1.1, math.nan, None],
    "constraint": [None, 5, True, "yes", "nope:a", "regex", b"regex:a", ["regex:a"], "regex:" + "a" * 8_000, "regex:\ud800", "regex:\0"],
    "watermark": [None, 5, True, "red", "Green", ["green"], "green" * 10_000],
    "watermark_key": [0, -1, 1.5, "7", math.nan, None, True, 2**64, HUGE],
    "watermark_gamma": [0, 1, -0.1, 1.1, math.nan, "0.5", None, True],
    "watermark_delta": [0, -1, 101, math.nan, math.inf, "2", None],
    "watermark_context": [0, -1, 21, 1.5, "4", None, True],
    "order": ["", "vLLM", 5, None, ["top-k", "top-k"], ["top_k"], [5]],
    "greedy": [0, 1, "yes", None, 0.0],
    "seed": [-1, 1.0, math.nan, "0", None, True, 2**64, HUGE],
}


def test_every_setting_has_wrong_values_above_and_an_explanation() -> None:
    assert BAD.keys() == SETTINGS.keys()
    assert [name for name in SETTINGS if not re.search(rf"\b{name}\b", SamplingSettings.__doc__ or "")] == []


def test_every_stage_has_a_processor_or_a_sampler() -> None:
    without = {name for name, stage in STAGES.items() if not stage.processor} - by_stage().keys()
    assert without == set()


@pytest.mark.parametrize("name", BAD)
def test_a_value_that_makes_no_sense_is_refused_in_one_sentence(name: str) -> None:
    for value in BAD[name]:
        with pytest.raises(BadSetting) as caught:
            SamplingSettings(**{name: value})
        sentence = str(caught.value)
        assert name.split("_")[0][:4] in sentence.lower() and sentence.endswith(".")
        assert "\n" not in sentence and len(sentence) < 250


ANY_VALUE = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.lists(st.integers(), max_size=2))


@given(name=st.sampled_from(sorted(BAD)), value=ANY_VALUE)
def test_any_value_is_either_kept_or_refused(name: str, value: Any) -> None:
    try:
        kept = getattr(SamplingSettings(**{name: value}), name)
    except BadSetting:
        return
    if isinstance(kept, str | tuple):
        assert len(kept) == len(value)
    else:
        assert kept == value
        assert math.isfinite(kept)


def test_a_bias_of_too_many_tokens_is_refused_and_named() -> None:
    with pytest.raises(BadSetting, match="Logit bias takes at most 1,000 tokens, not 10,000"):
        SamplingSettings(logit_bias=dict.fromkeys(range(10_000), 1.0))
    with pytest.raises(BadSetting, match=r"not by a text such as ' fox'\. model\.token_of\(text\)\.token_id is the id"):
        SamplingSettings(logit_bias={" fox": -100})  # type: ignore[dict-item]


def test_an_order_must_name_every_stage_that_is_on_once() -> None:
    with pytest.raises(BadSetting, match="Order does not name top-p, which is on"):
        SamplingSettings(top_p=0.9, order=("top-k", "temperature"))
    with pytest.raises(BadSetting, match="Order names top-k twice"):
        SamplingSettings(order=("top-k", "temperature", "top-k"))
    assert SamplingSettings(top_p=0.9, temperature=0.5, order=("top-p", "temperature")).active_stages == ("top-p", "temperature")


def test_what_another_setting_replaces_is_said() -> None:
    assert SamplingSettings(mirostat_tau=3.0, top_k=5, presence_penalty=1.0).without_effect == ("top-k",)
    llama = SamplingSettings(mirostat_tau=3.0, top_k=5, presence_penalty=1.0, temperature=0.5, order="llama.cpp")
    assert (llama.without_effect, llama.active_stages) == (("presence penalty", "top-k"), ("temperature", "mirostat"))
    greedy = SamplingSettings(greedy=True, temperature=0.5, repetition_penalty=1.2)
    assert (greedy.without_effect, greedy.active_stages) == (("temperature",), ("repetition penalty",))


def test_a_file_stores_new_settings_only_if_they_are_on() -> None:
    assert list(SamplingSettings(temperature=0.5).for_file()) == list(SamplingSettings().as_dict())[:8]
    full = SamplingSettings(
        logit_bias={7: -math.inf, 3: 1.5}, order=("top-n-sigma", "logit bias"), dry_sequence_breakers=("x",), top_n_sigma=1
    )
    assert full.biases == ((3, 1.5), (7, -math.inf))
    assert SamplingSettings(**json.loads(json.dumps(full.for_file()))) == full
    assert hash(full) == hash(SamplingSettings(**full.as_dict()))
    assert eval(repr(full), {"SamplingSettings": SamplingSettings}) == full
