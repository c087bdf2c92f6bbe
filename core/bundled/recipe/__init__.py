"""The recipe of the bundled models. The app does not import it.

One command makes the models from nothing and continues where it was stopped:

    python -m core.bundled.recipe.make --corpus TEXTS --checkpoints FOLDER --to BUNDLE

TEXTS is a folder of plain text files (the README.md of each bundled model says which were used). FOLDER, outside git, holds checkpoints.
BUNDLE gets one folder per model. train, distill, export, evaluate, ratings and settings_grid are also commands of their own.
"""
