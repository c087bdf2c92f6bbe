"""Train the storyteller from nothing, or go on where a run was stopped.

    python -m core.training.recipe.train --corpus TEXTS --checkpoints FOLDER [--start-from MODEL] [--minutes 600] [--decay-steps 0]

FOLDER (outside git) gets tokenizer/, checkpoint.pt and the log. With --start-from, weights and tokenizer of an exported model of this
shape are the beginning. The rate warms up and stays (no length has to be known beforehand). To end a run, give --decay-steps: the rate
then falls to zero over so many steps from the present one. SIGTERM saves and stops.
"""

from __future__ import annotations

import argparse
import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM, PreTrainedTokenizerFast

from core.finetuning.optimizer import Optimizers
from core.training.corpus import Corpus
from core.training.data import IGNORED, Batch
from core.training.models import STORYTELLER, config
from core.training.recipe.mixture import Mixture, Shares, tokenizer_texts
from core.training.tokenizer import CONTEXT, train_tokenizer

SHAPE = STORYTELLER


@dataclass(frozen=True, slots=True)
class Plan:
    """All numbers of a run. Every `long_every`-th step has rows of the whole context, the others of half of it."""

    muon_rate: float = 2e-3
    adam_rate: float = 2e-3
    weight_decay: float = 0.05
    warmup: int = 200
    step_tokens: int = 8192
    length: int = CONTEXT // 2
    long_every: int = 4
    clip: float = 1.0
    save_minutes: float = 5.0
    seed: int = 0
    shares: Shares = field(default_factory=Shares)

    def rows(self, step: int) -> tuple[int, int]:
        """Rows and length of the batch at this step."""
        length = self.length * 2 if step % self.long_every == 0 else self.length
        return self.step_tokens // length, length


def scale(plan: Plan, step: int, decay_from: int | None, decay_steps: int) -> float:
    """Share of the full rate: up over the warm-up, then 1, then down to 0 from `decay_from` on.

    >>> [scale(Plan(), step, 1000, 100) for step in (99, 500, 1050, 1100)]
    [0.5, 1.0, 0.5, 0.0]
    """
    up = min(1.0, (step + 1) / plan.warmup)
    return up if decay_from is None or step < decay_from else max(0.0, 1 - (step - decay_from) / decay_steps)


def loss_of(model: nn.Module, ids: torch.Tensor, targets: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy per target token, in nats."""
    logits = model(input_ids=ids, attention_mask=mask, use_cache=False).logits
    return functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten(), ignore_index=IGNORED)


class Run:
    """A model on its way, its optimizers, how far it is, and its checkpoint."""

    def __init__(
        self, tokenizer: PreTrainedTokenizerFast, mixture: Mixture, plan: Plan, compiled: bool = True, shape: dict[str, int] = SHAPE
    ) -> None:
        torch.manual_seed(plan.seed)
        self.model = LlamaForCausalLM(config(shape, tokenizer.bos_token_id, tokenizer.eos_token_id, len(tokenizer)))
        self.mixture, self.plan = mixture, plan
        self.optimizers = Optimizers(self.model, plan.muon_rate, plan.adam_rate, plan.weight_decay)
        self.loss_of = torch.compile(loss_of, dynamic=False) if compiled else loss_of
        self.step = self.tokens = 0
        self.decay_from: int | None = None
        self.decay_steps = 0

    def batch(self) -> Batch:
        """What is read at the present step."""
        return self.mixture.batch(self.step, *self.plan.rows(self.step), tokens_before=self.tokens)

    def one_step(self) -> float:
        """Learn from one batch; its loss before."""
        batch = self.batch()
        loss = self.loss_of(self.model, batch.ids, batch.targets, batch.mask)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.plan.clip)
        self.optimizers.step(scale(self.plan, self.step, self.decay_from, self.decay_steps))
        self.step += 1
        self.tokens += batch.tokens
        return float(loss.detach())

    @property
    def finished(self) -> bool:
        """True when the decay has come to its end."""
        return self.decay_from is not None and self.step >= self.decay_from + self.decay_steps

    def save(self, path: Path) -> None:
        """Write a checkpoint whole or not at all."""
        state = {"model": self.model.state_dict(), "optimizers": self.optimizers.state_dict(), "step": self.step, "tokens": self.tokens,
                 "decay_from": self.decay_from, "decay_steps": self.decay_steps}  # fmt: skip
        torch.save(state, path.with_suffix(".new"))
        os.replace(path.with_suffix(".new"), path)

    def resume(self, path: Path) -> None:
        """Go on where `save` stopped."""
        state = torch.load(path, map_location="cpu", weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizers.load_state_dict(state["optimizers"])
        self.step, self.tokens = state["step"], state["tokens"]
        self.decay_from, self.decay_steps = state["decay_from"], state["decay_steps"]


def tokenizer_in(folder: Path, corpus: Corpus, start_from: Path | None = None) -> PreTrainedTokenizerFast:
    """Return the tokenizer of this run. A new run copies the one of `start_from`, or trains its own."""
    if start_from and not (folder / "tokenizer").exists():
        AutoTokenizer.from_pretrained(start_from).save_pretrained(folder / "tokenizer")
    if not (folder / "tokenizer").exists():
        train_tokenizer(iter(tokenizer_texts(corpus))).save_pretrained(folder / "tokenizer")
    return AutoTokenizer.from_pretrained(folder / "tokenizer")


def train(run: Run, checkpoint: Path, minutes: float) -> None:
    """Train until the time is up, the decay ends, or somebody asks to stop."""
    stopping: list[bool] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.append(True))
    began = saved = logged = time.monotonic()
    mean, since = 0.0, run.tokens
    while not stopping and not run.finished and time.monotonic() - began < minutes * 60:
        loss = run.one_step()
        mean = loss if not mean else 0.95 * mean + 0.05 * loss
        now = time.monotonic()
        if run.step % 10 == 0:
            speed = (run.tokens - since) / (now - logged)
            print(
                f"{time.strftime('%H:%M:%S')} step {run.step} tokens {run.tokens / 1e6:.2f}M loss {mean:.3f} {speed:.0f} tokens/s",
                flush=True,
            )
            logged, since = now, run.tokens
        if now - saved > run.plan.save_minutes * 60:
            run.save(checkpoint)
            saved = now
    run.save(checkpoint)
    print(f"saved at step {run.step}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of plain text files")
    parser.add_argument("--checkpoints", type=Path, required=True, help="folder for tokenizer and checkpoint, outside git")
    parser.add_argument("--start-from", type=Path, help="folder of an exported model of this shape whose weights a new run begins with")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after so many minutes")
    parser.add_argument("--decay-steps", type=int, default=0, help="let the rate fall to zero over so many steps from now on")
    parser.add_argument("--threads", type=int, default=0, help="threads for the arithmetic; 0 leaves the choice to torch")
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    arguments.checkpoints.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(arguments.corpus)
    tokenizer = tokenizer_in(arguments.checkpoints, corpus, arguments.start_from)
    plan = Plan()
    run = Run(tokenizer, Mixture(tokenizer, corpus, plan.shares, plan.seed), plan)
    checkpoint = arguments.checkpoints / "checkpoint.pt"
    if checkpoint.exists():
        run.resume(checkpoint)
    elif arguments.start_from:
        start = AutoModelForCausalLM.from_pretrained(arguments.start_from, dtype=torch.float32)
        run.model.load_state_dict(start.state_dict())
    if arguments.decay_steps and run.decay_from is None:
        run.decay_from, run.decay_steps = run.step, arguments.decay_steps
    print(f"{sum(one.numel() for one in run.model.parameters()):,} parameters, from step {run.step}", flush=True)
    train(run, checkpoint, arguments.minutes)


if __name__ == "__main__":
    main()
