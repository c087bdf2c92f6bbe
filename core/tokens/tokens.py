"""Token text and byte handling: what each token adds to the text, and how it is written when it is no readable text.

Text is joined from bytes, never from strings: an emoji that a tokenizer splits over three tokens becomes one emoji again, and each of the
three is shown as the bytes it is.
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

    text: what it adds to the readable text. Empty while a character is still incomplete; the token that completes it adds the whole.
    piece: how it is written for display: `␣` for a space, `↵` for a newline, `⟨E2⟩` for a byte that is no whole character.
    raw: its bytes. special: it is a mark for the model (start, end, ...), not text.
    """

    token_id: int
    text: str
    piece: str
    raw: bytes
    special: bool = False


def _write_bytes(error: UnicodeError) -> tuple[str, int]:
    """A codec error handler: bytes that are no text are written as ⟨E2⟩ instead of a replacement character."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(f"⟨{byte:02X}⟩" for byte in error.object[error.start : error.end]), error.end


codecs.register_error("token-bytes", _write_bytes)


class ByteJoiner:
    """Joins tokens to text byte by byte; a character appears when its last byte has come.

    >>> joiner = ByteJoiner()
    >>> [joiner.add(b"\\xf0\\x9f"), joiner.add(b"\\xa6\\x8a!")]
    ['', '🦊!']
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("token-bytes")

    def add(self, raw: bytes) -> str:
        """The text that these bytes complete; bytes that can never become a character come out as ⟨E2⟩."""
        return self._decoder.decode(raw)

    @property
    def waiting(self) -> bytes:
        """The bytes of a character that is not complete yet."""
        return self._decoder.getstate()[0]


def added_by(token: Token, waiting: bytes) -> tuple[str, bytes]:
    """What a token adds to a text that ends in these bytes of an incomplete character, and the bytes that then wait.

    >>> added_by(Token(7, "", "⟨A6⟩⟨8A⟩", b"\\xa6\\x8a"), b"\\xf0\\x9f")
    ('🦊', b'')
    """
    if not waiting and token.raw.isascii() and not token.special:
        return token.text, b""
    joiner = ByteJoiner()
    joiner.add(waiting)
    return "" if token.special else joiner.add(token.raw), joiner.waiting


def join(raws: list[bytes]) -> str:
    """The readable text of these tokens' bytes; an incomplete character at the end is left out."""
    return ByteJoiner().add(b"".join(raws))


def written(raw: bytes) -> str:
    """How a token's bytes are shown: readable characters as they are, whitespace and loose bytes made visible.

    >>> written(b" fox\\n"), written(b"\\xa6\\x8a")
    ('␣fox↵', '⟨A6⟩⟨8A⟩')
    """
    text = raw.decode("utf-8", "token-bytes")
    return "".join(_VISIBLE.get(c) or (c if c.isprintable() or c == "\u200c" else f"⟨U+{ord(c):04X}⟩") for c in text)


def lone_token(token_id: int, raw: bytes, special: bool) -> Token:
    """A token as it stands alone, outside of any text. A mark like <|end|> is written ⟨end⟩."""
    if special:
        return Token(token_id, "", f"⟨{raw.decode('utf-8', 'token-bytes').strip('<|>[]▁ ') or 'mark'}⟩", raw, True)
    return Token(token_id, join([raw]), written(raw) or f"⟨{token_id}⟩", raw)


@lru_cache(maxsize=1)
def _byte_alphabet() -> dict[str, int]:
    """The 256 printable characters in which byte-level tokenizers write bytes (GPT-2's `bytes_to_unicode`, inverted)."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + i): byte for i, byte in enumerate(others)}


class TokenBytes:
    """The bytes of every token of a tokenizer, looked up once and kept.

    Three families are told apart by the tokenizer's own decoder: byte-level (GPT-2, Llama 3, Qwen), sentence pieces with byte fallback
    (Llama 2, Gemma, Mistral), and all others, which are decoded one token at a time.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        added = getattr(tokenizer, "added_tokens_decoder", {})
        self._special = frozenset(map(int, tokenizer.all_special_ids)) | {int(i) for i, token in added.items() if token.special}
        self._known: dict[int, bytes] = {}
        self._kind, self._prefix = _family(tokenizer)
        self._added = {int(i) for i in added}

    def is_special(self, token_id: int) -> bool:
        """Whether this token is a mark for the model rather than text."""
        return token_id in self._special

    def __getitem__(self, token_id: int) -> bytes:
        known = self._known.get(token_id)
        if known is None:
            known = self._known[token_id] = self._look_up(token_id)
        return known

    def _look_up(self, token_id: int) -> bytes:
        name = self._tokenizer.convert_ids_to_tokens(token_id)
        if name is None:  # an id beyond the tokenizer's list: padding of the model's vocabulary
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
    """Which family a tokenizer belongs to, and the character it writes for a space."""
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
