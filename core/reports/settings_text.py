"""Sampling settings in one line of a report."""

from __future__ import annotations

from core.message import Message, Number, Wording
from core.settings import SamplingSettings

NAMES = {
    "top_k": "top-k",
    "top_p": "top-p",
    "min_p": "min-p",
    "typical_p": "typical-p",
    "repetition_penalty": Message("repetition penalty"),
}


def summary(settings: SamplingSettings, wording: Wording) -> str:
    """Return the settings that differ from the usual ones, with temperature and seed: `temperature 0.8, top-k 5, seed 7`."""
    if settings.greedy:
        return wording.say(Message("always the likeliest token (greedy)"))
    usual = SamplingSettings()
    changed = [wording.say(Message("temperature {value}", value=Number(settings.temperature, "g")))]
    for name, value in settings.as_dict().items():
        if name in NAMES and value != getattr(usual, name):
            changed.append(f"{wording.say(NAMES[name])} {wording.figures(format(value, 'g'))}")
    return ", ".join([*changed, wording.say(Message("seed {seed}", seed=str(settings.seed)))])
