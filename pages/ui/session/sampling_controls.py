"""Sampling controls: names, ranges, presets, and what each value does to the text, in plain words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core import SamplingSettings
from core.language import N_, _
from pages.ui.i18n import numbers


@dataclass(frozen=True, slots=True)
class Control:
    """One setting: its name in SamplingSettings and in a link, its label, its range, and words for it."""

    key: str
    label: str
    low: float
    high: float
    step: float
    start: float | int | bool
    help: str
    effect: Callable[[float], str]


PRESETS: dict[str, SamplingSettings] = {
    N_("Greedy"): SamplingSettings(greedy=True),
    N_("Careful"): SamplingSettings(temperature=0.5, top_k=40, top_p=0.85),
    N_("Balanced"): SamplingSettings(temperature=0.8, top_p=0.9),
    N_("Creative"): SamplingSettings(temperature=1.1, top_p=0.97, min_p=0.02),
    N_("Wild"): SamplingSettings(temperature=1.6),
}
PRESET_HELP = N_("Greedy always takes the favourite; the others roll dice, ever more daringly.")
START = PRESETS["Balanced"]
PLAIN = SamplingSettings()
LARGEST_SEED = 2**31 - 1


def _temperature(value: float) -> str:
    if value == 1:
        return _("off: the odds as the model gave them")
    if value < 0.4:
        return _("very steady: nearly always the favourite")
    if value < 1:
        return _("steadier: favourites gain")
    return _("bolder: long shots gain") if value < 1.4 else _("reckless: anything may come")


def _top_k(value: float) -> str:
    if value > 1:
        return _("only the {count} likeliest may win").format(count=numbers.decimal(value, 0))
    return _("only the favourite may win") if value else _("off: every token may win")


CONTROLS: tuple[Control, ...] = (
    Control(
        "temperature",
        N_("Temperature"),
        0.05,
        2.0,
        0.05,
        START.temperature,
        N_("How daring the dice are. Low is steady, high is wild."),
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
        N_("Keeps the likeliest tokens that together reach this share. 1 is off."),
        lambda p: (
            _("off: no tail is cut") if p == 1 else _("the unlikely last {share} % are cut").format(share=numbers.decimal((1 - p) * 100, 0))
        ),
    ),
    Control(
        "min_p",
        N_("Min-p"),
        0.0,
        0.5,
        0.01,
        START.min_p,
        N_("Drops tokens far less likely than the favourite. 0 is off."),
        lambda p: (
            _("off: no distance is too far")
            if p == 0
            else _("cut if under {share} % of the favourite").format(share=numbers.decimal(p * 100, 0))
        ),
    ),
    Control(
        "typical_p",
        N_("Typical-p"),
        0.05,
        1.0,
        0.01,
        START.typical_p,
        N_("Prefers tokens about as surprising as expected. 1 is off."),
        lambda p: (
            _("off: the typical and the odd alike")
            if p == 1
            else _("only the most typical {share} %").format(share=numbers.decimal(p * 100, 0))
        ),
    ),
    Control(
        "repetition_penalty",
        N_("Repetition penalty"),
        1.0,
        2.0,
        0.05,
        START.repetition_penalty,
        N_("Makes tokens less likely that are already in the text. 1 is off."),
        lambda r: _("off: it may repeat itself") if r == 1 else _("words already used are held back"),
    ),
    Control(
        "seed",
        N_("Seed"),
        0,
        LARGEST_SEED,
        1,
        START.seed,
        N_("Names the dice. Same seed, same rolls, same text."),
        lambda s: _("the same seed rolls the same text"),
    ),
    Control(
        "greedy",
        N_("Greedy"),
        0,
        1,
        1,
        START.greedy,
        N_("Always take the favourite; the dice stay in the box."),
        lambda g: _("on: always the favourite") if g else _("off: dice decide"),
    ),
)
IN_SIGHT = ("temperature", "top_k", "top_p")


def preset_of(settings: SamplingSettings) -> str | None:
    """The preset these settings are, whatever the seed."""
    plain = {**settings.as_dict(), "seed": 0}
    return next((name for name, preset in PRESETS.items() if preset.as_dict() == plain), None)


def value_words(control: Control, value: float) -> str:
    """What this value of this control does to the text, in about five words."""
    return control.effect(value)
