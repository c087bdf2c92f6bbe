"""Impossible input of the page looping."""

from __future__ import annotations

from core.experiments.looping import looping, looping_runs
from core.sampling.settings import SamplingSettings
from tests.core.experiments.impossible import COUNTS, TEXT, Prompts, Settings

SETTINGS: Settings = {
    "length of a loop": (lambda m, v: looping(m, TEXT, SamplingSettings(), v), [*COUNTS, 401]),
    "copies of a loop": (lambda m, v: looping(m, TEXT, SamplingSettings(), 40, v), [*COUNTS, 1, 11]),
    "texts that loop": (lambda m, v: looping_runs([m], runs=v), [*COUNTS, 61]),
}
PROMPTS: Prompts = {
    "loop": lambda m, text: looping(m, text, SamplingSettings()),
}
