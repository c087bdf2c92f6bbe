"""Impossible input to any experiment is refused with one sentence of the right kind, before anything is computed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadSetting, EmptyPrompt, ModelError, NotForThisModel, PromptTooLong
from core.sources.recorded_source import RecordedSource
from tests.core.experiments import impossible
from tests.core.experiments.impossible import TEXT, Prompts, Settings, refused

LONG = "word " * 900
PAGES = [import_module(f"{impossible.__name__}.{file.stem}") for file in sorted(Path(impossible.__file__).parent.glob("[a-z]*.py"))]
SETTINGS: Settings = {name: row for page in PAGES for name, row in getattr(page, "SETTINGS", {}).items()}
PROMPTS: Prompts = {name: call for page in PAGES for name, call in getattr(page, "PROMPTS", {}).items()}


@pytest.mark.parametrize("name", SETTINGS)
def test_an_impossible_setting_gets_one_sentence(name: str, tiny: Any) -> None:
    call, values = SETTINGS[name]
    for value in values:
        refused(lambda value=value: call(tiny("llama"), value), BadSetting)  # type: ignore[misc]


@pytest.mark.parametrize("name", PROMPTS)
def test_an_empty_or_too_long_prompt_gets_one_sentence(name: str, tiny: Any) -> None:
    refused(lambda: PROMPTS[name](tiny("llama"), ""), EmptyPrompt)
    refused(lambda: PROMPTS[name](tiny("llama"), LONG), PromptTooLong)


@pytest.mark.parametrize("name", sorted(PROMPTS.keys() & {"speculation", "watch"}))
def test_a_model_without_keys_and_values_per_token_gets_one_sentence(name: str, tiny: Any) -> None:
    refused(lambda: PROMPTS[name](tiny("mamba"), TEXT), ModelError)


@pytest.mark.parametrize("name", sorted(PROMPTS.keys() & {"beam search", "tries"}))
def test_a_source_without_new_tokens_gets_one_sentence(name: str) -> None:
    refused(lambda: PROMPTS[name](RecordedSource("a recording", "cpu", "float32"), TEXT), NotForThisModel)
