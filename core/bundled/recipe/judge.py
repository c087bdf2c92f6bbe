"""Bits per character of texts under a larger model, which is not part of the project."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import torch
from torch.nn import functional
from transformers import AutoModelForCausalLM, AutoTokenizer


class Judge:
    """A causal model such as SmolLM2-135M-Instruct, from a folder or from the .gguf file in it."""

    def __init__(self, folder: Path) -> None:
        files = sorted(folder.glob("*.gguf"))
        extra = {"gguf_file": files[0].name} if files else {}
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **extra).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(folder, **extra)

    @torch.inference_mode()
    def bits_per_character(self, texts: Sequence[str]) -> float:
        """Return the mean bits per character over all texts. The first token of each text is given."""
        bits, characters = 0.0, 0
        for text in texts:
            ids = self.tokenizer(text, return_tensors="pt").input_ids[:, :1024]
            if ids.shape[1] < 2:
                continue
            logits = self.model(input_ids=ids).logits[0, :-1].float()
            bits += float(functional.cross_entropy(logits, ids[0, 1:], reduction="sum")) / math.log(2)
            characters += len(self.tokenizer.decode(ids[0, 1:]))
        return bits / max(1, characters)
