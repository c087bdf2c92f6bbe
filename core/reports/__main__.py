"""The picture in README.md, of the bundled model as it is today: `python -m core.reports` draws it again."""

from __future__ import annotations

import sys
from pathlib import Path

from core.generation.generation import Generation
from core.models.loading import load_model
from core.settings import SamplingSettings

PICTURE = Path(__file__).with_name("step.png")
PROMPT, SETTINGS, STEPS = "Once upon a time", SamplingSettings(temperature=0.9, top_p=0.95, seed=7), 14


def draw(path: Path) -> None:
    """Write the picture of a step."""
    run = Generation(load_model("storyteller"), PROMPT, SETTINGS)
    run.generate(STEPS)
    run.path[-1].to_image(path)


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
