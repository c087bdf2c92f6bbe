"""Experiments of the page “Memory”."""
