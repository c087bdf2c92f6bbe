"""The moving picture in README.md, of the bundled model as it is today: `python -m core.reports` draws it again."""

from __future__ import annotations

import sys
from pathlib import Path

from core.generation.generation import Generation
from core.models.loading import load_model
from core.reports.methods import to_gif
from core.sampling.settings import SamplingSettings

PICTURE = Path(__file__).with_name("run.gif")
PROMPT, SETTINGS, MOST, SPEED = "Once upon a time", SamplingSettings(temperature=0.9, top_p=0.95, seed=102), 40, 0.9


def draw(path: Path) -> None:
    """Write the animation of one sentence, at most `MOST` tokens, each with its probabilities, its choice and its place in the text."""
    run = Generation(load_model("storyteller"), PROMPT, SETTINGS)
    for step in run.stream(MOST):
        if step.text.endswith("."):
            break
    to_gif(run, path, speed=SPEED, beats=True)


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
