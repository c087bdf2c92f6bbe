"""A constraint in the parameters of a server: handed over in the server's own form, or refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import BadSetting
from core.remote.sampling_parameters import parameters
from core.sampling.settings import SETTINGS, SamplingSettings
from core.sampling.settings_row import Setting

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}


@pytest.mark.parametrize(
    ("engine", "constraint", "expected"),
    [
        ("llama.cpp", 'schema:{"type": "null"}', {"json_schema": {"type": "null"}}),
        ("llama.cpp", 'example:{"a": 1}', {"json_schema": SCHEMA}),
        ("llama.cpp", 'choices:yes\nn"o', {"grammar": 'root ::= [ ]? ("yes" | "n\\"o")'}),
        ("vllm", 'example:{"a": 1}', {"structured_outputs": {"json": SCHEMA}}),
        ("vllm", "choices:yes\nno", {"structured_outputs": {"choice": ["yes", "no", " yes", " no"]}}),
        ("vllm", "regex:a+", {"structured_outputs": {"regex": "a+"}}),
    ],
)
def test_a_constraint_is_handed_over(engine: str, constraint: str, expected: dict[str, Any]) -> None:
    found = parameters(engine, SamplingSettings(constraint=constraint))
    assert expected.items() <= found.items()
    without = parameters(engine, SamplingSettings())
    assert {name: value for name, value in found.items() if name not in expected} == without


@pytest.mark.parametrize(
    ("engine", "constraint", "names"),
    [
        ("llama.cpp", "regex:a", "regular expressions"),
        ("llama.cpp", 'lark:start: "a"', "Lark grammars"),
        ("vllm", 'lark:start: "a"', "Lark"),
    ],
)
def test_a_kind_that_the_server_does_not_take_is_refused(engine: str, constraint: str, names: str) -> None:
    with pytest.raises(BadSetting, match=f"This server does not accept {names}"):
        parameters(engine, SamplingSettings(constraint=constraint))


@pytest.mark.parametrize("engine", ["llama.cpp", "vllm"])
def test_a_form_that_cannot_be_used_is_refused_before_it_is_sent(engine: str) -> None:
    with pytest.raises(BadSetting, match="JSON schema, line 1"):
        parameters(engine, SamplingSettings(constraint="schema:{"))


@pytest.mark.parametrize(
    ("engine", "row"), [(engine, row) for row in SETTINGS.values() for engine in row.engines if engine in ("llama.cpp", "vllm")]
)
def test_the_number_of_every_row_arrives_in_the_request(engine: str, row: Setting) -> None:
    if row.text is not None or row.control is None:
        return
    changed: dict[str, Any] = {row.name: row.control[1]}
    sent = parameters(engine, SamplingSettings(**changed))
    assert sent[row.engines[engine]] == changed[row.name], f"something overwrites {row.name}"
