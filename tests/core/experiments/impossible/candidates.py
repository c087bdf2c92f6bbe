"""Impossible input of the page candidates."""

from __future__ import annotations

import math

from core.experiments.candidates.beam import beam_search
from core.experiments.candidates.best_of_n import ranked, write_together
from tests.core.experiments.impossible import COUNTS, TEXT, Prompts, Settings

SETTINGS: Settings = {
    "beams": (lambda m, v: beam_search(m, TEXT, beams=v), [*COUNTS, 17]),
    "beam steps": (lambda m, v: beam_search(m, TEXT, steps=v), [-1, 2.5]),
    "beam length penalty": (lambda m, v: beam_search(m, TEXT, length_penalty=v), [math.nan, math.inf, "x"]),
    "beam early stopping": (lambda m, v: beam_search(m, TEXT, early_stopping=v), ["sometimes", 1]),
    "tries": (lambda m, v: write_together(m, TEXT, count=v), [*COUNTS, 33]),
    "tokens of a try": (lambda m, v: write_together(m, TEXT, steps=v), [*COUNTS, 401]),
    "order of tries": (lambda m, v: ranked([], v), ["beauty"]),
}
PROMPTS: Prompts = {
    "beam search": lambda m, text: beam_search(m, text),
    "tries": lambda m, text: write_together(m, text),
}
