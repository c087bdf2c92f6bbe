"""The tokenizer of a GGUF file that llama-server runs: the file contains the tokens, and the server splits texts."""

from __future__ import annotations

from typing import Any

from core.models.gguf.tokenizer import CONTROL, MARKS, USER, chat_template_of, special_id, types_of
from core.remote.server_tokenizer import ServerTokenizer
from core.tokens.token_text import BYTE, bytes_of_name

KINDS = {"gpt2": "bytes", "llama": "SentencePiece", "gemma4": "SentencePiece", "t5": "SentencePiece"}  # how tokens are written in the file


def served_tokenizer(metadata: dict[str, Any]) -> ServerTokenizer:
    """Return the tokenizer of a file whose tokenizer.ggml.model is one of KINDS. Its `line` is set when the server runs."""
    tokens: list[str] = metadata["tokenizer.ggml.tokens"]
    kinds = dict(enumerate(types_of(metadata)))
    tokenizer = ServerTokenizer(len(tokens), "llama-server", names=tokens)
    numbers = {mark: special_id(metadata, name) for mark, name in MARKS.items()}
    marks = {mark: i for mark, i in numbers.items() if i is not None}
    tokenizer.special_tokens_map = {mark: tokens[i] for mark, i in marks.items()}
    tokenizer.all_special_ids = sorted(set(marks.values()))
    tokenizer.eos_token_id = marks.get("eos_token")
    tokenizer.chat_template = chat_template_of(metadata)
    special = {i for i, kind in kinds.items() if kind == CONTROL} | set(marks.values())
    plain = special | {i for i, kind in kinds.items() if kind == USER}
    sentence_piece = KINDS[metadata["tokenizer.ggml.model"]] == "SentencePiece"
    tokenizer.fill({i: name.encode() if i in plain else _bytes_of(name, sentence_piece) for i, name in enumerate(tokens)}, special)
    return tokenizer


def _bytes_of(name: str, sentence_piece: bool) -> bytes:
    """Return the bytes of a token by its name. sentence_piece: the vocabulary is one of SentencePiece, which writes a space as ▁."""
    raw = b"" if sentence_piece and not BYTE.fullmatch(name) else bytes_of_name(name)
    return raw or (name.replace("▁", " ") if sentence_piece else name).encode()
