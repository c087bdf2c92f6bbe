"""Train storyteller from nothing.

    python -m core.training.train --corpus TEXTS --run RUN

On a CPU give one worker to each core (--workers): on a busy machine, two workers that meet once a step are much faster than two
threads that meet in every operation.

Resumes from RUN/checkpoint.pt when there is one; stops cleanly on SIGTERM or Ctrl-C. To end a run that has learned enough, stop it and
start it again with `--steps` a little beyond the step it reached: the rate then falls to zero over the last `--decay` steps.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from transformers import AutoTokenizer, LlamaForCausalLM, PreTrainedTokenizerFast

from core.device import CPU_MULTIPLIES_BF16
from core.finetuning.optimizer import Optimizers, schedule
from core.training import growth
from core.training.corpus import Corpus
from core.training.data import IGNORED, Batch, Lessons
from core.training.lessons import fingerprint
from core.training.models import STORYTELLER, config
from core.training.spelling import Spelling, auxiliary_loss, known_words
from core.training.workers import average_gradients, launch, shared, stop_on_signals, workers

Loss = Callable[..., torch.Tensor]


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything about a run that is a number. Rows shrink as length grows, so that a step stays as many tokens.

    From step `long_from` on, one step in `long_every` has long rows: attention over them is the dearest part of a step.

    begin: the step at which the rate is warmed up, for a run that goes on from weights alone.
    cycles: how often the rate is warmed up and falls to nothing. averaged: at the end, the model is the mean of the weights that it began
    with and had at the end of each cycle: they err in different places, and their mean errs less (Izmailov and others, 2018).
    spelling: weight of the probability on pieces that no known word allows (spelling.py); 0 asks for the next token alone. deterrence: of
    how far pieces that would complete a hurtful word are too likely; only beside the spelling. patchwork: share of the documents of prose
    that are put together of sentences from many.
    """

    steps: int = 100_000
    warmup: int = 100
    decay: int = 1500
    step_tokens: int = 4096
    length: int = 256
    long_length: int = 512
    long_from: int = 1500
    long_every: int = 4
    early_steps: int = 800
    prose_share: float = 0.5
    patchwork: float = 0.0
    spelling: float = 0.0
    deterrence: float = 0.1
    begin: int = 0
    cycles: int = 1
    averaged: bool = False
    muon_rate: float = 2e-3
    adam_rate: float = 2e-3
    weight_decay: float = 0.05
    seed: int = 0
    save_every: int = 200

    def shape(self, step: int) -> tuple[int, int]:
        """Rows and length of the batch at this step."""
        length = self.long_length if step >= self.long_from and step % self.long_every == 0 else self.length
        return max(1, self.step_tokens // length), length

    def cycle(self, step: int) -> tuple[int, int]:
        """How far this step is in its cycle, and how many steps a cycle has."""
        each = (self.steps - self.begin) // self.cycles
        return (step - self.begin) % each, each


def device() -> torch.device:
    """The GPU if there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def loss_of(
    model: nn.Module,
    ids: torch.Tensor,
    targets: torch.Tensor,
    mask: torch.Tensor,
    *auxiliary: Any,
) -> torch.Tensor:
    """Mean cross-entropy per target token, in nats, and the loss on what `Trainer.auxiliary` gives. In bf16 where that is quick."""
    with torch.autocast(ids.device.type, dtype=torch.bfloat16, enabled=ids.device.type != "cpu" or CPU_MULTIPLIES_BF16):
        logits = model(input_ids=ids, attention_mask=mask, use_cache=False).logits
    loss = functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten(), ignore_index=IGNORED)
    return loss + auxiliary_loss(logits, targets != IGNORED, *auxiliary) if auxiliary else loss


class Trainer:
    """A model on its way: weights, optimizers, step and tokens seen, and how to save and resume them."""

    def __init__(self, model: nn.Module, lessons: Lessons, plan: Plan, compiled: bool = True, spelling: Spelling | None = None) -> None:
        self.model, self.lessons, self.plan, self.spelling = model, lessons, plan, spelling
        self.device = next(model.parameters()).device
        self.optimizers = Optimizers(model, plan.muon_rate, plan.adam_rate, plan.weight_decay)
        self.loss_of: Loss = torch.compile(loss_of, dynamic=False) if compiled else loss_of
        self.step = self.tokens = 0
        self.snapshots: list[dict[str, torch.Tensor]] = []  # weights that will be averaged

    def one_step(self, scale: float = 1.0) -> float:
        """Learn from one batch, at the scheduled rate times `scale`; the loss before learning from it."""
        plan = self.plan
        at, each = plan.cycle(self.step)
        if plan.averaged and at == 0:
            self.take_snapshot()
        whole = self.lessons.batch(self.step, *plan.shape(self.step))
        batch = whole.part(*workers())
        loss = self.loss(batch)
        loss.backward()
        average_gradients(self.model, batch.tokens / whole.tokens)
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizers.step(scale * schedule(at, each, plan.warmup, plan.decay))
        self.step += 1
        self.tokens += whole.tokens
        if plan.averaged and self.step == plan.begin + plan.cycles * each:
            self.take_snapshot()
            self.model.load_state_dict(
                {name: sum(weights[name] for weights in self.snapshots) / len(self.snapshots) for name in self.snapshots[0]}
            )
        return float(loss.detach())

    def take_snapshot(self) -> None:
        """Keep the weights as they are now, for their mean."""
        self.snapshots.append({name: weight.detach().clone() for name, weight in self.model.state_dict().items()})

    def loss(self, batch: Batch) -> torch.Tensor:
        """The loss of one batch, whose gradient is followed."""
        there = batch.to(self.device)
        return self.loss_of(self.model, there.ids, there.targets, there.mask, *self.auxiliary(batch))

    def auxiliary(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor, float, float] | tuple[()]:
        """What `auxiliary_loss` needs: the two masks and their weights; nothing for a run that asks for no spelling."""
        if self.spelling is None:
            return ()
        wrong, hurtful = (mask(batch.ids, batch.targets).to(self.device) for mask in (self.spelling.wrong, self.spelling.hurtful))
        return wrong, hurtful, self.plan.spelling, self.plan.deterrence

    @torch.no_grad()
    def exam_loss(self, batches: int = 2) -> float:
        """Mean loss on held-out lessons, the same ones every time."""
        losses = []
        for number in range(batches):
            batch = self.lessons.batch(number, *self.plan.shape(self.step), exam=True).to(self.device)
            losses.append(float(loss_of(self.model, batch.ids, batch.targets, batch.mask)))
        return sum(losses) / len(losses)

    def save(self, path: Path) -> None:
        """Write a checkpoint whole or not at all."""
        state: dict[str, Any] = {
            "model": self.model.state_dict(),
            "optimizers": self.optimizers.state_dict(),
            "step": self.step,
            "tokens": self.tokens,
            "snapshots": self.snapshots,
        }
        torch.save(state, path.with_suffix(".new"))
        os.replace(path.with_suffix(".new"), path)

    def resume(self, path: Path) -> None:
        """Go on where `save` stopped."""
        state = torch.load(path, map_location=self.device, weights_only=True)
        self.model.load_state_dict(state["model"])
        if state["optimizers"]:
            self.optimizers.load_state_dict(state["optimizers"])
        self.step, self.tokens, self.snapshots = state["step"], state["tokens"], state.get("snapshots", [])


def new_model(tokenizer: PreTrainedTokenizerFast, shape: dict[str, int], seed: int) -> LlamaForCausalLM:
    """A model with random weights, the same for the same seed."""
    torch.manual_seed(seed)
    return LlamaForCausalLM(config(shape, tokenizer.bos_token_id, tokenizer.eos_token_id, len(tokenizer))).to(device())


def finished(checkpoint: Path, plan: Plan) -> bool:
    """True when this checkpoint has come to the end of its plan."""
    return checkpoint.exists() and torch.load(checkpoint, map_location="cpu", weights_only=True)["step"] >= plan.steps


def size_of(trainer: Trainer) -> str:
    """How large what learns is, and where, for the log."""
    return f"{sum(parameter.numel() for parameter in trainer.model.parameters()):,} parameters on {trainer.device}"


def run(
    trainer: Trainer, checkpoint: Path, note: Callable[[float | None], None] | None = None, minutes: float = 0, log_every: int = 10
) -> None:
    """Train to the last step of the plan or, if `minutes` are given, for so long with a rate that falls evenly to zero.

    The first worker keeps the log and the checkpoint; `note` is called with the mean loss at the moments of the growth record and
    at the end.
    """
    stopping = stop_on_signals()
    plan, first, started, since = trainer.plan, workers()[0] == 0, time.perf_counter(), trainer.tokens
    began = started
    mean: float | None = None
    left = 1.0
    while trainer.step < plan.steps and left > 0 and not shared(len(stopping)):
        if first and note and trainer.step in growth.MOMENTS:
            note(mean)
        loss = trainer.one_step(left)
        mean = loss if mean is None else 0.95 * mean + 0.05 * loss
        if first and trainer.step % log_every == 0:
            speed = (trainer.tokens - since) / (time.perf_counter() - started)
            started, since = time.perf_counter(), trainer.tokens
            exam = f" exam {trainer.exam_loss():.3f}" if trainer.step % plan.save_every == 0 else ""
            seen = f"step {trainer.step} tokens {trainer.tokens / 1e6:.2f}M"
            print(f"{time.strftime('%H:%M:%S')} {seen} loss {mean:.4f} {speed:.0f} tokens/s{exam}", flush=True)
        if first and trainer.step % plan.save_every == 0:
            trainer.save(checkpoint)
        if minutes:
            left = shared(max(0.0, 1 - (time.perf_counter() - began) / (60 * minutes)) if first else 0.0)
    if first:
        trainer.save(checkpoint)
        if note and not stopping:
            note(mean)


def begin(corpus: Path | None, folder: Path, plan: Plan, minutes: float = 0) -> None:
    """Load or make the model and train it."""
    tokenizer = AutoTokenizer.from_pretrained(folder / "tokenizer")
    prose = Corpus(corpus)
    lessons = Lessons(tokenizer, prose, plan.prose_share, plan.early_steps, plan.seed)
    spelling = Spelling(tokenizer, known_words(prose)) if plan.spelling else None
    model = new_model(tokenizer, STORYTELLER, plan.seed)
    trainer = Trainer(model, lessons, plan, spelling=spelling)
    if (folder / "checkpoint.pt").exists():
        trainer.resume(folder / "checkpoint.pt")
    print(f"{size_of(trainer)}, from step {trainer.step}, lessons {fingerprint()}", flush=True)

    def note(loss: float | None) -> None:
        entry = growth.moment(model, tokenizer, trainer.step, trainer.tokens, loss, trainer.exam_loss())
        growth.append(folder / "growth.json", entry)

    run(trainer, folder / "checkpoint.pt", note, minutes)


def main() -> None:
    plan = Plan()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="folder of plain text files; without it only the lessons are learned")
    parser.add_argument("--run", type=Path, required=True, help="folder with tokenizer/ in it, for checkpoints and the log; outside git")
    parser.add_argument("--steps", type=int, default=plan.steps, help="the last step")
    parser.add_argument("--decay", type=int, default=plan.decay, help="over how many last steps the rate falls to zero")
    parser.add_argument("--long-from", type=int, default=plan.long_from, help="step from which one in four has rows of 512 instead of 256")
    parser.add_argument("--minutes", type=float, default=0, help="end after so many minutes, the rate falling evenly to zero from now on")
    parser.add_argument("--rate", type=float, default=1.0, help="factor on both learning rates")
    parser.add_argument("--prose-share", type=float, default=plan.prose_share, help="share of the tokens that are real prose")
    parser.add_argument("--begin", type=int, default=plan.begin, help="the step at which the rate is warmed up")
    parser.add_argument("--step-tokens", type=int, default=plan.step_tokens, help="tokens of one step")
    parser.add_argument("--workers", type=int, default=1, help="processes that share the work, one thread each")
    arguments = parser.parse_args()
    plan = replace(
        plan,
        steps=arguments.steps,
        decay=arguments.decay,
        long_from=arguments.long_from,
        prose_share=arguments.prose_share,
        begin=arguments.begin,
        step_tokens=arguments.step_tokens,
        muon_rate=plan.muon_rate * arguments.rate,
        adam_rate=plan.adam_rate * arguments.rate,
    )
    launch(partial(begin, arguments.corpus, arguments.run, plan, arguments.minutes), arguments.run / "pid", arguments.workers)


if __name__ == "__main__":
    main()
