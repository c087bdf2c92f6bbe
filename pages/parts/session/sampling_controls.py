"""Sampling controls: names, ranges, presets, and what each value does to the text, in plain words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core import SamplingSettings


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
    "Greedy": SamplingSettings(greedy=True),
    "Careful": SamplingSettings(temperature=0.5, top_k=40, top_p=0.85),
    "Balanced": SamplingSettings(temperature=0.8, top_p=0.9),
    "Creative": SamplingSettings(temperature=1.1, top_p=0.97, min_p=0.02),
    "Wild": SamplingSettings(temperature=1.6),
}
PRESET_HELP = "Greedy always takes the favourite; the others roll dice, ever more daringly."
START = PRESETS["Balanced"]
PLAIN = SamplingSettings()
LARGEST_SEED = 2**31 - 1


def _temperature(value: float) -> str:
    if value == 1:
        return "off: the odds as the model gave them"
    if value < 0.4:
        return "very steady: nearly always the favourite"
    if value < 1:
        return "steadier: favourites gain"
    return "bolder: long shots gain" if value < 1.4 else "reckless: anything may come"


CONTROLS: tuple[Control, ...] = (
    Control(
        "temperature",
        "Temperature",
        0.05,
        2.0,
        0.05,
        START.temperature,
        "How daring the dice are. Low is steady, high is wild.",
        _temperature,
    ),
    Control(
        "top_k",
        "Top-k",
        0,
        200,
        1,
        START.top_k,
        "Keeps only the k likeliest tokens. 0 is off.",
        lambda k: f"only the {k:.0f} likeliest may win" if k > 1 else "only the favourite may win" if k else "off: every token may win",
    ),
    Control(
        "top_p",
        "Top-p",
        0.05,
        1.0,
        0.01,
        START.top_p,
        "Keeps the likeliest tokens that together reach this share. 1 is off.",
        lambda p: "off: no tail is cut" if p == 1 else f"the unlikely last {(1 - p) * 100:.0f} % are cut",
    ),
    Control(
        "min_p",
        "Min-p",
        0.0,
        0.5,
        0.01,
        START.min_p,
        "Drops tokens far less likely than the favourite. 0 is off.",
        lambda p: "off: no distance is too far" if p == 0 else f"cut if under {p * 100:.0f} % of the favourite",
    ),
    Control(
        "typical_p",
        "Typical-p",
        0.05,
        1.0,
        0.01,
        START.typical_p,
        "Prefers tokens about as surprising as expected. 1 is off.",
        lambda p: "off: the typical and the odd alike" if p == 1 else f"only the most typical {p * 100:.0f} %",
    ),
    Control(
        "repetition_penalty",
        "Repetition penalty",
        1.0,
        2.0,
        0.05,
        START.repetition_penalty,
        "Makes tokens less likely that are already in the text. 1 is off.",
        lambda r: "off: it may repeat itself" if r == 1 else "words already used are held back",
    ),
    Control(
        "seed",
        "Seed",
        0,
        LARGEST_SEED,
        1,
        START.seed,
        "Names the dice. Same seed, same rolls, same text.",
        lambda s: "the same seed rolls the same text",
    ),
    Control(
        "greedy",
        "Greedy",
        0,
        1,
        1,
        START.greedy,
        "Always take the favourite; the dice stay in the box.",
        lambda g: "on: always the favourite" if g else "off: dice decide",
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
