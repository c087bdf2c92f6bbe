"""Train a byte-level model of about 100,000 parameters from random weights on one pasted text.

Muon (K. Jordan and others, 2024) for the hidden matrices, AdamW for all other weights, with one common step. Muon replaces the momentum of
a matrix by the nearest orthogonal matrix. For the same loss it needs about half the tokens of AdamW.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from time import perf_counter
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor, nn
from torch.nn import functional
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from core.device import CPU_MULTIPLIES_BF16
from core.engine.model import LanguageModel
from core.errors import InputError
from core.finetuning.finetune import LONGEST_TEXT

ROWS, LENGTH = 16, 96  # of a step: 1,536 guesses
SHORTEST = 200  # bytes of a text that is worth it
RATE = 6e-3
WARM_UP = 20  # steps
NAME = "newborn"


class Muon(torch.optim.Muon):
    """torch's Muon, with the orthogonal matrices computed in float32 on a processor that does not multiply bfloat16.

    torch computes them in bfloat16 only. On such a processor that takes thirty times as long, longer than the rest of a training step.
    """

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> Any:
        """See `torch.optim.Muon.step`."""
        if CPU_MULTIPLIES_BF16 or any(parameter.device.type != "cpu" for group in self.param_groups for parameter in group["params"]):
            return super().step(closure)
        if closure is not None:
            raise ValueError("a closure is not called here")
        for group in self.param_groups:
            parameters: list[Tensor] = []
            gradients: list[Tensor] = []
            momenta: list[Tensor] = []
            self._init_group(group, parameters, gradients, momenta)
            for parameter, gradient, momentum in zip(parameters, gradients, momenta, strict=True):
                momentum.lerp_(gradient, 1 - group["momentum"])
                wanted = gradient.lerp(momentum, group["momentum"]) if group["nesterov"] else momentum
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                rate = group["lr"] * 0.2 * math.sqrt(max(parameter.shape))  # match_rms_adamw
                parameter.add_(orthogonal(wanted, group["ns_coefficients"], group["ns_steps"], group["eps"]), alpha=-rate)
        return None


def orthogonal(matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """Return the matrix [m, n] with its singular values brought close to 1 by Newton and Schulz's iteration, in its own dtype."""
    high = matrix.shape[0] > matrix.shape[1]
    near = matrix.T if high else matrix
    near = near / near.norm().clamp(min=eps)
    a, b, c = coefficients
    for _ in range(steps):
        gram = near @ near.T
        near = torch.addmm(near, torch.addmm(gram, gram, gram, beta=b, alpha=c), near, beta=a)
    return near.T if high else near


class Optimizers:
    """Muon and AdamW with one common step."""

    def __init__(self, model: nn.Module, muon_rate: float, adam_rate: float, weight_decay: float) -> None:
        matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and "embed" not in name and "lm_head" not in name]
        chosen = {id(p) for p in matrices}
        others = [p for p in model.parameters() if id(p) not in chosen]
        # match_rms_adamw: the two optimizers then take steps of the same size, and one rate is as good as two.
        muon = Muon(matrices, lr=muon_rate, weight_decay=weight_decay, momentum=0.95, nesterov=True, adjust_lr_fn="match_rms_adamw")
        adam = torch.optim.AdamW(others, lr=adam_rate, weight_decay=0.0, betas=(0.9, 0.95))
        self.all: list[torch.optim.Optimizer] = [muon, adam]
        self.rates = [muon_rate, adam_rate]

    def step(self, scale: float) -> None:
        """Update the weights with both rates times `scale`, then clear the gradients."""
        for optimizer, rate in zip(self.all, self.rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * scale
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

    def state_dict(self) -> list[dict]:
        return [optimizer.state_dict() for optimizer in self.all]

    def load_state_dict(self, states: list[dict]) -> None:
        for optimizer, state in zip(self.all, states, strict=True):
            optimizer.load_state_dict(state)


class ScratchModel:
    """A model with random weights and its training text. Raises InputError."""

    def __init__(self, text: str, seed: int = 0) -> None:
        if len(text) > LONGEST_TEXT:
            raise InputError(
                "The text has {count} characters; at most {most} can be learned at a time. Use a part of it.",
                count=len(text),
                most=LONGEST_TEXT,
            )
        self.tokenizer = byte_tokenizer()
        try:
            self._ids = torch.tensor(self.tokenizer.encode(text, add_special_tokens=False), dtype=torch.long)
        except (UnicodeEncodeError, TypeError) as error:  # the tokenizer's way of saying so
            raise InputError("This text contains half a character (a lone surrogate). Delete it and paste it again.") from error
        if len(self._ids) < SHORTEST or not any(letter.isalnum() for letter in text):
            raise InputError("The text is too short to learn from. Paste at least {shortest} characters.", shortest=SHORTEST)
        torch.manual_seed(seed)
        self.network = LlamaForCausalLM(_config(len(self.tokenizer)))
        self._optimizers = Optimizers(self.network, RATE, RATE, 0.0)
        self._rng = Random(f"newborn/{seed}")
        self.index = self.tokens = 0
        self.seconds = 0.0

    @property
    def parameter_count(self) -> int:
        """Return the number of weights."""
        return self.network.num_parameters()

    def step(self) -> float:
        """Train on 16 random places of the text; return the loss before the step, in bits per byte."""
        began = perf_counter()
        longest = min(LENGTH, len(self._ids) - 1)
        starts = [self._rng.randrange(len(self._ids) - longest) for _each in range(ROWS)]
        rows = torch.stack([self._ids[start : start + longest + 1] for start in starts])
        self.network.train()
        with torch.enable_grad():
            logits = self.network(input_ids=rows[:, :-1], use_cache=False).logits
            loss = functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())
            loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self._optimizers.step(min(1.0, (self.index + 1) / WARM_UP))
        self.network.eval()
        self.index += 1
        self.tokens += ROWS * longest
        self.seconds += perf_counter() - began
        return float(loss.detach()) / 0.6931471805599453

    def as_it_is(self) -> LanguageModel:
        """Return the model in training, for use between two steps. It changes with every step."""
        return LanguageModel(NAME, self.network, self.tokenizer)


def byte_tokenizer() -> PreTrainedTokenizerFast:
    """One token per byte, and a mark for the start: no text that cannot be written, nothing that was learned elsewhere."""
    alphabet = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(vocab=alphabet, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<|start|>", eos_token="<|end|>")


def _config(vocabulary: int) -> LlamaConfig:
    return LlamaConfig(
        hidden_size=64,
        intermediate_size=160,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        head_dim=16,
        vocab_size=vocabulary,
        max_position_embeddings=256,
        tie_word_embeddings=True,
        attn_implementation="sdpa",
    )
