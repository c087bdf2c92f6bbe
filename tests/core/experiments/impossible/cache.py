"""Impossible input of the page cache."""

from __future__ import annotations

import math

from core.experiments.cache import race
from core.sampling.settings import SamplingSettings
from tests.core.experiments.impossible import COUNTS, TEXT, Prompts, Settings

SETTINGS: Settings = {
    "race": (lambda m, v: race(m, TEXT, SamplingSettings(), v), [*COUNTS, math.nan]),
}
PROMPTS: Prompts = {
    "race": lambda m, text: race(m, text),
}
