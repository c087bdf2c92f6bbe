"""Distil storyteller-mini from the storyteller of a run.

    python -m core.bundled.recipe.distill --corpus TEXTS --checkpoints FOLDER [--alone] [--start-from MODEL]

Reads FOLDER/checkpoint.pt (the frozen teacher), writes and resumes FOLDER/mini.pt. At every position the student learns the teacher's
probabilities of all tokens (Hinton, Vinyals and Dean, 2015), on the texts that the teacher read. With --alone a twin with the same first
weights learns the text itself, into FOLDER/alone.pt. The difference between the two is what distillation gave.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import AutoTokenizer, LlamaForCausalLM

from core.bundled.recipe.corpus import Corpus
from core.bundled.recipe.export import load_checkpoint
from core.bundled.recipe.mixture import IGNORED, Mixture
from core.bundled.recipe.models import CHECKPOINTS, SHAPES
from core.bundled.recipe.train import Loss, Plan, Run, begin, cross_entropy, new_model, options, train

PLAN = replace(Plan(), steps=3000, decay=1000, seed=1, muon_rate=4e-3, adam_rate=4e-3)


def divergence(teacher_logits: Tensor, student_logits: Tensor, asked: Tensor) -> Tensor:
    """Return the mean KL(teacher || student) in nats over the positions [rows, length] in `asked`. Logits: [rows, length, vocabulary]."""
    student = functional.log_softmax(student_logits.float(), -1)
    teacher = functional.log_softmax(teacher_logits.float(), -1)
    per_position = (teacher.exp() * (teacher - student)).sum(-1)
    return (per_position * asked).sum() / asked.sum()


def distance_to(teacher: LlamaForCausalLM) -> Loss:
    """Return a loss: the divergence of a student from this frozen teacher."""
    teacher = teacher.eval().requires_grad_(False)

    def loss(student: nn.Module, ids: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
        with torch.no_grad():
            wanted = teacher(input_ids=ids, attention_mask=mask, use_cache=False).logits
        return divergence(wanted, student(input_ids=ids, attention_mask=mask, use_cache=False).logits, targets != IGNORED)

    return loss


def student(
    corpus: Corpus,
    folder: Path,
    plan: Plan,
    alone: bool = False,
    shapes: dict[str, dict[str, int]] = SHAPES,
    compiled: bool = True,
    start_from: Path | None = None,
) -> Run:
    """Return the run of the student in this folder, or of its twin without a teacher: new, or resumed from its checkpoint."""
    tokenizer = AutoTokenizer.from_pretrained(folder / "tokenizer")
    model = new_model(tokenizer, shapes["storyteller-mini"], plan.seed)
    loss: Loss = cross_entropy
    if not alone:
        loss = distance_to(load_checkpoint(folder / CHECKPOINTS["storyteller"], shapes["storyteller"], tokenizer).to(model.device))
    run = Run(model, Mixture(tokenizer, corpus, plan.shares, plan.seed), plan, loss, compiled)
    begin(run, folder / name(alone), start_from)
    return run


def name(alone: bool) -> str:
    """Return the file name of the student's checkpoint."""
    return CHECKPOINTS["storyteller-mini-alone" if alone else "storyteller-mini"]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--alone", action="store_true", help="train the twin that learns from the text without a teacher")
    arguments = parser.parse_args()
    plan = replace(PLAN, bfloat16=True) if arguments.bfloat16 else PLAN
    run = student(Corpus(arguments.corpus), arguments.checkpoints, plan, arguments.alone, start_from=arguments.start_from)
    if arguments.end_in:
        run.end_in(arguments.end_in)
    train(run, arguments.checkpoints / name(arguments.alone), arguments.minutes)


if __name__ == "__main__":
    main()
