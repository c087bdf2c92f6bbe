"""Make the bundled models, from nothing to the folders that the app ships: one command.

    python -m core.training.make --corpus TEXTS --run RUN --to BUNDLE

Nine phases, one after another: tokenizer, storyteller, storyteller-mini (distilled), a twin without teacher, storyteller and mini together,
the twin over the same texts, export, examination, card.
Whatever is stopped (Ctrl-C, SIGTERM, a power cut) goes on where it was when the same command is given again: RUN keeps tokenizer and
checkpoints. Every batch is a function of the seed and the step: two runs with the same texts and number of workers learn the same.

With --on-from OLD_BUNDLE nothing is begun anew: the storyteller, its tokenizer and the growth record are taken from that folder and go on
with fresh optimizers; then it and the pupil learn from each other, and the twin from the same texts, so that nothing but the teacher is
between the two. So were the committed weights made (README.md of the storyteller tells from where on).
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from core.training import distill, together, train
from core.training.corpus import Corpus
from core.training.evaluate import examine, into_cards
from core.training.export import export, load_checkpoint
from core.training.models import CHECKPOINTS, SHAPES
from core.training.tokenizer import texts, train_tokenizer
from core.training.train import Plan, finished
from core.training.workers import launch

LESSONS_FOR_TOKENIZER = 30_000
# From nothing: the rate that teaches copying, held as long as there is something to learn, and then down to nothing.
FROM_NOTHING = Plan(steps=27_000, decay=5_000, long_from=1500, spelling=5.0)
# Reading on from finished weights: warmed up again, a little more gently, twice.
FURTHER_STEPS = 1200
FURTHER = Plan(
    decay=500,
    long_from=0,
    early_steps=0,
    cycles=2,
    averaged=True,
    muon_rate=1.6e-3,
    adam_rate=1.6e-3,
    prose_share=0.55,
    spelling=5.0,
    deterrence=0.2,
)
DISTILLED = distill.PLAN


@dataclass(frozen=True, slots=True)
class Making:
    """What is made of what: texts to read, the folder of the run, the folder of the models, how many processes share the work."""

    corpus: Path
    run: Path
    bundle: Path
    workers: int


def make_tokenizer(making: Making) -> None:
    """Phase 1. Kept if it is there."""
    if not (making.run / "tokenizer" / "tokenizer.json").exists():
        train_tokenizer(texts(Corpus(making.corpus), LESSONS_FOR_TOKENIZER)).save_pretrained(making.run / "tokenizer")


def take_weights(bundle: Path, run: Path) -> None:
    """Phase 1 and the beginnings of the others of a run that goes on: tokenizer, growth record and weights."""
    if (run / "begin.json").exists():
        return
    last = json.loads((bundle / "storyteller" / "growth.json").read_text())["moments"][-1]
    AutoTokenizer.from_pretrained(bundle / "storyteller").save_pretrained(run / "tokenizer")
    shutil.copyfile(bundle / "storyteller" / "growth.json", run / "growth.json")
    for name, file in CHECKPOINTS.items():
        weights = AutoModelForCausalLM.from_pretrained(bundle / name, dtype=torch.float32).state_dict()
        # Pupil and twin are past their first phase.
        step = last["step"] if name == "storyteller" else max(last["step"], DISTILLED.steps)
        torch.save({"model": weights, "optimizers": [], "step": step, "tokens": last["tokens"]}, run / file)
    (run / "begin.json").write_text(json.dumps({"step": last["step"]}))


def plan_of(run: Path, further: int = FURTHER_STEPS) -> Plan:
    """The schedule of this run: from nothing, or `further` steps on from the step that `take_weights` wrote down."""
    begun = run / "begin.json"
    if not begun.exists():
        return FROM_NOTHING
    begin = json.loads(begun.read_text())["step"]
    return replace(FURTHER, begin=begin, steps=begin + further)


def learn(making: Making, checkpoint: Path, plan: Plan, begin: Callable[[Path | None, Path, Plan], None]) -> bool:
    """One of the phases 2 to 6: train or distil to the end of the plan; False if it was stopped before."""
    if not finished(checkpoint, plan):
        launch(partial(begin, making.corpus, making.run, plan), checkpoint.with_suffix(".pid"), making.workers)
    return finished(checkpoint, plan)


def make_folders(making: Making) -> None:
    """Phase 7: ordinary folders that anybody can load."""
    tokenizer = AutoTokenizer.from_pretrained(making.run / "tokenizer")
    for name, file in CHECKPOINTS.items():
        export(load_checkpoint(making.run / file, SHAPES[name], tokenizer), tokenizer, making.bundle / name)
    shutil.copyfile(making.run / "growth.json", making.bundle / "storyteller" / "growth.json")


def make_card(making: Making) -> None:
    """Phases 8 and 9: the examination, and its tables in the cards."""
    into_cards(making.bundle, examine(making.bundle, Corpus(making.corpus), items=100, texts=5000, seeds=5))


def make(making: Making, on_from: Path | None = None, further: int = FURTHER_STEPS, steps_together: int = together.STEPS) -> bool:
    """All phases; False if one of them was stopped."""
    making.run.mkdir(parents=True, exist_ok=True)
    if on_from:
        take_weights(on_from, making.run)
    make_tokenizer(making)
    run, alone = making.run, partial(distill.begin, alone=True)
    apart = (("checkpoint.pt", plan_of(run, further), train.begin), ("mini.pt", DISTILLED, distill.begin), ("alone.pt", DISTILLED, alone))
    if not all(learn(making, run / checkpoint, plan, begin) for checkpoint, plan, begin in apart):
        return False
    plan = together.plan_of(run, steps_together)
    if not learn(making, run / together.CHECKPOINT, plan, together.begin):
        return False
    together.put_back(run)
    if not learn(making, run / "alone.pt", together.twin_of(plan), alone):
        return False
    make_folders(making)
    make_card(making)
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of plain text files")
    parser.add_argument("--run", type=Path, required=True, help="folder for tokenizer and checkpoints, outside git")
    parser.add_argument("--to", type=Path, required=True, help="folder for storyteller/, storyteller-mini/ and its twin")
    parser.add_argument("--on-from", type=Path, help="folder with storyteller/ and storyteller-mini/ that go on")
    parser.add_argument(
        "--further", type=int, default=FURTHER_STEPS, help="with --on-from: how many steps the storyteller reads alone before (0: none)"
    )
    parser.add_argument("--together", type=int, default=together.STEPS, help="how many steps storyteller and mini learn from each other")
    parser.add_argument("--workers", type=int, default=1, help="processes that share the work, one thread each")
    arguments = parser.parse_args()
    making = Making(arguments.corpus, arguments.run, arguments.to, arguments.workers)
    done = make(making, arguments.on_from, arguments.further, arguments.together)
    print("The models are made." if done else "Stopped. The same command goes on from here.")


if __name__ == "__main__":
    main()
