"""Experiments of the page “Training”."""
