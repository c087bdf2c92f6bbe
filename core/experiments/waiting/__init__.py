"""Experiments of the page “Waiting”."""
