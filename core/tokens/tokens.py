"""Token texts and bytes: what each token adds to the text, and how it is displayed if its bytes are not readable text.

Text is joined from bytes, not from strings. If a tokenizer splits an emoji over three tokens, the text has the emoji, and each token is
displayed as its bytes.
"""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_VISIBLE = {" ": "␣", "\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽", "\u200b": "⟨ZWSP⟩", "\u200d": "⟨ZWJ⟩", "\ufeff": "⟨BOM⟩"}


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a text.

    text: what it adds to the readable text. Empty while a character is incomplete; the token that completes it adds the whole character.
    piece: how it is displayed: `␣` for a space, `↵` for a newline, `⟨E2⟩` for a byte of an incomplete character.
    raw: its bytes. special: it is a control token (start, end, ...), not text.
    """

    token_id: int
    text: str
    piece: str
    raw: bytes
    special: bool = False


def _write_bytes(error: UnicodeError) -> tuple[str, int]:
    """Write undecodable bytes as ⟨E2⟩ instead of a replacement character (a codec error handler)."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(f"⟨{byte:02X}⟩" for byte in error.object[error.start : error.end]), error.end


codecs.register_error("token-bytes", _write_bytes)


class ByteJoiner:
    """Joins tokens to text byte by byte; a character appears with its last byte.

    >>> joiner = ByteJoiner()
    >>> [joiner.add(b"\\xf0\\x9f"), joiner.add(b"\\xa6\\x8a!")]
    ['', '🦊!']
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("token-bytes")

    def add(self, raw: bytes) -> str:
        """Return the text that these bytes complete; bytes that can never become a character are written as ⟨E2⟩."""
        return self._decoder.decode(raw)

    @property
    def waiting(self) -> bytes:
        """Bytes of an incomplete character at the end."""
        return self._decoder.getstate()[0]


def added_by(token: Token, waiting: bytes) -> tuple[str, bytes]:
    """Return the text that a token adds after these bytes of an incomplete character, and the bytes that are then incomplete.

    >>> added_by(Token(7, "", "⟨A6⟩⟨8A⟩", b"\\xa6\\x8a"), b"\\xf0\\x9f")
    ('🦊', b'')
    """
    if not waiting and token.raw.isascii() and not token.special:
        return token.text, b""
    joiner = ByteJoiner()
    joiner.add(waiting)
    return "" if token.special else joiner.add(token.raw), joiner.waiting


def join(raws: list[bytes]) -> str:
    """Return the readable text of these tokens' bytes, without an incomplete character at the end."""
    return ByteJoiner().add(b"".join(raws))


def written(raw: bytes) -> str:
    """Return how a token's bytes are displayed: readable characters as they are, whitespace and undecodable bytes made visible.

    >>> written(b" fox\\n"), written(b"\\xa6\\x8a")
    ('␣fox↵', '⟨A6⟩⟨8A⟩')
    """
    text = raw.decode("utf-8", "token-bytes")
    return "".join(_VISIBLE.get(c) or (c if c.isprintable() or c == "\u200c" else f"⟨U+{ord(c):04X}⟩") for c in text)


def lone_token(token_id: int, raw: bytes, special: bool) -> Token:
    """Return a token without context. A special token such as <|end|> is displayed as ⟨end⟩."""
    if special:
        return Token(token_id, "", f"⟨{raw.decode('utf-8', 'token-bytes').strip('<|>[]▁ ') or 'mark'}⟩", raw, True)
    return Token(token_id, join([raw]), written(raw) or f"⟨{token_id}⟩", raw)


@lru_cache(maxsize=1)
def _byte_alphabet() -> dict[str, int]:
    """Return the bytes of the 256 printable characters of byte-level tokenizers (GPT-2's `bytes_to_unicode`, inverted)."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + i): byte for i, byte in enumerate(others)}


class TokenBytes:
    """The bytes of every token of a tokenizer, looked up once and kept.

    The tokenizer's decoder tells its family: byte-level (GPT-2, Llama 3, Qwen), SentencePiece with byte fallback (Llama 2, Gemma, Mistral),
    or another one, whose tokens are decoded one at a time.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        added = getattr(tokenizer, "added_tokens_decoder", {})
        self._special = frozenset(map(int, tokenizer.all_special_ids)) | {int(i) for i, token in added.items() if token.special}
        self._known: dict[int, bytes] = {}
        self._kind, self._prefix = _family(tokenizer)
        self._added = {int(i) for i in added}

    def is_special(self, token_id: int) -> bool:
        """Return whether this is a special token rather than text."""
        return token_id in self._special

    def __getitem__(self, token_id: int) -> bytes:
        known = self._known.get(token_id)
        if known is None:
            known = self._known[token_id] = self._look_up(token_id)
        return known

    def _look_up(self, token_id: int) -> bytes:
        name = self._tokenizer.convert_ids_to_tokens(token_id)
        if name is None:  # an unused id that pads the model's vocabulary
            return b""
        if token_id in self._special or token_id in self._added:
            return str(name).encode()
        if self._kind == "byte-level":
            alphabet = _byte_alphabet()
            return bytes(alphabet[c] for c in name) if all(c in alphabet for c in name) else str(name).encode()
        if self._kind == "sentence-piece":
            if len(name) == 6 and name.startswith("<0x") and name.endswith(">"):
                return bytes([int(name[3:5], 16)])
            return str(name).replace(self._prefix, " ").encode()
        return str(self._tokenizer.decode([token_id], clean_up_tokenization_spaces=False)).encode()


def _family(tokenizer: Any) -> tuple[str, str]:
    """Return the family of a tokenizer, and the character it writes for a space."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return "other", "▁"
    spec = json.loads(backend.to_str())
    decoder = spec.get("decoder") or {}
    parts = [decoder, *decoder.get("decoders", [])]
    kinds = {part.get("type") for part in parts}
    if "ByteLevel" in kinds:
        return "byte-level", "Ġ"
    if kinds & {"ByteFallback", "Metaspace"}:
        return "sentence-piece", "▁"
    return "other", "▁"
