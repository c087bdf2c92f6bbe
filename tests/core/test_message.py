"""Messages: English text that keeps its template and values, in memory, in copies and in files."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from core.errors import BadRecording, CannotWrite, NotForThisModel, ViewerError
from core.experiments.shared.result_file import Sentence
from core.message import Message, Number, quote

STORED: TypeAdapter[str] = TypeAdapter(Sentence)
SENTENCE = Message("{count} tokens of {name} at {share}", count=12345, name=quote("gpt2"), share=Number(0.25, ".1f"))


def test_a_message_reads_as_english() -> None:
    assert SENTENCE == "12,345 tokens of “gpt2” at 0.2"
    assert Message("{braces} stay without parameters") == "{braces} stay without parameters"


@pytest.mark.parametrize(
    "kept", [copy.deepcopy(SENTENCE), pickle.loads(pickle.dumps(SENTENCE)), STORED.validate_json(STORED.dump_json(SENTENCE))]
)
def test_a_copy_keeps_template_and_values(kept: Message) -> None:
    assert (kept, kept.template, kept.parameters) == (SENTENCE, SENTENCE.template, SENTENCE.parameters)


@pytest.mark.parametrize("kind", [BadRecording, CannotWrite, NotForThisModel])
def test_an_error_takes_the_arguments_of_a_message_or_a_message(kind: type[ViewerError]) -> None:
    for error in (kind("{count} tokens", count=12345), kind(Message("{count} tokens", count=12345))):
        (kept,) = pickle.loads(pickle.dumps(error)).args
        assert str(error) == kept == "12,345 tokens"
        assert (kept.template, kept.parameters) == ("{count} tokens", {"count": 12345})


@pytest.mark.parametrize(
    "held",
    [
        {"template": "{a.__class__}", "parameters": {"a": "x"}},
        {"template": "{a[0]}", "parameters": {"a": "x"}},
        {"template": "{a:>999999999}", "parameters": {"a": 1}},
        {"template": "{a}", "parameters": {}},
        {"template": "no field", "parameters": {"a": 1}},
        {"template": "{a}", "parameters": {"a": None}},
        {"template": 7, "parameters": {}},
        {"template": "{a}"},
        {"template": "{a}", "parameters": {"a": {"value": 1, "spec": ">99999999"}}},
        {"template": "{a}", "parameters": {"a": {"value": "1", "spec": "g"}}},
        {"template": "{a}", "parameters": {"a": {"template": "{b.real}", "parameters": {"b": 1}}}},
        ["{a}", {"a": 1}],
    ],
)
def test_a_hostile_message_in_a_file_is_refused(held: Any) -> None:
    with pytest.raises(ValidationError):
        STORED.validate_json(json.dumps(held))
