"""The picture in README.md, of the bundled model as it is today: `python -m core.reports` draws it again."""

from __future__ import annotations

import sys
from pathlib import Path

from core.generation.generation import Generation
from core.models.loading import load_model
from core.sampling.settings import SamplingSettings

PICTURE = Path(__file__).with_name("step.png")
PROMPT, SETTINGS, STEPS, LEAST = "Once upon a time", SamplingSettings(temperature=0.9, top_p=0.95, seed=7), 10, 5


def draw(path: Path) -> None:
    """Write the picture of the first step after `STEPS` tokens at which at least `LEAST` tokens could be chosen."""
    run = Generation(load_model("storyteller"), PROMPT, SETTINGS)
    run.generate(STEPS)
    step = next(step for step in run.stream(100) if (step.probabilities[-1] > 0.02).sum() >= LEAST)
    step.to_image(path)


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
