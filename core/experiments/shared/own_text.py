"""A model's own text: a prompt and its greedy continuation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from core.engine.model import LanguageModel
from core.generation.generation import generated
from core.sampling.settings import SamplingSettings


def own_text(model: LanguageModel, prompt: str, length: int = 96) -> str:
    """Return the prompt and the model's greedy continuation of it, a text that is typical for the model."""
    return prompt + generated(model, prompt, SamplingSettings(greedy=True), length).written


def along_own_text(measure: Callable[..., Iterator[Any]], model: LanguageModel, prompt: str, *args: object) -> Iterator[Any]:
    """Yield the observations of `measure(model, text, *args)`, where the text is the model's own after `prompt`."""
    yield from measure(model, own_text(model, prompt), *args)
