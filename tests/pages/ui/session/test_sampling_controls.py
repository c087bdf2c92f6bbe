"""The samplers of the dialog as texts: in links, in chips, and back."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from core import SamplingSettings
from core.sampling.settings import SETTING_OF, SETTINGS
from pages.ui.i18n.glossary import terms
from pages.ui.session import share_link
from pages.ui.session.sampling_controls import CHIPS, GROUPS, chip_text, is_on

FULL = SamplingSettings(
    presence_penalty=0.5,
    frequency_penalty=-0.2,
    repeat_last_n=64,
    logit_bias={5: -math.inf, 7: 1.5},
    no_repeat_ngram_size=3,
    dry_multiplier=0.8,
    dry_base=1.5,
    dry_allowed_length=3,
    dry_sequence_breakers=("\n", "ä", '"'),
    top_n_sigma=1.5,
    epsilon_cutoff=0.001,
    eta_cutoff=0.002,
    xtc_probability=0.5,
    xtc_threshold=0.2,
    dynatemp_range=0.3,
    dynatemp_exponent=1.2,
    mirostat_tau=3.0,
    mirostat_eta=0.2,
    constraint='choices:yes\nno & "ä"',
    watermark="synthid",
    watermark_key=7,
    watermark_gamma=0.5,
    watermark_delta=1.5,
    watermark_context=4,
    order=tuple(reversed(SETTING_OF)),
)


def read(query: str) -> SamplingSettings:
    """The settings of a link's query, as a session reads them."""
    values = share_link.decoded(query)
    assert share_link.invalid_values(values, ["m"]) == []
    texts = share_link.settings_in(values)
    assert texts is not None
    return SamplingSettings(**{name: share_link.setting_of(SETTINGS[name], text) for name, text in texts.items()})


def test_every_setting_has_a_control_and_a_name() -> None:
    for row in SETTINGS.values():
        assert row.label and row.short and row.help
        assert row.is_text or isinstance(row.off, bool) or row.control[0] < row.control[1]
        assert row.group in GROUPS or row.name in ("seed", "greedy", "order")


def test_every_term_is_in_the_glossary() -> None:
    assert {row.term for row in SETTINGS.values()} - {term.key for term in terms()} - {""} == set(), "add the term to glossary.toml"


@pytest.mark.parametrize("settings", [FULL, SamplingSettings(order="vllm"), SamplingSettings(order="llama.cpp", top_k=3)], ids=str)
def test_a_link_keeps_every_setting(settings: SamplingSettings) -> None:
    assert read(share_link.query("Hello", "m", settings, [], "Hello")) == settings


def test_every_setting_that_is_on_has_a_chip() -> None:
    full = replace(FULL, min_p=0.02, typical_p=0.9, repetition_penalty=1.2, greedy=True)
    without = [key for key in CHIPS if not (is_on(full, key) and chip_text(full, key))]
    forgotten = [row.name for row in SETTINGS.values() if row.where == "dialog" and not is_on(FULL, row.name)]
    assert without + forgotten == [], "give a new setting a value in FULL, above"
    assert [key for key in CHIPS if is_on(SamplingSettings(), key)] == []
