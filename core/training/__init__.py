"""How the bundled models were made: real prose and lessons, tokenizer, training, distillation, learning together, examination.

One command makes both, from nothing to the folders that the app ships, and goes on where it was stopped:

    python -m core.training.make --corpus TEXTS --run RUN --to BUNDLE

TEXTS is a folder of plain text files (README.md of each bundled model says which were used), RUN a folder for checkpoints outside git,
BUNDLE the folder of both models. Each phase is also a command of its own (tokenizer, train, distill, together, export, evaluate; --help
explains it).
"""
