"""Experiments of the page “Many requests”."""
