"""The tokenizer of a GGUF file that llama-server runs: the file contains the tokens, and the server splits texts."""

from __future__ import annotations

from typing import Any

from core.models.gguf.tokenizer import CONTROL, MARKS, USER
from core.remote.server_tokenizer import ServerTokenizer
from core.tokens.tokens import BYTE, bytes_of_name

KINDS = {"gpt2": "bytes", "llama": "pieces", "gemma4": "pieces", "t5": "pieces"}  # how tokens are written in the file


def served_tokenizer(metadata: dict[str, Any]) -> ServerTokenizer:
    """Return the tokenizer of a file whose tokenizer.ggml.model is one of KINDS. Its `line` is set when the server runs."""
    tokens: list[str] = metadata["tokenizer.ggml.tokens"]
    types = metadata.get("tokenizer.ggml.token_type")
    kinds = dict(enumerate(types[: len(tokens)] if isinstance(types, list) else ()))
    made = ServerTokenizer(len(tokens), "llama-server", names=tokens)
    numbers = {mark: metadata.get(f"tokenizer.ggml.{name}_token_id") for mark, name in MARKS.items()}
    marks = {mark: i for mark, i in numbers.items() if isinstance(i, int) and 0 <= i < len(tokens)}
    made.special_tokens_map = {mark: tokens[i] for mark, i in marks.items()}
    made.all_special_ids = sorted(set(marks.values()))
    made.eos_token_id = marks.get("eos_token")
    template = metadata.get("tokenizer.chat_template")
    made.chat_template = template if isinstance(template, str) else None
    special = {i for i, kind in kinds.items() if kind == CONTROL} | set(marks.values())
    plain = special | {i for i, kind in kinds.items() if kind == USER}
    pieces = KINDS[metadata["tokenizer.ggml.model"]] == "pieces"
    made.fill({i: name.encode() if i in plain else _bytes_of(name, pieces) for i, name in enumerate(tokens)}, special)
    return made


def _bytes_of(name: str, pieces: bool) -> bytes:
    """Return the bytes of a token by its name. pieces: a SentencePiece vocabulary, whose spaces are written as ▁."""
    known = b"" if pieces and not BYTE.fullmatch(name) else bytes_of_name(name)
    return known or (name.replace("▁", " ") if pieces else name).encode()
