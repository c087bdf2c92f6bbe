"""How the bundled models were made: lessons, tokenizer, training, distillation, evaluation.

The commands, in order (each explains itself with --help):

    python -m core.training.tokenizer --corpus TEXTS --run RUN
    python -m core.training.train --corpus TEXTS --run RUN
    python -m core.training.distill --corpus TEXTS --run RUN
    python -m core.training.export --run RUN --model storyteller --to BUNDLE/storyteller
    python -m core.training.export --run RUN --model storyteller-mini --to BUNDLE/storyteller-mini
    python -m core.training.evaluate --corpus TEXTS --models BUNDLE

TEXTS is a folder of plain text files (README.md of each bundled model says which were used), RUN a folder for checkpoints outside git,
BUNDLE the folder of both models.
"""
