"""Impossible input of the page compare."""

from __future__ import annotations

import math

from core.experiments.compare.sweep import sweep
from core.experiments.shared.side_by_side import Column, side_by_side
from core.sampling.settings import SamplingSettings
from tests.core.experiments.impossible import TEXT, Prompts, Settings

SETTINGS: Settings = {
    "swept setting": (lambda m, v: sweep(m, TEXT, v), ["colour", "greedy", None]),
    "swept values": (lambda m, v: sweep(m, TEXT, "temperature", v), [(0.0,), (math.nan,), ("hot",), (1.0,) * 13]),
    "swept steps": (lambda m, v: sweep(m, TEXT, "top_k", steps=v), [0, 10**9, "5"]),
    "columns": (lambda m, v: side_by_side([Column(m, SamplingSettings())] * v, TEXT, 5), [0, 5]),
}
PROMPTS: Prompts = {
    "columns": lambda m, text: side_by_side([Column(m, SamplingSettings())], text, 5),
}
