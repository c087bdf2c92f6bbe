"""Impossible input of the page speculative."""

from __future__ import annotations

from core.experiments.speculative import speculate
from tests.core.experiments.impossible import COUNTS, TEXT, Prompts, Settings

SETTINGS: Settings = {
    "guesses": (lambda m, v: speculate(m, None, TEXT, guesses=v), [*COUNTS, 17]),
    "speculated tokens": (lambda m, v: speculate(m, None, TEXT, length=v), [*COUNTS, 401]),
}
PROMPTS: Prompts = {
    "speculation": lambda m, text: speculate(m, None, text),
}
