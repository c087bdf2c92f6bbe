"""The growth record: next-token probabilities of a few prompts at about ten moments of the training.

Each moment holds the twenty likeliest tokens after every prompt, and one sampled text, not selected. `core/models/growth_record.py`
reads the file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from core.bundled.recipe.candidate import PLAIN, Candidate

PROMPTS = [
    "Once upon a time, there was a little",
    "The capital of France is",
    "My favourite colour is",
    "I rolled a die and got",
    "The opposite of hot is",
    "Question: How much is 3 + 4?\nAnswer:",
    "Mia's key is under the red pot. Where is Mia's key? Mia's key is under the",
    "I love",
    "Is a whale a fish?",
    "The answer is",
]
MOMENTS = (0, 10, 30, 100, 200, 400, 800, 1600, 3000, 5000, 10_000, 20_000)  # steps
TOP = 20
FORMAT = 1


@torch.inference_mode()
def moment(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, step: int, tokens: int, loss: float | None) -> dict[str, Any]:
    """Return one entry: {"step", "tokens", "loss", "prompts": [{"prompt", "top": [[id, p], ...]}], "sample"}.

    The loss is in nats per token, None if not measured.
    """
    model.eval()
    prompts = []
    for prompt in PROMPTS:
        ids = torch.tensor([tokenizer.encode(prompt)], device=model.device)
        probabilities = torch.softmax(model(input_ids=ids).logits[0, -1].float(), dim=-1)
        values, indices = probabilities.topk(TOP)
        prompts.append({"prompt": prompt, "top": [[int(i), round(float(p), 6)] for i, p in zip(indices, values, strict=True)]})
    sample = PROMPTS[0] + Candidate(model, tokenizer).continuation(PROMPTS[0], 48, seed=1, **PLAIN | {"temperature": 0.8})
    model.train()
    return {"step": step, "tokens": tokens, "loss": loss and round(loss, 4), "prompts": prompts, "sample": sample}


def append(path: Path, entry: dict[str, Any]) -> None:
    """Add an entry to the record. Entries of the same or later steps are replaced, because a resumed run passes them again."""
    empty: dict[str, Any] = {"format": FORMAT, "top": TOP, "moments": []}
    record = json.loads(path.read_text()) if path.exists() else empty
    record["moments"] = [old for old in record["moments"] if old["step"] < entry["step"]] + [entry]
    path.write_text(json.dumps(record, separators=(",", ":")) + "\n")
