"""A judge of texts: bits per character under a larger model, which lies outside the project."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import torch
from torch.nn import functional
from transformers import AutoModelForCausalLM, AutoTokenizer


class Judge:
    """SmolLM2-135M-Instruct or another causal model, loaded from a folder or, if there is a .gguf file in it, from that."""

    def __init__(self, folder: Path) -> None:
        files = sorted(folder.glob("*.gguf"))
        extra = {"gguf_file": files[0].name} if files else {}
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **extra).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(folder, **extra)

    @torch.inference_mode()
    def bits_per_character(self, texts: Sequence[str]) -> float:
        """Mean bits per character over all these texts; the first token of each is given."""
        bits, characters = 0.0, 0
        for text in texts:
            ids = self.tokenizer(text, return_tensors="pt").input_ids[:, :1024]
            if ids.shape[1] < 2:
                continue
            logits = self.model(input_ids=ids).logits[0, :-1].float()
            bits += float(functional.cross_entropy(logits, ids[0, 1:], reduction="sum")) / math.log(2)
            characters += len(self.tokenizer.decode(ids[0, 1:]))
        return bits / max(1, characters)
