"""Train a byte-level model of about 100,000 parameters from random weights on one pasted text."""

from __future__ import annotations

from random import Random
from time import perf_counter

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from torch.nn import functional
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from core.engine.model import LanguageModel
from core.errors import InputError
from core.finetuning.finetune import LONGEST_TEXT
from core.finetuning.muon import Optimizers

ROWS, LENGTH = 16, 96  # of a step: 1,536 guesses
SHORTEST = 200  # bytes of a text that is worth it
RATE = 6e-3
WARM_UP = 20  # steps
NAME = "newborn"


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
