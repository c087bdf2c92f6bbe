"""Impossible input of the page pupil."""

from __future__ import annotations

import math

from core.experiments.pupil.cascade import cascade
from core.experiments.pupil.two_models import judge
from tests.core.experiments.impossible import COUNTS, TEXT, Prompts, Settings

SETTINGS: Settings = {
    "judged tokens": (lambda m, v: judge(m, m, TEXT, None, v), COUNTS),
    "cascade thresholds": (lambda m, v: cascade(m, m, TEXT, None, v), [(), (-0.5,), (math.nan,), (99.0,), (True,), ("2",)]),
}
PROMPTS: Prompts = {
    "judge": lambda m, text: judge(m, m, text),
}
