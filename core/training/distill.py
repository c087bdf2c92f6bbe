"""Distil storyteller-mini from storyteller: the small one learns the large one's whole distributions, not the text.

    python -m core.training.distill --corpus TEXTS --run RUN

Reads RUN/checkpoint.pt (the teacher), writes and resumes RUN/mini.pt. The text is the same, lessons and real prose; only what is asked
of the student differs: at every position, the teacher's probabilities of all 4,096 tokens (Hinton, Vinyals and Dean, 2015).

With --alone there is no teacher: a twin of the same size, from the same first weights, learns the text itself, into RUN/alone.pt. What
distillation gave is the difference between the two. `export --model storyteller-mini-alone` makes a folder of it. First weights are drawn
by the seed, or are what RUN/mini.pt and RUN/alone.pt both hold.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch.nn import functional
from transformers import AutoTokenizer, LlamaForCausalLM, PreTrainedTokenizerFast

from core.device import CPU_MULTIPLIES_BF16
from core.training.corpus import Corpus
from core.training.data import IGNORED, Lessons
from core.training.export import load_checkpoint
from core.training.models import CHECKPOINTS, MINI, STORYTELLER
from core.training.train import Plan, Trainer, device, new_model, run, size_of
from core.training.workers import launch

PLAN = replace(Plan(), steps=6000, decay=2000, seed=1, muon_rate=4e-3, adam_rate=4e-3)


def divergence(teacher_logits: torch.Tensor, student_logits: torch.Tensor, asked: torch.Tensor) -> torch.Tensor:
    """Mean KL(teacher || student) in nats over the positions [rows, length] that are asked; logits are [rows, length, vocabulary]."""
    student = functional.log_softmax(student_logits.float(), -1)
    teacher = functional.log_softmax(teacher_logits.float(), -1)
    per_position = (teacher.exp() * (teacher - student)).sum(-1)
    return (per_position * asked).sum() / asked.sum()


class Distiller(Trainer):
    """A Trainer whose loss is the distance to a teacher."""

    def __init__(self, teacher: LlamaForCausalLM, student: LlamaForCausalLM, lessons: Lessons, plan: Plan, compiled: bool = True) -> None:
        super().__init__(student, lessons, plan, compiled=False)
        self.teacher = teacher.to(student.device).eval().requires_grad_(False)
        distance = torch.compile(self._distance, dynamic=False) if compiled else self._distance
        self.loss_of = lambda model, ids, targets, mask: distance(ids, targets, mask)

    def _distance(self, ids: torch.Tensor, targets: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        with torch.autocast(ids.device.type, dtype=torch.bfloat16, enabled=ids.device.type != "cpu" or CPU_MULTIPLIES_BF16):
            with torch.no_grad():
                wanted = self.teacher(input_ids=ids, attention_mask=mask, use_cache=False).logits
            said = self.model(input_ids=ids, attention_mask=mask, use_cache=False).logits
        return divergence(wanted, said, targets != IGNORED)


def student(folder: Path, tokenizer: PreTrainedTokenizerFast, lessons: Lessons, plan: Plan, alone: bool, compiled: bool = True) -> Trainer:
    """The student with its teacher, or its twin that learns from the text alone: same size, first weights, lessons and plan."""
    fresh = new_model(tokenizer, MINI, plan.seed)
    if alone:
        return Trainer(fresh, lessons, plan, compiled)
    teacher = load_checkpoint(folder / CHECKPOINTS["storyteller"], STORYTELLER, tokenizer).to(device())
    return Distiller(teacher, fresh, lessons, plan, compiled)


def begin(corpus: Path | None, folder: Path, plan: Plan, minutes: float = 0, alone: bool = False) -> None:
    """Load the teacher (unless `alone`), load or make the student, and let it learn."""
    tokenizer = AutoTokenizer.from_pretrained(folder / "tokenizer")
    lessons = Lessons(tokenizer, Corpus(corpus), plan.prose_share, seed=plan.seed)
    learner = student(folder, tokenizer, lessons, plan, alone)
    checkpoint = folder / CHECKPOINTS["storyteller-mini-alone" if alone else "storyteller-mini"]
    if checkpoint.exists():
        learner.resume(checkpoint)
    if alone and learner.step < plan.begin:
        # The texts of a later phase, with fresh optimizers.
        learner, tokens = Trainer(learner.model, lessons, plan), learner.tokens
        learner.step, learner.tokens = plan.begin, tokens
    print(f"{size_of(learner)}, from step {learner.step}", flush=True)
    run(learner, checkpoint, minutes=minutes)


def main() -> None:
    plan = PLAN
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="folder of plain text files; without it only the lessons are used")
    parser.add_argument("--run", type=Path, required=True, help="folder of the teacher's run")
    parser.add_argument("--steps", type=int, default=plan.steps, help="the last step")
    parser.add_argument("--decay", type=int, default=plan.decay, help="over how many last steps the rate falls to zero")
    parser.add_argument("--begin", type=int, default=0, help="the step from which the rate is warmed up, for weights taken from elsewhere")
    parser.add_argument("--minutes", type=float, default=0, help="end after so many minutes, the rate falling evenly to zero from now on")
    parser.add_argument("--workers", type=int, default=1, help="processes that share the work, one thread each")
    parser.add_argument("--alone", action="store_true", help="no teacher: a twin of the student learns the text itself")
    arguments = parser.parse_args()
    plan = replace(plan, steps=arguments.steps, decay=arguments.decay, begin=arguments.begin)
    learn = partial(begin, arguments.corpus, arguments.run, plan, arguments.minutes, arguments.alone)
    launch(learn, arguments.run / ("alone.pid" if arguments.alone else "mini.pid"), arguments.workers)


if __name__ == "__main__":
    main()
