"""Experiments of the page “Fewer bits”."""
