"""Experiments of the page “Thinking aloud”."""
