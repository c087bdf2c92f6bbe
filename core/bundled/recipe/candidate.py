"""A model in the evaluation: its continuations, and samples with the probabilities behind each token."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

# Sampling at temperature 1 from all tokens.
PLAIN = {"do_sample": True, "temperature": 1.0, "top_k": 0, "top_p": 1.0}


@dataclass(frozen=True, slots=True)
class Sample:
    """A sampled text. For each of its tokens: the largest probability of the step, and the step's entropy in bits."""

    text: str
    largest: list[float]
    entropy: list[float]


class Candidate:
    """A model with its tokenizer."""

    def __init__(self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> None:
        self.model, self.tokenizer = model.eval(), tokenizer

    @torch.inference_mode()
    def _generate(self, prompts: Sequence[str], new_tokens: int, seed: int, **settings: Any) -> Any:
        self.tokenizer.padding_side = "left"
        padded = self.tokenizer(list(prompts), padding=True, return_tensors="pt").to(self.model.device)
        asked = {name: padded[name] for name in ("input_ids", "attention_mask")}
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            return self.model.generate(
                **asked,
                max_new_tokens=new_tokens,
                pad_token_id=self.tokenizer.eos_token_id,
                return_dict_in_generate=True,
                output_logits=True,
                **settings,
            )

    def continuation(self, prompt: str, new_tokens: int, seed: int = 0, **settings: Any) -> str:
        """Return what the model writes after the prompt, up to its end token, with these settings of `generate`."""
        out = self._generate([prompt], new_tokens, seed, **settings)
        return self.tokenizer.decode(out.sequences[0, -len(out.logits) :], skip_special_tokens=True)

    def samples(self, prompts: Sequence[str], new_tokens: int, seed: int = 0, batch: int = 100, **settings: Any) -> list[Sample]:
        """Continue every prompt until its end token or for so many tokens, at temperature 1 or with other settings of `generate`.

        `largest` and `entropy` are those of the model's own probabilities in either case.
        """
        samples = []
        for start in range(0, len(prompts), batch):
            out = self._generate(prompts[start : start + batch], new_tokens, seed + start, **PLAIN | settings)
            logprobs = torch.log_softmax(torch.stack(out.logits, 1).float(), -1)  # [rows, steps, vocabulary]
            largest, entropy = logprobs.amax(-1).exp(), -(logprobs.exp() * logprobs).sum(-1) / math.log(2)
            written = out.sequences[:, -logprobs.shape[1] :]
            ended = (written == self.tokenizer.eos_token_id).long()
            for row, before_end in enumerate(ended.cumsum(-1) - ended == 0):
                text = self.tokenizer.decode(written[row][before_end], skip_special_tokens=True)
                samples.append(Sample(text, largest[row][before_end].tolist(), entropy[row][before_end].tolist()))
        return samples
