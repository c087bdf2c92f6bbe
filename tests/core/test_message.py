"""Messages: English text that keeps its template and values, in memory, in copies and in files."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from core.errors import BadRecording, CannotWrite, NotForThisModel, ViewerError
from core.experiments.codec import Reader, Writer
from core.message import Message, Number, quote

SENTENCE = Message("{count} tokens of {name} at {share}", count=12345, name=quote("gpt2"), share=Number(0.25, ".1f"))


def test_a_message_reads_as_english() -> None:
    assert SENTENCE == "12,345 tokens of “gpt2” at 0.2"
    assert Message("{braces} stay without parameters") == "{braces} stay without parameters"


@pytest.mark.parametrize(
    "kept", [copy.deepcopy(SENTENCE), pickle.loads(pickle.dumps(SENTENCE)), Reader([], []).read(Writer().write(SENTENCE))]
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
        {"message": ["{a.__class__}", {"a": "x"}]},
        {"message": ["{a[0]}", {"a": "x"}]},
        {"message": ["{a:>999999999}", {"a": 1}]},
        {"message": ["{a}", {}]},
        {"message": ["no field", {"a": 1}]},
        {"message": ["{a}", {"a": None}]},
        {"message": [7, {}]},
        {"message": ["{a}"]},
        {"number": [1, ">99999999"]},
        {"number": ["1", "g"]},
    ],
)
def test_a_hostile_message_in_a_file_is_refused(held: Any) -> None:
    with pytest.raises(BadRecording):
        Reader([], []).read(held)
