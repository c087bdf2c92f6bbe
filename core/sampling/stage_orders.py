"""In which order the stages of sampling are applied: the order of each engine, or one of your own.

The orders of the engines were read from transformers 5.23 (`GenerationMixin._get_logits_processor`), llama.cpp
(`common_params_sampling`) and vLLM's documentation (V1). llama.cpp first draws without its grammar (the constraint) and draws again with
the grammar first if the token does not fit. Only the second draw is in its order here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.checked_number import shown
from core.errors import BadSetting
from core.sampling.settings_row import ENGINES, Stage


def of_engines(stages: Mapping[str, Stage]) -> dict[str, tuple[str, ...]]:
    """Return the names of the stages in the order of each engine: by their `places`, from the table of settings."""
    return {engine: tuple(sorted(stages, key=lambda name: stages[name].places[index])) for index, engine in enumerate(ENGINES)}


def checked(order: Any, stages: Iterable[str]) -> str | tuple[str, ...]:
    """Return the order with plain values: an engine, or names of stages. Raises BadSetting for an unknown or repeated name."""
    if isinstance(order, str) and order in ENGINES:
        return order
    if isinstance(order, str) or not isinstance(order, Sequence) or not all(isinstance(name, str) for name in order):
        raise BadSetting("Order must be transformers, llama.cpp, vllm or the names of the stages, not {shown}.", shown=shown(order))
    for index, name in enumerate(order):
        if name not in stages:
            raise BadSetting("Order names {shown}, which is not a stage.", shown=shown(name))
        if name in order[:index]:
            raise BadSetting("Order names {name} twice.", name=name)
    return tuple(order)


def read(text: str, stages: Iterable[str]) -> str | tuple[str, ...]:
    """Return the order of a text: an engine, or names of stages with commas. Stages that it does not name come last."""
    if "," not in text:
        return text
    named = tuple(name.strip() for name in text.split(","))
    return named + tuple(name for name in stages if name not in named)


def write(order: str | Sequence[str]) -> str:
    """Return the text of an order."""
    return order if isinstance(order, str) else ",".join(order)
