"""The tokenizer of a bundled model, read with the `tokenizers` library alone, because importing transformers takes seconds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer

FILES = ("tokenizer.json", "tokenizer_config.json")


class PlainTokenizer:
    """A tokenizer with the part of transformers' interface that `LanguageModel` uses. It has no chat template.

    Raises ValueError for a folder whose tokenizer is not a plain PreTrainedTokenizerFast.
    """

    is_fast = True
    chat_template = None

    def __init__(self, folder: Path) -> None:
        config = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
        if (
            config.get("tokenizer_class") != "PreTrainedTokenizerFast"
            or "chat_template" in config
            or (folder / "chat_template.jinja").exists()
        ):
            raise ValueError(f"{folder.name} has no plain tokenizer")
        self._folder = folder
        self.backend_tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        special = {name: self.backend_tokenizer.token_to_id(token) for name, token in config.items() if name.endswith("_token")}
        self.eos_token_id: int | None = special.get("eos_token")
        self.all_special_ids = list(dict.fromkeys(special.values()))

    @property
    def added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The tokens that were added to the vocabulary, by id."""
        return dict(sorted(self.backend_tokenizer.get_added_tokens_decoder().items()))

    def __call__(self, text: str, add_special_tokens: bool = True, return_offsets_mapping: bool = False) -> dict[str, Any]:
        """Return {"input_ids": ...} of a text and, if wanted, "offset_mapping": the characters [start, end) of each token."""
        encoded = self.backend_tokenizer.encode(text, add_special_tokens=add_special_tokens)
        return {"input_ids": encoded.ids} | ({"offset_mapping": encoded.offsets} if return_offsets_mapping else {})

    def convert_ids_to_tokens(self, token_id: int) -> str | None:
        """Return the name of a token; None for an id outside the vocabulary."""
        name: str | None = self.backend_tokenizer.id_to_token(token_id)
        return name

    def decode(self, token_ids: list[int], clean_up_tokenization_spaces: bool = False) -> str:
        """Return the text of these tokens."""
        del clean_up_tokenization_spaces  # transformers' argument; never done here
        return str(self.backend_tokenizer.decode(token_ids, skip_special_tokens=False))

    def get_vocab(self) -> dict[str, int]:
        """Return the ids of all tokens by name."""
        return dict(self.backend_tokenizer.get_vocab())

    def save_pretrained(self, folder: Path) -> None:
        """Copy the tokenizer's files into a folder; transformers reads them from there."""
        for name in FILES:
            shutil.copyfile(self._folder / name, Path(folder) / name)

    def __len__(self) -> int:
        return int(self.backend_tokenizer.get_vocab_size())
