"""In which order the stages of sampling are applied: the order of each engine, or one of your own.

The orders of the engines were read from transformers 5.23 (`GenerationMixin._get_logits_processor`), llama.cpp
(`common_params_sampling`) and vLLM's documentation (V1). llama.cpp first draws without its grammar (the constraint) and draws again with
the grammar first if the token does not fit. Only the second draw is in its order here. A stage that an engine does not have stands where
it has the same effect as in the other engines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from core.checked_number import shown
from core.errors import BadSetting
from core.sampling.settings_row import ENGINES, Stage

# fmt: off
ENGINE_ORDERS: Final[dict[str, tuple[str, ...]]] = {
    "transformers": (
        "logit bias", "repetition penalty", "frequency penalty", "presence penalty", "no-repeat n-gram", "DRY", "constraint",
        "top-n-sigma", "temperature", "top-k", "top-p", "min-p", "typical-p", "epsilon", "eta", "XTC", "mirostat", "watermark",
    ),
    "llama.cpp": (
        "constraint", "logit bias", "repetition penalty", "frequency penalty", "presence penalty", "no-repeat n-gram", "DRY",
        "top-n-sigma", "top-k", "typical-p", "top-p", "min-p", "epsilon", "eta", "XTC", "temperature", "mirostat", "watermark",
    ),
    "vllm": (
        "constraint", "logit bias", "repetition penalty", "frequency penalty", "presence penalty", "no-repeat n-gram", "DRY",
        "top-n-sigma", "temperature", "min-p", "top-k", "top-p", "typical-p", "epsilon", "eta", "XTC", "mirostat", "watermark",
    ),
}
# fmt: on


def of_engines(stages: Mapping[str, Stage]) -> dict[str, tuple[str, ...]]:
    """Return the names of all stages of the table in the order of each engine.

    A stage that `ENGINE_ORDERS` does not name, of a new sampler, stands behind the last one of its kind; without any, before the watermark.
    """
    return {engine: _with_new(ENGINE_ORDERS[engine], stages) for engine in ENGINES}


def _with_new(order: Sequence[str], stages: Mapping[str, Stage]) -> tuple[str, ...]:
    """Return the order with the stages that it does not name, each as the table has it: a name can be a `Message`."""
    as_in_table = {name: name for name in stages}
    names = [as_in_table[name] for name in order]
    for name, stage in stages.items():
        if name not in order:
            alike = [index for index, other in enumerate(names) if stages[other].kind == stage.kind]
            names.insert(alike[-1] + 1 if alike else names.index("watermark"), name)
    return tuple(names)


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
