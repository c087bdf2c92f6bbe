"""Make the bundled models from nothing with one command.

    python -m core.bundled.recipe.make --corpus TEXTS --checkpoints FOLDER --to BUNDLE [--judge MODEL]

Trains tokenizer and storyteller, distils storyteller-mini, trains its twin without a teacher, exports all three and prints the evaluation.
A command that was stopped continues from the checkpoints in FOLDER when it is given again.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from core.bundled.recipe import distill, evaluate
from core.bundled.recipe.checksums import write_checksums
from core.bundled.recipe.corpus import Corpus
from core.bundled.recipe.export import export, load_checkpoint
from core.bundled.recipe.models import CHECKPOINTS, SHAPES
from core.bundled.recipe.train import Plan, storyteller, train


def make(
    corpus: Corpus,
    folder: Path,
    bundle: Path,
    plan: Plan,
    student_plan: Plan,
    shapes: dict[str, dict[str, int]] = SHAPES,
    compiled: bool = True,
) -> None:
    """Run every phase that is not finished, then write one folder per model into `bundle`."""
    run = storyteller(corpus, folder, plan, shape=shapes["storyteller"], compiled=compiled)
    train(run, folder / CHECKPOINTS["storyteller"], record=folder / "growth.json")
    for alone in (False, True):
        if run.finished:
            run = distill.student(corpus, folder, student_plan, alone, shapes, compiled)
            train(run, folder / distill.name(alone))
    if not run.finished:
        raise SystemExit("Stopped before the end. The same command continues.")
    for name, shape in shapes.items():
        export(load_checkpoint(folder / CHECKPOINTS[name], shape, run.mixture.tokenizer), run.mixture.tokenizer, bundle / name)
    shutil.copyfile(folder / "growth.json", bundle / "storyteller" / "growth.json")
    write_checksums(bundle)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of plain text files")
    parser.add_argument("--checkpoints", type=Path, required=True, help="folder for tokenizer and checkpoints, outside git")
    parser.add_argument("--to", type=Path, required=True, help="folder to write the models into")
    parser.add_argument("--judge", type=Path, help="folder of the judging model")
    arguments = parser.parse_args()
    make(Corpus(arguments.corpus), arguments.checkpoints, arguments.to, Plan(), distill.PLAN)
    evaluate.evaluate(evaluate.load(arguments.to / "storyteller"), arguments.checkpoints, arguments.judge)


if __name__ == "__main__":
    main()
