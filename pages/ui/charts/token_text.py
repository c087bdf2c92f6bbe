"""Tokens inside a text: the token that `scored_text` draws, and the visible characters of a token."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

from core.tokens.visible_text import visible_text
from pages.ui.charts.palette import DARKEST


@dataclass(frozen=True, slots=True)
class Word:
    """One token of a scored text.

    colour: name in the palette; depth: 0 (no tint) to 1. below: small text under it. head, lines, bars: its card; a bar is
    (name, share 0-1, number, chosen).
    """

    text: str
    colour: str = "dice"
    depth: float = 0.0
    marked: bool = False
    head: str = ""
    lines: tuple[str, ...] = ()
    bars: tuple[tuple[str, float, str, bool], ...] = ()
    below: str = ""

    @classmethod
    def signed(cls, text: str, value: float, largest: float, **parts: Any) -> Self:
        """Return a token tinted by a number: blue from 0 on, plum below it, darkest from plus or minus `largest` on."""
        depth = min(1.0, abs(value) / largest) if math.isfinite(value) else 1.0
        return cls(text, "other" if value < 0 else "dice", DARKEST * depth, **parts)


def shown(text: str, displayed: str, raw: bytes) -> str:
    """Return a token as the text shows it: `displayed`, or the character that it completes and the bytes of one that it begins.

    >>> shown("🦊", "⟨A6⟩⟨8A⟩", b"\\xa6\\x8a"), shown(" ", "␣⟨F0⟩⟨9F⟩", b" \\xf0\\x9f")
    ('🦊', '␣⟨F0⟩⟨9F⟩')
    """
    encoded = text.encode()
    if not text or encoded == raw:
        return displayed
    used = next((count for count in range(len(raw), 0, -1) if encoded.endswith(raw[:count])), len(raw))
    return visible_text(encoded) + visible_text(raw[used:])
