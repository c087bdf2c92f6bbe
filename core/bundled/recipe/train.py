"""Train the storyteller, or continue a run that was stopped.

    python -m core.bundled.recipe.train --corpus TEXTS --checkpoints FOLDER [--start-from MODEL] [--minutes M] [--end-in STEPS]

FOLDER, outside git, gets tokenizer/, checkpoint.pt and growth.json, which counts from the first step of this run. The rate warms up,
stays, and falls to zero over the last steps of the plan. `--end-in` starts that fall now. SIGTERM saves a checkpoint and stops.
`--start-from` begins with the weights and the tokenizer of an exported model of the same shape.
"""

from __future__ import annotations

import argparse
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM, PreTrainedTokenizerFast

from core.bundled.recipe import growth
from core.bundled.recipe.corpus import Corpus
from core.bundled.recipe.mixture import IGNORED, Mixture, Shares, tokenizer_texts
from core.bundled.recipe.models import CHECKPOINTS, STORYTELLER, config
from core.bundled.recipe.tokenizer import CONTEXT, train_tokenizer
from core.device import CPU_MULTIPLIES_BF16
from core.finetuning.from_scratch import Optimizers

# (model, ids [rows, length], targets [rows, length], mask) -> mean loss
Loss = Callable[[nn.Module, Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class Plan:
    """All numbers of a run. Every `long_every`-th step has rows of the whole context, the others of half of it."""

    muon_rate: float = 2e-3
    adam_rate: float = 2e-3
    weight_decay: float = 0.05
    warmup: int = 200
    steps: int = 6000
    decay: int = 1200
    step_tokens: int = 8192
    length: int = CONTEXT // 2
    long_every: int = 4
    clip: float = 1.0
    save_minutes: float = 5.0
    bfloat16: bool = CPU_MULTIPLIES_BF16 or torch.cuda.is_available()
    seed: int = 0
    shares: Shares = field(default_factory=Shares)

    def rows(self, step: int) -> tuple[int, int]:
        """Return rows and length of the batch at this step."""
        length = self.length * 2 if step % self.long_every == 0 else self.length
        return self.step_tokens // length, length


def scale(plan: Plan, step: int, end: int) -> float:
    """Return the share of the full rate at this step of a run that ends at `end`.

    >>> [scale(Plan(decay=100), step, 1100) for step in (99, 500, 1050, 1100)]
    [0.5, 1.0, 0.5, 0.0]
    """
    return min(1.0, (step + 1) / plan.warmup, max(0.0, (end - step) / plan.decay))


def cross_entropy(model: nn.Module, ids: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    """Return the mean cross-entropy per target token in nats."""
    logits = model(input_ids=ids, attention_mask=mask, use_cache=False).logits
    return functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten(), ignore_index=IGNORED)


class Run:
    """A model in training, its optimizers, its step, and its checkpoint."""

    def __init__(self, model: LlamaForCausalLM, mixture: Mixture, plan: Plan, loss: Loss = cross_entropy, compiled: bool = True) -> None:
        self.model, self.mixture, self.plan = model, mixture, plan
        self.optimizers = Optimizers(model, plan.muon_rate, plan.adam_rate, plan.weight_decay)
        self.loss_of = torch.compile(loss, dynamic=False) if compiled else loss
        self.step = self.tokens = 0
        self.decay, self.end = plan.decay, plan.steps

    def one_step(self) -> float:
        """Learn from one batch and return its loss before the step."""
        batch = self.mixture.batch(self.step, *self.plan.rows(self.step), tokens_before=self.tokens)
        device = self.model.device
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=self.plan.bfloat16):
            loss = self.loss_of(self.model, batch.ids.to(device), batch.targets.to(device), batch.mask.to(device))
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.plan.clip)
        self.optimizers.step(scale(replace(self.plan, decay=self.decay), self.step, self.end))
        self.step += 1
        self.tokens += batch.tokens
        return float(loss.detach())

    def end_in(self, steps: int) -> None:
        """Let the rate fall to zero over so many steps from now on."""
        self.decay, self.end = steps, self.step + steps

    @property
    def finished(self) -> bool:
        """True after the last step."""
        return self.step >= self.end

    def save(self, path: Path) -> None:
        """Write a checkpoint as a whole or not at all."""
        state = {"model": self.model.state_dict(), "optimizers": self.optimizers.state_dict(), "step": self.step, "tokens": self.tokens,
                 "decay": self.decay, "end": self.end}  # fmt: skip
        torch.save(state, path.with_suffix(".new"))
        os.replace(path.with_suffix(".new"), path)

    def resume(self, path: Path) -> None:
        """Continue from a checkpoint that `save` wrote."""
        state = torch.load(path, map_location="cpu", weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizers.load_state_dict(state["optimizers"])
        self.step, self.tokens, self.decay, self.end = (state[name] for name in ("step", "tokens", "decay", "end"))


def new_model(tokenizer: PreTrainedTokenizerFast, shape: dict[str, int], seed: int) -> LlamaForCausalLM:
    """Return a model of this shape with weights drawn from the seed, on the GPU if there is one."""
    torch.manual_seed(seed)
    model = LlamaForCausalLM(config(shape, tokenizer.bos_token_id, tokenizer.eos_token_id, len(tokenizer)))
    return model.to("cuda" if torch.cuda.is_available() else "cpu")


def tokenizer_in(folder: Path, corpus: Corpus, start_from: Path | None = None) -> PreTrainedTokenizerFast:
    """Return the tokenizer of this run. A new run copies the one of `start_from`, or trains its own."""
    if start_from and not (folder / "tokenizer").exists():
        AutoTokenizer.from_pretrained(start_from).save_pretrained(folder / "tokenizer")
    if not (folder / "tokenizer").exists():
        train_tokenizer(tokenizer_texts(corpus)).save_pretrained(folder / "tokenizer")
    return AutoTokenizer.from_pretrained(folder / "tokenizer")


def train(run: Run, checkpoint: Path, minutes: float = 0, record: Path | None = None) -> None:
    """Train until the plan or the time ends, or a signal asks to stop. Write a checkpoint every few minutes, and the growth `record`."""
    stopping: list[bool] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.append(True))
    began = saved = logged = time.monotonic()
    mean, before = 0.0, run.tokens
    while not stopping and not run.finished and (not minutes or time.monotonic() - began < minutes * 60):
        if record and run.step in growth.MOMENTS:
            growth.append(record, growth.moment(run.model, run.mixture.tokenizer, run.step, run.tokens, mean or None))
        loss = run.one_step()
        mean = loss if not mean else 0.95 * mean + 0.05 * loss
        now = time.monotonic()
        if run.step % 10 == 0:
            speed = (run.tokens - before) / (now - logged)
            print(f"{time.strftime('%X')} step {run.step} tokens {run.tokens / 1e6:.2f}M loss {mean:.3f} {speed:.0f} tokens/s", flush=True)
            logged, before = now, run.tokens
        if now - saved > run.plan.save_minutes * 60:
            run.save(checkpoint)
            saved = now
    run.save(checkpoint)
    if record and run.finished:
        growth.append(record, growth.moment(run.model, run.mixture.tokenizer, run.step, run.tokens, mean or None))
    print(f"saved at step {run.step}", flush=True)


def begin(run: Run, checkpoint: Path, start_from: Path | None = None) -> None:
    """Continue from the checkpoint, if it exists, or begin with the weights of the exported model `start_from`."""
    if checkpoint.exists():
        run.resume(checkpoint)
    elif start_from:
        run.model.load_state_dict(AutoModelForCausalLM.from_pretrained(start_from, dtype=torch.float32).state_dict())


def storyteller(
    corpus: Corpus, folder: Path, plan: Plan, start_from: Path | None = None, shape: dict[str, int] = STORYTELLER, compiled: bool = True
) -> Run:
    """Return the run of the storyteller in this folder: new, or resumed from its checkpoint."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizer_in(folder, corpus, start_from)
    mixture = Mixture(tokenizer, corpus, plan.shares, plan.seed)
    run = Run(new_model(tokenizer, shape, plan.seed), mixture, plan, compiled=compiled)
    begin(run, folder / CHECKPOINTS["storyteller"], start_from)
    return run


def options(description: str | None) -> argparse.ArgumentParser:
    """Return the options that training and distillation share."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of plain text files")
    parser.add_argument("--checkpoints", type=Path, required=True, help="folder for tokenizer and checkpoints, outside git")
    parser.add_argument("--minutes", type=float, default=0, help="stop after so many minutes; 0: when the plan ends")
    parser.add_argument("--end-in", type=int, default=0, help="let the rate fall to zero over so many steps from now on")
    parser.add_argument("--bfloat16", action="store_true", help="passes in bfloat16, for a processor that multiplies it faster")
    parser.add_argument("--start-from", type=Path, help="folder of an exported model whose weights a new run begins with")
    return parser


def main() -> None:
    arguments = options(__doc__).parse_args()
    plan = replace(Plan(), bfloat16=True) if arguments.bfloat16 else Plan()
    run = storyteller(Corpus(arguments.corpus), arguments.checkpoints, plan, arguments.start_from)
    if arguments.end_in:
        run.end_in(arguments.end_in)
    train(run, arguments.checkpoints / CHECKPOINTS["storyteller"], arguments.minutes, arguments.checkpoints / "growth.json")


if __name__ == "__main__":
    main()
