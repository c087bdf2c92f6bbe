"""Experiments of the page “Why this token?”."""
