"""The score of a watermark in words: the choice of the mark and its key, and what a score says and does not say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from core.experiments.watermark import CALLED, SURE, Null, Score
from core.sampling.setting import Setting
from core.sampling.settings import SETTINGS, SamplingSettings
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _, said
from pages.ui.session import elements
from pages.ui.session.sampling_controls import WATERMARKS
from pages.ui.session.state import PERSISTENT

# With these, 200 runs of 100 tokens of the storyteller are scored: see tests/benchmarks/README.md.
DEFAULTS = {
    "green": SamplingSettings(watermark="green", watermark_delta=5.0),
    "synthid": SamplingSettings(watermark="synthid", watermark_context=4),
}
CALLS = {"sure": N_("marked, even at 1 in a million"), "called": N_("marked, at 1 in 1,000"), "no": N_("not called marked")}


def choose(prefix: str, with_context: bool = False) -> SamplingSettings:
    """Draw the choice of the watermark and its key, and return them as settings. with_context: also gamma, or the context, of the mark."""
    kind = elements.choice(_("Watermark"), list(DEFAULTS), "green", f"{prefix}_kind", format_func=said(WATERMARKS).__getitem__)
    row = SETTINGS["watermark_key"]
    key = _number(row, prefix, int(row.off))
    mark = replace(DEFAULTS[kind], watermark_key=key)
    if not with_context:
        return mark
    more = SETTINGS["watermark_gamma" if kind == "green" else "watermark_context"]
    return replace(mark, **{more.name: _number(more, prefix, getattr(mark, more.name))})


def _number(row: Setting, prefix: str, start: float) -> Any:
    low, high, step = map(type(row.off), row.control)
    key = f"{prefix}_{row.name}"
    number = st.number_input(
        _(row.label), min_value=low, max_value=high, value=start, step=step, key=key, help=_(row.help), width=190, **PERSISTENT
    )
    return start if number is None else number


def rarity(p_value: float) -> str:
    """Return how often chance alone gives such a score."""
    if p_value >= 0.01:
        return _("chance alone gives this or more in {share} of texts").format(share=numbers.percent(p_value))
    if p_value < 1e-12:
        return _("chance alone gives this less than once in a trillion texts")
    rounded = float(f"{1 / p_value:.1e}")
    return _("chance alone gives this or more once in {count} texts").format(count=numbers.whole(rounded))


def call(p_value: float) -> str:
    """Return what one would call a text with this p-value."""
    return _(CALLS["sure" if p_value < SURE else "called" if p_value < CALLED else "no"])


def verdict(scored: Score, settings: SamplingSettings, null: Null | None = None) -> str:
    """Return what a score says. null: the distribution of a tournament's z without a mark; without it the coins are counted as fair."""
    p_value = scored.p_value if null is None else null.p_value(scored.z)
    if settings.watermark == "green":
        sentence = _("{green} of {coins} counted tokens are on the green list; chance gives {expected}. z = {z}: {rare}. {call}.")
        expected = numbers.decimal(settings.watermark_gamma * scored.coins, 1)
    else:
        sentence = _("Mean g-value {green}, over {coins} of {counted} counted tokens; chance gives {expected}. z = {z}: {rare}. {call}.")
        expected = numbers.decimal(0.5, 2)
    mean = numbers.decimal(scored.green / scored.coins, 3)
    return sentence.format(
        green=numbers.whole(scored.green) if settings.watermark == "green" else mean,
        coins=numbers.whole(scored.coins),
        counted=numbers.whole(scored.counted),
        expected=expected,
        z=numbers.decimal(scored.z, 1),
        rare=rarity(p_value),
        call=f"**{call(p_value)[0].upper()}{call(p_value)[1:]}**",
    )
