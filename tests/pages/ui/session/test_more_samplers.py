"""The samplers of the dialog as texts: in links, in chips, and back."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import SamplingSettings
from core.settings import FIRST
from core.stage_orders import SETTING_OF
from pages.ui.session import share_link
from pages.ui.session.more_samplers import ALL_CONTROLS, CHIPS, MORE, chip_text, is_on

FULL = SamplingSettings(
    presence_penalty=0.5, frequency_penalty=-0.2, repeat_last_n=64, logit_bias={5: -math.inf, 7: 1.5}, no_repeat_ngram_size=3,
    dry_multiplier=0.8, dry_base=1.5, dry_allowed_length=3, dry_sequence_breakers=("\n", "ä", '"'), top_n_sigma=1.5, epsilon_cutoff=0.001,
    eta_cutoff=0.002, xtc_probability=0.5, xtc_threshold=0.2, dynatemp_range=0.3, dynatemp_exponent=1.2, mirostat_tau=3.0,
    mirostat_eta=0.2, constraint="choices:yes\nno & \"ä\"", order=tuple(reversed(SETTING_OF)),
)  # fmt: skip


def read(query: str) -> SamplingSettings:
    """The settings of a link's query, as a session reads them."""
    values, found = share_link.decoded(query), {}
    assert share_link.invalid_values(values, ["m"]) == []
    for control in ALL_CONTROLS:
        value = share_link.value_of(control, values[control.key]) if control.key in values else control.start
        found[control.key] = share_link.setting_of(control, value)
    return SamplingSettings(**found)


def test_every_setting_has_a_control_and_a_name() -> None:
    assert {control.key for control in ALL_CONTROLS} == set(FULL.as_dict())
    assert all(control.label and control.help for control in MORE)
    assert {control.key for control in ALL_CONTROLS} - {control.key for control in MORE} == FIRST


@pytest.mark.parametrize("settings", [FULL, SamplingSettings(order="vllm"), SamplingSettings(order="llama.cpp", top_k=3)], ids=str)
def test_a_link_keeps_every_setting(settings: SamplingSettings) -> None:
    assert read(share_link.query("Hello", "m", settings, [], "Hello")) == settings


@given(text=st.text(max_size=40))
def test_any_text_for_a_setting_is_valid_or_refused(text: str) -> None:
    for control in ALL_CONTROLS:
        value = share_link.value_of(control, text)
        assert value is None or share_link.value_of(control, str(value)) == value
    share_link.parse_steps(f"sx{text}")
    share_link.parse_steps(f"sx{text.encode().hex()}")


def test_every_setting_that_is_on_has_a_chip() -> None:
    full = replace(FULL, min_p=0.02, typical_p=0.9, repetition_penalty=1.2, greedy=True)
    assert all(is_on(full, key) and chip_text(full, key) for key in CHIPS)
    assert [key for key in CHIPS if is_on(SamplingSettings(), key)] == []
