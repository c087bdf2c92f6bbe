"""Impossible input of the page waiting."""

from __future__ import annotations

import math

from core.experiments.waiting.load import load_curve, watch_one
from tests.core.experiments.impossible import COUNTS, REAL, TEXT, Prompts, Settings

SETTINGS: Settings = {
    "watched tokens": (lambda m, v: watch_one(m, TEXT, [TEXT], None, v), COUNTS),
    "rate of others": (lambda m, v: watch_one(m, TEXT, [TEXT], None, 4, v), [0.0, 1e9, *REAL[:3]]),
    "loads": (lambda m, v: load_curve(m, [TEXT], None, v), [(), (0.0,), (1.0,), (math.nan,), ("0.5",), (True,)]),
    "requests of a load": (lambda m, v: load_curve(m, [TEXT], None, (0.5,), v), [0, 1, 10**9, True]),
}
PROMPTS: Prompts = {
    "watch": lambda m, text: watch_one(m, text, [TEXT]),
}
