"""Runs on paper: a handout in one file, charts as SVG, a chart for a notebook."""
