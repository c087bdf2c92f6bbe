"""Experiments of the page “Pupil and teacher”."""
