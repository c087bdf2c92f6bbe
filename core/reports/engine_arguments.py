"""The sampling settings as the arguments of other engines, to be copied."""

from __future__ import annotations

import json
import math
from typing import Any

from core.remote.sampling_parameters import parameters
from core.settings import SamplingSettings
from core.stage_orders import MISSING

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
    made = ", ".join(f"{name}={value!r}" for name, value in values.items())
    return "\n".join([*lines, f"{HEADS[engine]}{made})"])


def _transformers(settings: SamplingSettings) -> dict[str, Any]:
    """Return the arguments of `generate`. A constraint needs a processor of another library, so it is left out."""
    values: dict[str, Any] = {"do_sample": not settings.greedy}
    if not settings.greedy:
        values |= {"temperature": settings.temperature, "top_k": settings.top_k, "top_p": settings.top_p}
        optional = {"min_p": 0.0, "typical_p": 1.0, "epsilon_cutoff": 0.0, "eta_cutoff": 0.0}
        values |= {name: getattr(settings, name) for name, off in optional.items() if getattr(settings, name) != off}
    usual = {"repetition_penalty": 1.0, "no_repeat_ngram_size": 0}
    values |= {name: getattr(settings, name) for name, off in usual.items() if getattr(settings, name) != off}
    if settings.biases:
        values["sequence_bias"] = [[[token_id], -1e9 if math.isinf(number) else number] for token_id, number in settings.biases]
    return values
