"""The sampling settings that a model's makers recommend: those in its generation_config.json, or in the metadata of a GGUF file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import BadSetting
from core.sampling.settings import SETTINGS, SamplingSettings

# Names in generation_config.json that are the settings' own; `greedy` and `logit_bias` have others there.
NAMES = tuple(name for name, row in SETTINGS.items() if row.engines.get("transformers") == name)
_IN_GGUF = {"temp": "temperature", "top_k": "top_k", "top_p": "top_p", "min_p": "min_p", "penalty_repeat": "repetition_penalty"}


def recommended_in(folder: Path) -> SamplingSettings | None:
    """Return the settings in a model's folder; None if it recommends none."""
    try:
        values = json.loads((folder / "generation_config.json").read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return recommended(values) if isinstance(values, dict) else None


def recommended(values: Mapping[str, Any]) -> SamplingSettings | None:
    """Return the settings in this configuration; None if it names none, or one that is not valid.

    `do_sample` false with settings of the dice is what transformers writes for a model that was only saved, so it is read as greedy only
    where nothing else is named.

    >>> recommended({"temperature": 0.6, "top_p": 0.95, "eos_token_id": 2})
    SamplingSettings(temperature=0.6, top_p=0.95)
    """
    named = {name: values[name] for name in NAMES if values.get(name) is not None}
    try:
        if named.get("temperature") == 0:  # written for greedy by some makers
            return SamplingSettings(greedy=True)
        settings = SamplingSettings(**named)
    except (BadSetting, TypeError):
        return None
    if settings == SamplingSettings():
        return SamplingSettings(greedy=True) if values.get("do_sample") is False else None
    return settings


def from_gguf(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the recommended settings in a GGUF file's metadata, as generation_config.json names them."""
    return {name: metadata[f"general.sampling.{key}"] for key, name in _IN_GGUF.items() if f"general.sampling.{key}" in metadata}
