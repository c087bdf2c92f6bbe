"""Sampling controls: names, ranges, presets, and a short sentence on the effect of each value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from core import SamplingSettings
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _


@dataclass(frozen=True, slots=True)
class Control:
    """One setting: its name in SamplingSettings and in links, label, range, help, and a sentence on the effect of a value.

    A setting that is no number has a text as its value in widgets and links: parse returns the setting of a text (raises ViewerError or
    ValueError), written its text.
    """

    key: str
    label: str
    low: float
    high: float
    step: float
    start: float | int | bool | str
    help: str
    effect: Callable[[float], str]
    parse: Callable[[str], Any] | None = None
    written: Callable[[Any], str] = str


PRESETS: dict[str, SamplingSettings] = {
    N_("Greedy"): SamplingSettings(greedy=True),
    N_("Careful"): SamplingSettings(temperature=0.5, top_k=40, top_p=0.85),
    N_("Balanced"): SamplingSettings(temperature=0.7, top_p=0.9),
    N_("Creative"): SamplingSettings(temperature=1.1, top_p=0.97, min_p=0.02),
    N_("Wild"): SamplingSettings(temperature=1.6),
}
PRESET_HELP = N_("Greedy always takes the likeliest token. The others sample, from steady (Careful) to random (Wild).")
START = PRESETS["Balanced"]
PLAIN = SamplingSettings()
LARGEST_SEED = 2**31 - 1


def _temperature(value: float) -> str:
    if value == 1:
        return _("off: the model's own probabilities")
    if value < 0.4:
        return _("very steady: nearly always the likeliest")
    if value < 1:
        return _("likely tokens become likelier")
    return _("unlikely tokens become likelier") if value < 1.4 else _("random: unlikely tokens are chosen often")


def _top_k(value: float) -> str:
    if value > 1:
        return _("only the {count} likeliest tokens").format(count=numbers.decimal(value, 0))
    return _("only the likeliest token") if value else _("off: no token is excluded")


CONTROLS: tuple[Control, ...] = (
    Control(
        "temperature",
        N_("Temperature"),
        0.05,
        2.0,
        0.05,
        START.temperature,
        N_("How random the choice is. Low is steady, high is random."),
        _temperature,
    ),
    Control("top_k", N_("Top-k"), 0, 200, 1, START.top_k, N_("Keeps only the k likeliest tokens. 0 is off."), _top_k),
    Control(
        "top_p",
        N_("Top-p"),
        0.05,
        1.0,
        0.01,
        START.top_p,
        N_("Keeps the likeliest tokens that together reach this probability. 1 is off."),
        lambda p: (
            _("off: no token is excluded")
            if p == 1
            else _("keeps the likeliest tokens that together have {share} %").format(share=numbers.decimal(p * 100, 0))
        ),
    ),
    Control(
        "min_p",
        N_("Min-p"),
        0.0,
        0.5,
        0.01,
        START.min_p,
        N_("Excludes tokens far less likely than the likeliest. 0 is off."),
        lambda p: (
            _("off: no token is excluded")
            if p == 0
            else _("excludes tokens below {share} % of the largest probability").format(share=numbers.decimal(p * 100, 0))
        ),
    ),
    Control(
        "typical_p",
        N_("Typical-p"),
        0.05,
        1.0,
        0.01,
        START.typical_p,
        N_("Keeps tokens whose surprise is close to the average. 1 is off."),
        lambda p: (
            _("off: no token is excluded")
            if p == 1
            else _("keeps the most typical tokens that together have {share} %").format(share=numbers.decimal(p * 100, 0))
        ),
    ),
    Control(
        "repetition_penalty",
        N_("Repetition penalty"),
        1.0,
        2.0,
        0.05,
        START.repetition_penalty,
        N_("Makes tokens of the text so far less likely. 1 is off."),
        lambda r: _("off: repetition is not reduced") if r == 1 else _("tokens of the text become less likely"),
    ),
    Control(
        "seed",
        N_("Seed"),
        0,
        LARGEST_SEED,
        1,
        START.seed,
        N_("Number of the dice. The same seed gives the same rolls and the same text."),
        lambda s: _("the same seed gives the same text"),
    ),
    Control(
        "greedy",
        N_("Greedy"),
        0,
        1,
        1,
        START.greedy,
        N_("Always take the likeliest token, without sampling."),
        lambda g: _("on: always the likeliest token") if g else _("off: the dice decide (sampling)"),
    ),
)
IN_SIGHT = ("temperature", "top_k", "top_p")


def preset_of(settings: SamplingSettings) -> str | None:
    """Return the name of the preset with these settings, None if there is none; see `same_preset`."""
    return next((name for name, preset in PRESETS.items() if same_preset(preset, settings)), None)


def same_preset(preset: SamplingSettings, settings: SamplingSettings) -> bool:
    """Return whether these are the settings of the preset. Seed, an engine's order and repeat_last_n are ignored; your own order is not."""
    return isinstance(settings.order, str) and preset == replace(settings, seed=0, order="transformers", repeat_last_n=0)
