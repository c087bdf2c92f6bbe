"""One run delivered twice: as a stream that a filter stops, and as a whole answer after the wait."""

from __future__ import annotations

from typing import Any

import pytest

from core import Generation
from core.errors import BadSetting
from core.experiments.waiting.streamed_or_buffered import deliver, moments, words_of

TEXT = " the old man and the sea. The cattle and the cat went home."


@pytest.fixture
def path(tiny: Any) -> Any:
    run = Generation(tiny("gpt2"), "go")
    model: Any = run.model
    for token in model.encode(TEXT):
        run.force(token)
    return run.path


def test_without_a_filter_both_give_everything(path: Any) -> None:
    seen = list(moments(path))
    assert seen[-1].streamed == TEXT
    assert [m.seconds for m in seen] == pytest.approx([sum(s.forward.seconds for s in path[: i + 1]) for i in range(len(path))])
    both = deliver(path)
    assert both.already_seen == TEXT
    assert both.found is both.found_at is None
    assert 0 < both.first_token < both.total


def test_the_stream_has_shown_the_word_before_the_filter_knows(path: Any) -> None:
    both = deliver(path, ["CAT", "dog"])
    assert both.found == "cat"
    assert both.found_at is not None
    assert "the cat" in both.already_seen
    assert "cattle" in both.already_seen, "a word that only begins like it is none"
    before = "".join(step.text for step in path[: both.found_at])
    assert before.endswith("cat"), "the word was readable one token before it was known to be complete"
    assert list(moments(path, ["cat"]))[-1].index == both.found_at


def test_words_are_words_not_patterns(path: Any) -> None:
    for wild in (".*", "(", "[a-z]+", "\\w", "$", "cat|", "^"):
        assert deliver(path, [wild]).found is None
    assert deliver(path, ["old man"]).found == "old man"
    assert deliver(path, ["sea."]).found is None or deliver(path, ["sea."]).found == "sea."
    assert deliver(path, ["", "  ", None, 7]).found is None  # type: ignore[list-item]


def test_words_as_a_visitor_types_them() -> None:
    assert words_of(" thief, fire\n\nbig bad wolf ,,") == ["thief", "fire", "big bad wolf"]
    assert words_of("") == []
    for wild in ("x" * 61, "a," * 51, "🦊" * 100):
        with pytest.raises(BadSetting):
            words_of(wild)
