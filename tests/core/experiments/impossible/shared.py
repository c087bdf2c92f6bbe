"""Impossible input of scores and runs, which many pages use."""

from __future__ import annotations

from core import Generation
from core.inspection.scoring import score_text
from tests.core.experiments.impossible import TEXT, Settings

SETTINGS: Settings = {
    "stride": (lambda m, v: score_text(m, TEXT, stride=v), [0, -1, 64, 1.5, "8", True]),
    "tokens to write": (lambda m, v: Generation(m, TEXT).stream(v), [-1, 1.5, "3", True]),
}
