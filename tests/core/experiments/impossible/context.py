"""Impossible input of the page context."""

from __future__ import annotations

import math

from core.experiments.context import measure
from tests.core.experiments.impossible import TEXT, Settings

SETTINGS: Settings = {
    "lengths measured": (lambda m, v: measure(m, TEXT, v), [[], [0], [1.5], ["8"], [True], [4] * 25]),
    "repeats measured": (lambda m, v: measure(m, TEXT, [4], v), [0, 26, 1.5, math.nan, None, True]),
}
