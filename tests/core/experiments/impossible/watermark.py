"""Impossible input of the page watermark."""

from __future__ import annotations

from core.experiments import watermark
from core.sampling.settings import SamplingSettings
from tests.core.experiments.impossible import COUNTS, TEXT, Prompts, Settings

MARK = SamplingSettings(watermark="green")
SETTINGS: Settings = {
    "marked tokens": (lambda m, v: watermark.watch(m, TEXT, MARK, v), [*COUNTS, 1, 401]),
    "marked runs": (lambda m, v: watermark.watch(m, TEXT, MARK, 5, v), [-1, 1001, 2.5, "3", True]),
}
PROMPTS: Prompts = {
    "mark": lambda m, text: watermark.watch(m, text, MARK),
}
