"""The sampling settings as llama-server's and vLLM's own parameters, for answers that the server itself samples."""

from __future__ import annotations

import json
import math
from typing import Any

from core.errors import BadSetting
from core.message import Message
from core.sampling.constraint.source import choices_of, lark_of, schema_of
from core.sampling.history import last_n
from core.settings import SamplingSettings
from core.stage_orders import MISSING

WHOLE_TEXT = 1_000_000  # tokens; more than any context
LLAMA_CPP = {
    "repetition penalty": "penalties",
    "frequency penalty": "penalties",
    "presence penalty": "penalties",
    "DRY": "dry",
    "top-n-sigma": "top_n_sigma",
    "temperature": "temperature",
    "top-k": "top_k",
    "top-p": "top_p",
    "min-p": "min_p",
    "typical-p": "typ_p",
    "XTC": "xtc",
}


def parameters(engine: str, settings: SamplingSettings) -> dict[str, Any]:
    """Return the parameters of a request. engine: "vllm" or "llama.cpp". Raises BadSetting for settings that the engine does not have."""
    missing = [name for name in settings.active_stages if name in MISSING[engine]]
    if missing:
        raise BadSetting("This server does not have these samplers: {names}. Switch them off.", names=", ".join(missing))
    common = {
        "temperature": 0.0 if settings.greedy else settings.temperature,
        "top_k": settings.top_k,
        "top_p": settings.top_p,
        "min_p": settings.min_p,
        "presence_penalty": settings.presence_penalty,
        "frequency_penalty": settings.frequency_penalty,
        "seed": settings.seed,
    }
    own = _llama_cpp(settings) if engine == "llama.cpp" else _vllm(settings)
    return common | own | (_constraint(engine, settings.constraint) if settings.constraint else {})


def _constraint(engine: str, constraint: str) -> dict[str, Any]:
    """Return the parameter of a constraint. Raises BadSetting for a kind that the engine does not take as it is."""
    kind, _colon, text = constraint.partition(":")
    lark_of(constraint)
    if kind in ("schema", "example"):
        schema = json.loads(text) if kind == "schema" else schema_of(json.loads(text))
        return {"json_schema": schema} if engine == "llama.cpp" else {"structured_outputs": {"json": schema}}
    if kind == "choices":
        named = choices_of(text)
        if engine == "llama.cpp":
            return {"grammar": f"root ::= [ ]? ({' | '.join(json.dumps(one, ensure_ascii=False) for one in named)})"}
        return {"structured_outputs": {"choice": [*named, *(f" {one}" for one in named)]}}
    if kind == "regex" and engine == "vllm":
        return {"structured_outputs": {"regex": text}}
    names = {"regex": Message("regular expressions"), "lark": Message("Lark grammars")}
    raise BadSetting(
        "This server does not accept {names} as a constraint. Use choices, a JSON schema or a JSON example.", names=names[kind]
    )


def _vllm(settings: SamplingSettings) -> dict[str, Any]:
    bias = {str(token_id): max(number, -100.0) for token_id, number in settings.biases}
    return {"repetition_penalty": settings.repetition_penalty} | ({"logit_bias": bias} if bias else {})


def _llama_cpp(settings: SamplingSettings) -> dict[str, Any]:
    reads = last_n(settings) or WHOLE_TEXT
    order = dict.fromkeys(LLAMA_CPP[name] for name in settings.stage_order if name in LLAMA_CPP)
    return {
        "samplers": list(order),
        "repeat_penalty": settings.repetition_penalty,
        "repeat_last_n": reads,
        "typical_p": settings.typical_p,
        "top_n_sigma": settings.top_n_sigma or -1.0,
        "xtc_probability": settings.xtc_probability,
        "xtc_threshold": settings.xtc_threshold,
        "dynatemp_range": settings.dynatemp_range,
        "dynatemp_exponent": settings.dynatemp_exponent,
        "dry_multiplier": settings.dry_multiplier,
        "dry_base": settings.dry_base,
        "dry_allowed_length": settings.dry_allowed_length,
        "dry_penalty_last_n": reads,
        "dry_sequence_breakers": list(settings.dry_sequence_breakers) or ["\x00"],
        "mirostat": 2 if settings.mirostat_tau else 0,
        "mirostat_tau": settings.mirostat_tau or 5.0,
        "mirostat_eta": settings.mirostat_eta,
        "logit_bias": [[token_id, False if math.isinf(number) else number] for token_id, number in settings.biases],
    }
