"""Tokens in a text: what is shown of a token that is no whole character."""

from __future__ import annotations

import pytest

from pages.ui.charts.step_tables import shown


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
