"""The parts of the live view, which the app and a live page draw alike: scripts, a style sheet, and their words."""
