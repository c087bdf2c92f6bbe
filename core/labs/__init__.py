"""Experiments, one file each: generators that yield observations, so that a page can draw them as they run."""
