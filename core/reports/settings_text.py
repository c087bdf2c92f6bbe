"""Sampling settings in one line of a report."""

from __future__ import annotations

import json
from typing import Any

from core.message import Message, Number, Wording
from core.settings import SamplingSettings

NAMES = {
    "top_k": "top-k",
    "top_p": "top-p",
    "min_p": "min-p",
    "typical_p": "typical-p",
    "repetition_penalty": Message("repetition penalty"),
    "presence_penalty": Message("presence penalty"),
    "frequency_penalty": Message("frequency penalty"),
    "repeat_last_n": Message("repeat last n"),
    "logit_bias": Message("logit bias"),
    "no_repeat_ngram_size": Message("no-repeat n-gram"),
    "dry_multiplier": Message("DRY multiplier"),
    "dry_base": Message("DRY base"),
    "dry_allowed_length": Message("DRY allowed length"),
    "dry_sequence_breakers": Message("DRY sequence breakers"),
    "top_n_sigma": "top-n-sigma",
    "epsilon_cutoff": Message("epsilon cut-off"),
    "eta_cutoff": Message("eta cut-off"),
    "xtc_probability": Message("XTC probability"),
    "xtc_threshold": Message("XTC threshold"),
    "dynatemp_range": Message("dynamic temperature range"),
    "dynatemp_exponent": Message("dynamic temperature exponent"),
    "mirostat_tau": Message("mirostat tau"),
    "mirostat_eta": Message("mirostat eta"),
    "constraint": Message("constraint"),
    "order": Message("order"),
}

LONGEST = 120  # characters of a setting that is a text


def summary(settings: SamplingSettings, wording: Wording) -> str:
    """Return the settings that differ from the usual ones, with temperature and seed: `temperature 0.8, top-k 5, seed 7`."""
    if settings.greedy:
        always = wording.say(Message("always the likeliest token (greedy)"))
        return f"{always}, {wording.say(NAMES['constraint'])} {_written(settings.constraint, wording)}" if settings.constraint else always
    usual = SamplingSettings()
    changed = [wording.say(Message("temperature {value}", value=Number(settings.temperature, "g")))]
    for name, value in settings.as_dict().items():
        if name in NAMES and value != getattr(usual, name):
            changed.append(f"{wording.say(NAMES[name])} {_written(value, wording)}")
    return ", ".join([*changed, wording.say(Message("seed {seed}", seed=str(settings.seed)))])


def _written(value: Any, wording: Wording) -> str:
    """Return the value of a setting: a number, a text, or pairs and texts with commas."""
    if isinstance(value, str):
        clean = " ".join(value.split())
        return clean if len(clean) <= LONGEST else f"{clean[: LONGEST - 1]}…"
    if isinstance(value, tuple):
        return ", ".join(
            f"{one[0]}: {one[1]:g}" if isinstance(one, tuple) else json.dumps(one) if not one.isprintable() else one for one in value
        )
    return wording.figures(format(value, "g"))
