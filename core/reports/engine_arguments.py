"""The sampling settings as the arguments of other engines, to be copied."""

from __future__ import annotations

import json
import math
from typing import Any

from core.remote.sampling_parameters import named, parameters
from core.sampling.samplers.watermark import configuration
from core.sampling.settings import MISSING, SETTING_OF, SamplingSettings

HEADS = {
    "transformers": "model.generate(**inputs, ",
    "vllm": "SamplingParams(",
}


def arguments(engine: str, settings: SamplingSettings) -> str:
    """Return the settings for "transformers" (`generate`), "vllm" (`SamplingParams`) or "llama.cpp" (the body of a request), as code.

    Each value is written, also of a sampler that is off, because the engines switch some on by default. The dice are the engine's own, so
    the same seed gives another text. Raises BadSetting for settings that vLLM or llama.cpp does not have.
    """
    if engine == "llama.cpp":
        return json.dumps(parameters(engine, settings), ensure_ascii=False, indent=1)
    values = parameters(engine, settings) if engine == "vllm" else _transformers(settings)
    missing = [name for name in settings.active_stages if name in MISSING[engine]]
    lines = [f"# {engine} does not have: {', '.join(missing)}"] * bool(missing)
    written = ", ".join(f"{name}={_code(value)}" for name, value in values.items())
    return "\n".join([*lines, f"{HEADS[engine]}{written})"])


def _transformers(settings: SamplingSettings) -> dict[str, Any]:
    """Return the arguments of `generate`. A constraint needs a processor of another library, so it is left out."""
    usual = ("temperature", "top_k", "top_p")  # `generate` switches these on, or a model's own configuration does
    replaced = {*usual, *(SETTING_OF[name] for name in settings.without_effect)} if settings.greedy else set()
    changed = {row.name for row in settings.changed()}
    values: dict[str, Any] = {"do_sample": not settings.greedy}
    values |= {
        name: value
        for name, value in named("transformers", settings).items()
        if name not in replaced and (name in usual or name in changed)
    }
    if settings.biases:
        values["sequence_bias"] = [[[token_id], -1e9 if math.isinf(number) else number] for token_id, number in settings.biases]
    if "watermark" in settings.active_stages:
        values["watermarking_config"] = configuration(settings)
    return values


def _code(value: Any) -> str:
    """Return a value as code; a configuration of transformers as its class with its arguments."""
    return f"{type(value).__name__}(**{value.to_dict()!r})" if hasattr(value, "to_dict") else repr(value)
