"""Tokens as they stand in a text: the word that a strip shows, and the characters of a token."""

from __future__ import annotations

from dataclasses import dataclass

from core.tokens.tokens import written


@dataclass(frozen=True, slots=True)
class Word:
    """One token on the strip.

    colour: its name in the palette; depth: 0 (bare) to 1. below: small text under it. head, lines, bars: what its card says; a bar is
    (name, share 0-1, number, taken).
    """

    text: str
    colour: str = "dice"
    depth: float = 0.0
    marked: bool = False
    head: str = ""
    lines: tuple[str, ...] = ()
    bars: tuple[tuple[str, float, str, bool], ...] = ()
    below: str = ""


def shown(text: str, piece: str, raw: bytes) -> str:
    """A token as it stands in the text: its piece, or the character that it completes, and the bytes of one that it only begins.

    >>> shown("🦊", "⟨A6⟩⟨8A⟩", b"\\xa6\\x8a"), shown(" ", "␣⟨F0⟩⟨9F⟩", b" \\xf0\\x9f")
    ('🦊', '␣⟨F0⟩⟨9F⟩')
    """
    said = text.encode()
    if not text or said == raw:
        return piece
    told = next((count for count in range(len(raw), 0, -1) if said.endswith(raw[:count])), len(raw))
    return written(said) + written(raw[told:])
