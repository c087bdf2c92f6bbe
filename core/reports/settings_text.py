"""Sampling settings in one line of a report."""

from __future__ import annotations

import json
from typing import Any

from core.message import Message, Number, Wording
from core.sampling.settings import SamplingSettings

LONGEST = 120  # characters of a setting that is a text


def summary(settings: SamplingSettings, wording: Wording) -> str:
    """Return the settings that differ from the usual ones, with temperature and seed: `temperature 0.8, top-k 5, seed 7`."""
    if settings.greedy:
        always = wording.say(Message("always the likeliest token (greedy)"))
        return f"{always}, {wording.say('constraint')} {_written(settings.constraint, wording)}" if settings.constraint else always
    rows = [row for row in settings.changed() if row.name not in ("temperature", "seed")]
    parts = [f"{wording.say(row.short)} {_written(getattr(settings, row.name), wording)}" for row in rows]
    first = wording.say(Message("temperature {value}", value=Number(settings.temperature, "g")))
    return ", ".join([first, *parts, wording.say(Message("seed {seed}", seed=str(settings.seed)))])


def _written(value: Any, wording: Wording) -> str:
    """Return the value of a setting: a number, a text, or pairs and texts with commas."""
    if isinstance(value, str):
        clean = " ".join(value.split())
        return clean if len(clean) <= LONGEST else f"{clean[: LONGEST - 1]}…"
    if isinstance(value, tuple):
        return ", ".join(
            f"{part[0]}: {part[1]:g}" if isinstance(part, tuple) else part if part.isprintable() else json.dumps(part) for part in value
        )
    return wording.figures(format(value, "g"))
