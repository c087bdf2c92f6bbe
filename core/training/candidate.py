"""A model in the evaluation: greedy answers, samples with the probabilities behind each token, log-probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast


@dataclass(frozen=True, slots=True)
class Sample:
    """A sampled text. For each of its tokens: the largest probability of the step, and the step's entropy in bits."""

    prompt: str
    text: str
    largest: list[float]
    entropy: list[float]


class Candidate:
    """A model with its tokenizer."""

    def __init__(self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> None:
        self.model, self.tokenizer = model.eval(), tokenizer

    @torch.inference_mode()
    def continuations(self, prompts: Sequence[str], new_tokens: int, temperature: float = 0.0, seed: int = 0, batch: int = 50) -> list[str]:
        """Return what the model writes after each prompt, up to its end token. Temperature 0 is greedy."""
        torch.manual_seed(seed)
        self.tokenizer.padding_side = "left"
        texts: list[str] = []
        for start in range(0, len(prompts), batch):
            padded = self.tokenizer(list(prompts[start : start + batch]), padding=True, return_tensors="pt")
            sampling = {"do_sample": True, "temperature": temperature, "top_k": 0} if temperature else {"do_sample": False}
            out = self.model.generate(
                input_ids=padded["input_ids"], attention_mask=padded["attention_mask"], max_new_tokens=new_tokens, **sampling
            )
            texts += [self.tokenizer.decode(row[padded["input_ids"].shape[1] :], skip_special_tokens=True) for row in out]
        return texts

    @torch.inference_mode()
    def continuation(self, prompt: str, seed: int, temperature: float, top_p: float, new_tokens: int = 120) -> str:
        """Return the prompt and a continuation, sampled with this temperature and top-p."""
        generator = torch.Generator().manual_seed(seed)
        step, past, chosen = self.tokenizer(prompt, return_tensors="pt").input_ids, None, []
        for _ in range(new_tokens):
            out = self.model(input_ids=step, past_key_values=past, use_cache=True, logits_to_keep=1)
            past = out.past_key_values
            probabilities, order = torch.softmax(out.logits[0, -1].float() / temperature, -1).sort(descending=True)
            probabilities[(probabilities.cumsum(0) - probabilities) >= top_p] = 0
            step = order[torch.multinomial(probabilities, 1, generator=generator)][None]
            if int(step) == self.tokenizer.eos_token_id:
                break
            chosen.append(int(step))
        return prompt + self.tokenizer.decode(chosen)

    @torch.inference_mode()
    def logprobs(self, text: str) -> torch.Tensor:
        """Return the log-probabilities [tokens, vocabulary] after each token of the text, in nats."""
        ids = torch.tensor([self.tokenizer.encode(text)])
        return torch.log_softmax(self.model(input_ids=ids).logits[0].float(), -1)

    def knows(self, before: str, answer: str) -> bool:
        """Return whether every token of the answer is the likeliest at its position."""
        head, whole = self.tokenizer.encode(before), self.tokenizer.encode(f"{before} {answer}")
        likeliest = self.logprobs(f"{before} {answer}").argmax(-1).tolist()
        return likeliest[len(head) - 1 : len(whole) - 1] == whole[len(head) :]

    def entropy(self, prompt: str) -> float:
        """Return the entropy of the next token in bits."""
        logprobs = self.logprobs(prompt)[-1]
        return float(-(logprobs.exp() * logprobs).sum() / math.log(2))

    def samples(self, prompts: Sequence[str], new_tokens: int, seed: int = 0, batch: int = 100) -> list[Sample]:
        """Continue every prompt at temperature 1 until its end token or for so many tokens."""
        generator = torch.Generator().manual_seed(seed)
        parts = (list(prompts[start : start + batch]) for start in range(0, len(prompts), batch))
        return [sample for part in parts for sample in self._sample_batch(part, new_tokens, generator)]

    @torch.inference_mode()
    def _sample_batch(self, prompts: list[str], new_tokens: int, generator: torch.Generator) -> list[Sample]:
        self.tokenizer.padding_side = "left"
        padded = self.tokenizer(prompts, padding=True, return_tensors="pt")
        step, seen, past = padded["input_ids"], padded["attention_mask"], None
        chosen: list[torch.Tensor] = []
        largest: list[torch.Tensor] = []
        entropy: list[torch.Tensor] = []
        running = torch.ones(len(prompts), dtype=torch.bool)
        while len(chosen) < new_tokens and running.any():
            positions = (seen.cumsum(-1) - 1).clamp(min=0)[:, -step.shape[1] :]
            out = self.model(
                input_ids=step, attention_mask=seen, position_ids=positions, past_key_values=past, use_cache=True, logits_to_keep=1
            )
            past, logprobs = out.past_key_values, torch.log_softmax(out.logits[:, -1].float(), -1)
            probabilities = logprobs.exp()
            largest.append(probabilities.amax(-1))
            entropy.append(-(probabilities * logprobs).sum(-1) / math.log(2))
            step = torch.multinomial(probabilities, 1, generator=generator)
            chosen.append(torch.where(running, step[:, 0], -1))
            running &= step[:, 0] != self.tokenizer.eos_token_id
            seen = torch.cat([seen, torch.ones_like(step)], -1)
        ids, largest_of, entropy_of = (torch.stack(each, -1) for each in (chosen, largest, entropy))
        return [
            Sample(prompt, self.tokenizer.decode(ids[row][kept], skip_special_tokens=True), largest_of[row][kept].tolist(),
                   entropy_of[row][kept].tolist())
            for row, prompt in enumerate(prompts)
            for kept in [ids[row] >= 0]
        ]  # fmt: skip
