"""Experiments of the page “Compare”."""
