"""The sampling settings as the parameters of llama-server and vLLM and the arguments of transformers, by the names in the table."""

from __future__ import annotations

import json
from typing import Any

from core.errors import BadSetting
from core.message import Message
from core.sampling.constraint.lark_grammar import choices_of, lark_of, schema_of
from core.sampling.observation import last_n
from core.sampling.settings import SETTINGS, STAGES, SamplingSettings

WHOLE_TEXT = 1_000_000  # tokens; more than any context


def parameters(engine: str, settings: SamplingSettings) -> dict[str, Any]:
    """Return the parameters of a request. engine: "vllm" or "llama.cpp". Raises BadSetting for settings that the engine does not have."""
    if missing := settings.missing_in(engine):
        engine_name = {"vllm": "vLLM"}.get(engine, engine)
        raise BadSetting("{engine} does not have these settings: {names}. Switch them off.", engine=engine_name, names=", ".join(missing))
    values = named(engine, settings) | {"temperature": 0.0 if settings.greedy else settings.temperature}
    return values | (_of_llama_cpp(settings) if engine == "llama.cpp" else {}) | _constraint(engine, settings.constraint)


def named(engine: str, settings: SamplingSettings) -> dict[str, Any]:
    """Return the settings by their names in an engine, in the form in which it takes them."""
    values = {}
    for row in SETTINGS.values():
        if engine in row.engines and (row.text is None or engine in row.sent):
            value = getattr(settings, row.name)
            values[row.engines[engine]] = row.sent[engine](value) if engine in row.sent else value
    return {name: value for name, value in values.items() if value is not None}


def _constraint(engine: str, constraint: str) -> dict[str, Any]:
    """Return the parameter of a constraint. Raises BadSetting for a kind that the engine does not take as it is."""
    if not constraint:
        return {}
    kind, _colon, text = constraint.partition(":")
    lark_of(constraint)
    if kind in ("schema", "example"):
        schema = json.loads(text) if kind == "schema" else schema_of(json.loads(text))
        return {"json_schema": schema} if engine == "llama.cpp" else {"structured_outputs": {"json": schema}}
    if kind == "choices":
        choices = choices_of(text)
        if engine == "llama.cpp":
            return {"grammar": f"root ::= [ ]? ({' | '.join(json.dumps(choice, ensure_ascii=False) for choice in choices)})"}
        return {"structured_outputs": {"choice": [*choices, *(f" {choice}" for choice in choices)]}}
    if kind == "regex" and engine == "vllm":
        return {"structured_outputs": {"regex": text}}
    names = {"regex": Message("regular expressions"), "lark": Message("Lark grammars")}
    raise BadSetting(
        "This server does not accept {names} as a constraint. Use choices, a JSON schema or a JSON example.", names=names[kind]
    )


def _of_llama_cpp(settings: SamplingSettings) -> dict[str, Any]:
    """Return the parameters of llama-server that follow from several settings."""
    reads = last_n(settings) or WHOLE_TEXT
    return {
        "samplers": list(dict.fromkeys(filter(None, (STAGES[name].in_llama_cpp for name in settings.stage_order)))),
        "repeat_last_n": reads,
        "dry_penalty_last_n": reads,
        "mirostat": 2 if settings.mirostat_tau else 0,
    }
