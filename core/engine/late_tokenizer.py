"""A tokenizer that comes later: the library that does the work is here at once, transformers' class around it when somebody asks for it.

What a first text needs (its ids, the names of tokens, which of them are marks) is answered by `tokenizers` itself; importing transformers
takes ten times as long as reading a small model's tokenizer.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer

from core.late_imports import LATE_IMPORTS


class LateTokenizer:
    """A plain fast tokenizer in a folder. fetch: makes transformers' own of the same folder, which answers whatever is not answered here.

    Raises ValueError where the folder holds more than a plain one: this is for models that come with the app.
    """

    is_fast = True

    def __init__(self, folder: Path, fetch: Callable[[], Any]) -> None:
        told = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
        if told.get("tokenizer_class") != "PreTrainedTokenizerFast" or (folder / "chat_template.jinja").exists() or "chat_template" in told:
            raise ValueError("no plain tokenizer")
        self.backend_tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.chat_template = None
        marks = {name: token for name, token in told.items() if name.endswith("_token")}
        numbers = {name: self.backend_tokenizer.token_to_id(token) for name, token in marks.items()}
        self.bos_token_id, self.eos_token_id = numbers.get("bos_token"), numbers.get("eos_token")
        self.all_special_ids = list(dict.fromkeys(numbers.values()))
        self._fetch = fetch
        self._whole: Any = None

    @property
    def added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The tokens that were added to the vocabulary, by their ids."""
        return dict(sorted(self.backend_tokenizer.get_added_tokens_decoder().items()))

    def __call__(self, text: Any, **how: Any) -> Any:
        """{"input_ids": ...} of one text, with `add_special_tokens` or as usual; anything else is transformers' to answer."""
        if not isinstance(text, str) or how.keys() - {"add_special_tokens"}:
            return self.arrive()(text, **how)
        return {"input_ids": self.backend_tokenizer.encode(text, **how).ids}

    def convert_ids_to_tokens(self, ids: Any) -> Any:
        """The name of one token, None where there is none; several are transformers' to answer."""
        return self.backend_tokenizer.id_to_token(ids) if isinstance(ids, int) else self.arrive().convert_ids_to_tokens(ids)

    def arrive(self) -> Any:
        """transformers' own tokenizer: made once, whoever asks waits for it."""
        with LATE_IMPORTS:
            if self._whole is None:
                self._whole = self._fetch()
            return self._whole

    def __len__(self) -> int:
        return int(self.backend_tokenizer.get_vocab_size())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # a copy asks for these before it has anything to answer with
            raise AttributeError(name)
        return getattr(self.arrive(), name)
