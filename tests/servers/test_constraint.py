"""A real llama-server takes a constraint as our own stage has it: greedy, both write the same text; JSON fulfils its schema."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from core import Generation, SamplingSettings
from core.experiments.batching.burst import stream
from core.remote.http_client import HttpClient

pytestmark = pytest.mark.exhaustive
PROMPT = "Once upon a time there was a"
CHOICES = ["cat\ndog", "little girl named Lily\nbig bear", "x\ny 🦊\nz", " a\n b c", 'he said "hi"\nback\\slash']


def written(line: HttpClient, model: Any, settings: SamplingSettings) -> str:
    return "".join(piece.text for piece in stream(line, "llama-server", "m", model.encode(PROMPT), settings, 200))


@pytest.mark.parametrize("choices", CHOICES)
def test_choices_give_the_same_greedy_text(choices: str, line: HttpClient, local: Any) -> None:
    settings = SamplingSettings(constraint=f"choices:{choices}", greedy=True)
    run = Generation(local, PROMPT, settings)
    run.generate(60)
    assert run.finished == "end of text"
    assert written(line, local, settings) == run.written


def test_json_fulfils_its_schema(line: HttpClient, local: Any) -> None:
    schema = {"type": "object", "properties": {"name": {"enum": ["Ann", "Tom"]}, "age": {"type": "integer", "minimum": 1, "maximum": 9}},
              "required": ["name", "age"], "additionalProperties": False}  # fmt: skip
    for seed in range(5):
        text = written(line, local, SamplingSettings(constraint=f"schema:{json.dumps(schema)}", seed=seed))
        jsonschema.validate(json.loads(text), schema)


@pytest.mark.parametrize("choices", ["🦊", "cat\ndog"])
def test_a_run_over_the_server_s_lists_takes_the_form(choices: str, served: Any, local: Any) -> None:
    """Tokens that a constraint forces are often far from the likeliest, so the server is asked for them by their id."""
    settings = SamplingSettings(constraint=f"choices:{choices}", greedy=True)
    run, own = Generation(served, PROMPT, settings), Generation(local, PROMPT, settings)
    run.generate(8)
    own.generate(8)
    assert run.written.strip() in choices.split("\n")
    assert run.written == own.written
