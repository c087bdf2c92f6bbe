"""An n-gram model, which one can count by hand: the counts of a text as a source of probabilities, and as a sheet for dice."""

PREFIX = "ngram:"  # of the names of models that count the bundled stories
