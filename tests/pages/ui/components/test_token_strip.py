"""The sentence: only what is new is worked out, and what is shown is the same as if all were."""

from __future__ import annotations

from typing import Any

import pytest

from pages.ui.charts.step_tables import shown
from pages.ui.components.token_strip import token_strip


@pytest.mark.parametrize(
    ("text", "piece", "raw", "said"),
    [
        (" fox", "␣fox", b" fox", "␣fox"),
        ("🦊", "⟨A6⟩⟨8A⟩", b"\xa6\x8a", "🦊"),
        (" ", "␣⟨F0⟩⟨9F⟩", b" \xf0\x9f", "␣⟨F0⟩⟨9F⟩"),
        ("🦊 ", "⟨8A⟩␣⟨F0⟩", b"\x8a \xf0", "🦊␣⟨F0⟩"),
        ("", "⟨F0⟩", b"\xf0", "⟨F0⟩"),
        ("⟨FF⟩", "⟨FF⟩", b"\xff", "⟨FF⟩"),
        ("⟨F0⟩ab", "ab", b"ab", "⟨F0⟩ab"),
    ],
)
def test_a_token_that_only_begins_a_character_shows_its_bytes(text: str, piece: str, raw: bytes, said: str) -> None:
    assert shown(text, piece, raw) == said


def test_of_a_long_text_the_newest_part_is_drawn_and_the_rest_is_a_click_away() -> None:
    told: dict[str, Any] = {}
    prompt: Any = [None] * 1_000

    def first(steps: int, opened: int | None = None) -> int:
        return token_strip._first(prompt[: token_strip.WINDOW // 2], [None] * steps, "strip", opened, told)  # type: ignore[list-item]

    assert first(token_strip.WINDOW // 2) == 0
    starts = [first(steps) for steps in range(8_000)]
    counts = [token_strip.WINDOW // 2 + steps - start for steps, start in enumerate(starts)]
    assert max(counts) < token_strip.WINDOW + token_strip.BLOCK
    assert len(set(starts)) < 8_000 / token_strip.BLOCK + 2  # in between the sentence only grows
    assert first(8_000, opened=10) <= token_strip.WINDOW // 2 + 10 <= first(8_000, opened=10) + token_strip.WINDOW
    told["strip whole"] = True
    assert first(8_000) == 0
    assert first(3) == 0
    assert not told  # a new text begins with a window again
