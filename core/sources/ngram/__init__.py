"""An n-gram model, which one can count by hand: the counts of a text as a source of probabilities, and as a sheet for dice."""

import re

PREFIX = "ngram:"  # of the names of models that count the bundled stories


def is_ngram(name: str) -> bool:
    """Return whether a model has this name: "ngram:1" to "ngram:4", or "ngram:3:characters"."""
    return bool(re.fullmatch(rf"{PREFIX}[1-4](:words|:characters)?", name))
