"""The score of a watermark in words: the choice of the mark and its key, and what a score says and does not say."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.experiments.shared.watermark_score import MARKED_BELOW, SURELY_MARKED_BELOW, Score, p_value
from core.sampling.settings import SETTINGS, SamplingSettings
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _, said
from pages.ui.session import current, elements
from pages.ui.session.elements import PERSISTENT

# With these, 200 runs of 100 tokens of the storyteller are scored: see tests/benchmarks/README.md.
DEFAULTS = {
    "green": SamplingSettings(watermark="green", watermark_delta=5.0),
    "synthid": SamplingSettings(watermark="synthid", watermark_context=4),
}
CALLS = {"sure": N_("Marked, even at 1 in a million"), "called": N_("Marked, at 1 in 1,000"), "no": N_("Not called marked")}


def choose(prefix: str, strength: bool = False) -> tuple[SamplingSettings, DeltaGenerator]:
    """Draw the choice of the watermark and its key. Return them as settings, and the popover with its other settings.

    They begin with the watermark of the visitor's settings, if one is on. strength: also draw the strength of a green list.
    """
    settings = current.settings()
    words = said(SETTINGS["watermark"].choices)
    kind = elements.choice(_("Watermark"), list(DEFAULTS), settings.watermark or "green", f"{prefix}_kind", format_func=words.__getitem__)
    start = settings if settings.watermark == kind else DEFAULTS[kind]
    seen = ("watermark_key", "watermark_delta") if strength and kind == "green" else ("watermark_key",)
    fields = [SETTINGS[name] for name in (*seen, "watermark_gamma" if kind == "green" else "watermark_context")]
    values = {}
    for row in fields:
        with st.container(width=200) if row.name in seen else (more := st.popover(_("More"), icon=":material/tune:")):
            options = {"key": f"{prefix}_{row.name}", "help": _(row.help), **PERSISTENT}
            values[row.name] = elements.number(row, getattr(start, row.name), **options)
    return replace(DEFAULTS[kind], **values), more


def rarity(chance: float, measured: bool = False) -> str:
    """Return how often a score with this p-value comes without the mark. measured: by the curve through unmarked runs."""
    if measured:
        share = numbers.percent(chance) if chance >= 1e-6 else _("less than one in a million")
        return _("by the curve through the unmarked runs, {share} of unmarked texts reach this or more").format(share=share)
    if chance >= 0.01:
        return _("chance alone gives this or more in {share} of texts").format(share=numbers.percent(chance))
    if chance < 1e-12:
        return _("chance alone gives this less than once in a trillion texts")
    return _("chance alone gives this or more once in {count} texts").format(count=numbers.whole(float(f"{1 / chance:.1e}")))


def verdict(scored: Score, settings: SamplingSettings, null: NormalDist | None = None) -> str:
    """Return what a score says. null: the distribution of z without a mark; without it that of chance alone."""
    chance = p_value(scored, null)
    if settings.watermark == "green":
        sentence = _("{green} of {count} counted tokens are on the green list; chance gives {expected}. z = {z}: {rare}. **{call}.**")
        green, expected = numbers.whole(scored.green), numbers.decimal(settings.watermark_gamma * scored.counted, 1)
    else:
        sentence = _("Weighted mean g-value {green} over {count} counted tokens; {expected} without the key. z = {z}: {rare}. **{call}.**")
        green, expected = numbers.decimal(scored.green / scored.counted, 3), numbers.decimal(0.5, 2)
    call = _(CALLS["sure" if chance < SURELY_MARKED_BELOW else "called" if chance < MARKED_BELOW else "no"])
    count = numbers.whole(scored.counted)
    return sentence.format(
        green=green, count=count, expected=expected, z=numbers.decimal(scored.z, 1), rare=rarity(chance, null is not None), call=call
    )
