"""Token texts and bytes: what each token adds to the text, and how its bytes are displayed.

Text is joined from bytes, not from strings. If a tokenizer splits an emoji over three tokens, the text has the emoji, and each token is
displayed as its bytes. Spaces, line breaks, invisible characters and incomplete characters get visible signs.
"""

from __future__ import annotations

import codecs
import json
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

BYTES_SHOWN = "token-bytes"  # codec error handler that writes undecodable bytes as ⟨E2⟩
_VISIBLE = {" ": "␣", "\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽", "\u200b": "⟨ZWSP⟩", "\u200d": "⟨ZWJ⟩", "\ufeff": "⟨BOM⟩"}
_FILLERS = "\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800"  # letters without a shape
_JOINING = "\u200c"  # changes the letters on both sides
_SELECTORS = "".join(map(chr, [*range(0xFE00, 0xFE10), *range(0x180B, 0x180E), *range(0xE0100, 0xE01F0)]))  # change the character before
_NAMES = {"\u200c": "⟨ZWNJ⟩", "\ufe0e": "⟨VS15⟩", "\ufe0f": "⟨VS16⟩"}
BYTE = re.compile(r"<0x[0-9A-F]{2}>")
FIRST_OWN_KEY = 2**52  # keys from here on are the app's own: of such a token only the bytes are known
_CLOSING = (".", "?", "!", ",")  # a decoder that cleans up puts no space before these


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


# The names of tokens that end a text or a turn, in the models of this field.
END_MARKS = frozenset("</s> <|endoftext|> <|im_end|> <|eot_id|> <|end_of_text|> <end_of_turn> <eos> <|end|> <|eom_id|> <|return|>".split())


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a text.

    key: its number in its vocabulary: the token's id, or a number of the app's own if a server does not give the id.
    text: what it adds to the readable text. Empty while a character is incomplete; the token that completes it adds the whole character.
    piece: how it is displayed: `␣` for a space, `↵` for a newline, `⟨E2⟩` for a byte of an incomplete character,
    `#7` for a token of which only the number is known.
    raw: its bytes. special: it is a control token (start, end, ...), not text.
    """

    key: int
    text: str
    piece: str
    raw: bytes
    special: bool = False

    @property
    def token_id(self) -> int | Any:
        """Id of the token; None if only its bytes are known."""
        return known_id(self.key)


def known_id(key: int) -> int | None:
    """Return the id of the token with this key; None if only its bytes are known."""
    return key if key < FIRST_OWN_KEY else None


class ByteJoiner:
    """Joins tokens to text byte by byte; a character appears with its last byte.

    >>> joiner = ByteJoiner()
    >>> [joiner.add(b"\\xf0\\x9f"), joiner.add(b"\\xa6\\x8a!")]
    ['', '🦊!']
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(BYTES_SHOWN)

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


def lone_token(key: int, raw: bytes, special: bool) -> Token:
    """Return a token without context. A special token such as <|end|> is displayed as ⟨end⟩."""
    if special:
        return Token(key, "", f"⟨{raw.decode('utf-8', BYTES_SHOWN).strip('<|>[]▁ ') or 'mark'}⟩", raw, True)
    text = raw.decode() if raw.isascii() else join([raw])
    return Token(key, text, visible_text(raw) or f"#{'?' if known_id(key) is None else key}", raw)


@lru_cache(maxsize=1)
def _byte_alphabet() -> dict[str, int]:
    """Return the bytes of the 256 printable characters of byte-level tokenizers (GPT-2's `bytes_to_unicode`, inverted)."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + i): byte for i, byte in enumerate(others)}


def bytes_of_name(name: str) -> bytes:
    """Return the bytes of a token by its name in a byte-level vocabulary or with byte fallback; none for another name.

    >>> bytes_of_name("ðŁ"), bytes_of_name("<0xE2>"), bytes_of_name("▁fox")
    (b'\\xf0\\x9f', b'\\xe2', b'')
    """
    if BYTE.fullmatch(name):
        return bytes([int(name[3:5], 16)])
    return _in_alphabet(name) or b""


def _in_alphabet(name: str) -> bytes | None:
    """Return the bytes of a name of a byte-level vocabulary, None if it has another character."""
    try:
        return bytes(map(_byte_alphabet().__getitem__, name))
    except KeyError:
        return None


class TokenBytes:
    """The bytes of every token of a tokenizer, looked up once and cached.

    The tokenizer's decoder tells its family: byte-level (GPT-2, Llama 3, Qwen), SentencePiece with byte fallback (Llama 2, Gemma, Mistral),
    or another one, whose tokens are decoded one at a time.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        added = getattr(tokenizer, "added_tokens_decoder", {})
        self._special = frozenset(map(int, tokenizer.all_special_ids)) | {int(i) for i, token in added.items() if token.special}
        self._known: dict[int, bytes] = {}
        self._kind, self._prefix, self._cleans = _family(tokenizer)
        self._added = {int(i) for i in added}

    def is_special(self, token_id: int) -> bool:
        """Return whether this is a special token rather than text."""
        return token_id in self._special

    def is_byte(self, token_id: int) -> bool:
        """Return whether this token is one byte of a character that has no token of its own, such as <0x61>."""
        return BYTE.fullmatch(str(self._tokenizer.convert_ids_to_tokens(token_id))) is not None

    def __getitem__(self, token_id: int) -> bytes:
        raw = self._known.get(token_id)
        if raw is None:
            raw = self._known[token_id] = self._look_up(token_id)
        return raw

    def _look_up(self, token_id: int) -> bytes:
        name = self._tokenizer.convert_ids_to_tokens(token_id)
        if name is None:  # an unused id that pads the model's vocabulary
            return b""
        if token_id in self._special:
            return str(name).encode()
        if self._kind == "byte-level":
            raw = _in_alphabet(name)
            return str(name).encode() if raw is None else raw
        if self._kind == "sentence-piece":
            if BYTE.fullmatch(name):
                return bytes([int(name[3:5], 16)])
            return str(name).replace(self._prefix, " ").encode()
        if self._kind == "word-piece":
            joined = name.startswith(self._prefix) or token_id in self._added or (self._cleans and name in _CLOSING)
            return (str(name).removeprefix(self._prefix) if joined else f" {name}").encode()
        if self._kind == "suffix":
            return str(name).replace(self._prefix, " ").encode()
        if self._kind == "spaced":
            return f" {name}".encode()
        return str(self._tokenizer.decode([token_id], clean_up_tokenization_spaces=False)).encode()


def _family(tokenizer: Any) -> tuple[str, str, bool]:
    """Return the family of a tokenizer, the mark that its decoder replaces, and whether the decoder removes spaces before punctuation."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return "other", "▁", False
    decoder = json.loads(backend.to_str()).get("decoder") or {}
    parts = {part.get("type"): part for part in (decoder, *decoder.get("decoders", []))}
    if "ByteLevel" in parts:
        return "byte-level", "Ġ", False
    if parts.keys() & {"ByteFallback", "Metaspace"}:
        return "sentence-piece", parts.get("Metaspace", {}).get("replacement", "▁"), False
    if "WordPiece" in parts:
        return "word-piece", parts["WordPiece"].get("prefix", "##"), bool(parts["WordPiece"].get("cleanup"))
    if "BPEDecoder" in parts:
        return "suffix", parts["BPEDecoder"].get("suffix", "</w>"), False
    return ("other" if decoder else "spaced"), "▁", False
