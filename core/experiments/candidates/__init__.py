"""Experiments of the page “Several tries”."""
