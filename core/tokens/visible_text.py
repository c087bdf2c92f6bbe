"""How the bytes of a token are displayed: spaces, line breaks, invisible characters and incomplete characters get visible signs."""

from __future__ import annotations

import codecs
import unicodedata

BYTES_SHOWN = "token-bytes"  # codec error handler that writes undecodable bytes as ⟨E2⟩
_VISIBLE = {" ": "␣", "\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽", "\u200b": "⟨ZWSP⟩", "\u200d": "⟨ZWJ⟩", "\ufeff": "⟨BOM⟩"}
_FILLERS = "\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800"  # letters without a shape
_JOINING = "\u200c"  # changes the letters on both sides
_SELECTORS = "".join(map(chr, [*range(0xFE00, 0xFE10), *range(0x180B, 0x180E), *range(0xE0100, 0xE01F0)]))  # change the character before
_NAMES = {"\u200c": "⟨ZWNJ⟩", "\ufe0e": "⟨VS15⟩", "\ufe0f": "⟨VS16⟩"}


def _write_bytes(error: UnicodeError) -> tuple[str, int]:
    """Write undecodable bytes as ⟨E2⟩ instead of a replacement character (a codec error handler)."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(f"⟨{byte:02X}⟩" for byte in error.object[error.start : error.end]), error.end


codecs.register_error(BYTES_SHOWN, _write_bytes)


def visible_text(raw: bytes) -> str:
    """Return how a token's bytes are displayed: readable characters as they are, whitespace and undecodable bytes made visible.

    >>> visible_text(b" fox\\n"), visible_text(b"\\xa6\\x8a")
    ('␣fox↵', '⟨A6⟩⟨8A⟩')
    """
    if raw.isascii() and (text := raw.decode()).isprintable():  # nearly all tokens
        return text.replace(" ", _VISIBLE[" "])
    text = raw.decode("utf-8", BYTES_SHOWN)
    return "".join(_visible(c, text[i - 1] if i else "") for i, c in enumerate(text))


def _visible(c: str, before: str) -> str:
    """Return one character of a token, or its name if it cannot be seen after the character before it ("" at the start of the token)."""
    if c in _VISIBLE:
        return _VISIBLE[c]
    if c in _FILLERS or not (c.isprintable() or c in _JOINING):
        return f"⟨U+{ord(c):04X}⟩"
    alone = not before or before.isspace()
    if alone and (c in _JOINING or c in _SELECTORS):
        return _NAMES.get(c) or f"⟨U+{ord(c):04X}⟩"
    return f"◌{c}" if alone and unicodedata.category(c).startswith("M") else c
