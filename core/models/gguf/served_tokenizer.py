"""The tokenizer of a GGUF file that llama-server runs: the file contains the tokens, and the server splits texts."""

from __future__ import annotations

from typing import Any

from core.errors import ServerGone
from core.message import Message
from core.models.gguf.tokenizer import CONTROL, MARKS, USER
from core.remote.http_client import HttpClient
from core.remote.protocol import answer_bytes

KINDS = {"gpt2": "bytes", "llama": "pieces", "gemma4": "pieces", "t5": "pieces"}  # how tokens are written in the file


class ServedTokenizer:
    """A tokenizer with the part of transformers' interface that `LanguageModel` uses. `line` is set when the server runs.

    metadata: of a file whose tokenizer.ggml.model is one of KINDS.
    """

    is_fast = False
    line: HttpClient

    def __init__(self, metadata: dict[str, Any]) -> None:
        from tokenizers import AddedToken, Tokenizer, decoders, models

        self._tokens: list[str] = metadata["tokenizer.ggml.tokens"]
        types = metadata.get("tokenizer.ggml.token_type")
        self.added_tokens_decoder = {
            number: AddedToken(self._tokens[number], special=kind == CONTROL, normalized=False)
            for number, kind in enumerate(types[: len(self._tokens)] if isinstance(types, list) else ())
            if kind in (CONTROL, USER)
        }
        numbers = {mark: metadata.get(f"tokenizer.ggml.{name}_token_id") for mark, name in MARKS.items()}
        known = {mark: i for mark, i in numbers.items() if isinstance(i, int) and 0 <= i < len(self._tokens)}
        self.special_tokens_map = {mark: self._tokens[i] for mark, i in known.items()}
        self.all_special_ids = sorted(set(known.values()))
        self.eos_token_id = known.get("eos_token")
        template = metadata.get("tokenizer.chat_template")
        self.chat_template = template if isinstance(template, str) else None
        # Its decoder alone is used: it tells how the tokens are written.
        self.backend_tokenizer = Tokenizer(models.BPE())
        pieces = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
        self.backend_tokenizer.decoder = decoders.ByteLevel() if KINDS[metadata["tokenizer.ggml.model"]] == "bytes" else pieces

    def __call__(self, text: str, add_special_tokens: bool = True) -> dict[str, Any]:
        """Return {"input_ids": ...} as the server splits the text. Raises ServerGone."""
        content = {"content": text, "add_special": add_special_tokens, "parse_special": True}
        answer = self.line.post("/tokenize", content, patience=15.0, most=answer_bytes(len(text), 0))
        tokens = answer.body.get("tokens")
        if answer.status != 200 or not isinstance(tokens, list) or not set(map(type, tokens)) <= {int}:
            raise ServerGone(Message("The server at {address} does not split texts into tokens.", address=self.line.address.shown))
        return {"input_ids": tokens}

    def get_chat_template(self) -> str:
        """Return the chat template in the file; "" without one."""
        return self.chat_template or ""

    def convert_ids_to_tokens(self, token_id: int) -> str | None:
        """Return the name of a token; None for an id outside the vocabulary."""
        return self._tokens[token_id] if 0 <= token_id < len(self._tokens) else None

    def decode(self, token_ids: list[int], clean_up_tokenization_spaces: bool = False) -> str:
        """Return the text of these tokens."""
        del clean_up_tokenization_spaces  # transformers' argument; never done here
        return str(self.backend_tokenizer.decoder.decode([self._tokens[i] for i in token_ids]))

    def get_vocab(self) -> dict[str, int]:
        """Return the ids of all tokens by name."""
        return {token: number for number, token in enumerate(self._tokens)}

    def __len__(self) -> int:
        return len(self._tokens)
