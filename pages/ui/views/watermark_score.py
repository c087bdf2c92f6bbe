"""The score of a watermark in words: the choice of the mark and its key, and what a score says and does not say."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st

from core.experiments.watermark import CALLED, SURE, Null, Score
from core.sampling.settings import SETTINGS, SamplingSettings
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _, said
from pages.ui.session import elements
from pages.ui.session.sampling_controls import WATERMARKS
from pages.ui.session.state import PERSISTENT

# With these, 200 runs of 100 tokens of the storyteller are found: see tests/benchmarks/README.md.
DEFAULTS = {
    "green": SamplingSettings(watermark="green", watermark_delta=5.0),
    "synthid": SamplingSettings(watermark="synthid", watermark_context=4),
}
CALLS = {"sure": N_("marked, even at 1 in a million"), "called": N_("marked, at 1 in 1,000"), "no": N_("not called marked")}


def choose(prefix: str) -> SamplingSettings:
    """Draw the choice of the watermark and its key, and return them as settings."""
    kind = elements.choice(_("Watermark"), list(DEFAULTS), "green", f"{prefix}_kind", format_func=said(WATERMARKS).__getitem__)
    row = SETTINGS["watermark_key"]
    look = {"min_value": 1, "max_value": int(row.control[1]), "value": int(row.off), "step": 1, "width": 190, **PERSISTENT}
    key = st.number_input(_(row.label), key=f"{prefix}_key", help=_(row.help), **look)
    return replace(DEFAULTS[kind], watermark_key=int(key or row.off))


def once_in(p_value: float) -> str:
    """Return how rare a score is by chance: `once in 1,234 texts`."""
    if p_value < 1e-12:
        return _("less than once in a trillion texts")
    return _("once in {count} texts").format(
        count=numbers.whole(round(1 / p_value) if p_value > 1e-9 else 10 ** round(-math.log10(p_value)))
    )


def call(p_value: float) -> str:
    """Return what one would call a text with this p-value."""
    return _(CALLS["sure" if p_value < SURE else "called" if p_value < CALLED else "no"])


def verdict(found: Score, settings: SamplingSettings, null: Null | None = None) -> str:
    """Return what a score says. null: the distribution of a tournament's z without a mark; without it the coins are counted as fair."""
    p_value = found.p_value if null is None else null.p_value(found.z)
    if settings.watermark == "green":
        sentence = _("{green} of {coins} counted tokens are on the green list; chance gives {expected}. z = {z}: {rare}. {call}.")
        expected = numbers.decimal(settings.watermark_gamma * found.coins, 1)
    else:
        sentence = _("Mean g-value {green}, over {coins} of {counted} counted tokens; chance gives {expected}. z = {z}: {rare}. {call}.")
        expected = numbers.decimal(0.5, 2)
    mean = numbers.decimal(found.green / found.coins, 3)
    return sentence.format(
        green=numbers.whole(found.green) if settings.watermark == "green" else mean,
        coins=numbers.whole(found.coins),
        counted=numbers.whole(found.counted),
        expected=expected,
        z=numbers.decimal(found.z, 1),
        rare=_("by chance {often}").format(often=once_in(p_value)),
        call=f"**{call(p_value)[0].upper()}{call(p_value)[1:]}**",
    )
