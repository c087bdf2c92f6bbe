"""Impossible input of the page quantization."""

from __future__ import annotations

from core.experiments.quantization.rounded_weights import quantize
from tests.core.experiments.impossible import TEXT, Prompts, Settings

SETTINGS: Settings = {
    "bits of weights": (lambda m, v: quantize(m, TEXT, TEXT, v), [(), (5,), (0,), (True,)]),
    "group of weights": (lambda m, v: quantize(m, TEXT, TEXT, (4,), v), [7]),
}
PROMPTS: Prompts = {
    "quantization": lambda m, text: quantize(m, text, TEXT),
}
