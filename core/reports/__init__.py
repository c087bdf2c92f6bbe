"""Reports of a run: a handout in one HTML file, charts as SVG, and a chart for notebooks."""
