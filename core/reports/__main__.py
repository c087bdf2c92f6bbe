"""Files of the bundled models as they are today, or of another model.

python -m core.reports                              draw the moving picture in README.md again
python -m core.reports live FILE --model mini       write a live page in English: the model and its view in one HTML file

`python -m pages.watch.live_file FILE` writes a live page in all languages of the app.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from core.errors import ViewerError
from core.generation.generation import Generation
from core.message import ENGLISH, Wording
from core.models.hub import bundled_names
from core.models.loading import load_model
from core.reports import files
from core.reports.live_page.page import page
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


def write_live_page(arguments: list[str], wordings: Sequence[Wording] = (ENGLISH,), command: str = "python -m core.reports live") -> None:
    """Write a live page of a model: a bundled one by its name, of which the part after "storyteller-" is enough, or another one."""
    parser = argparse.ArgumentParser(prog=command, description="Write a model and its view into one HTML file.")
    parser.add_argument("file", type=Path, help="the HTML file to write")
    parser.add_argument("--model", default="storyteller", help="a bundled model, a folder, or the name of a model on this machine")
    given = parser.parse_args(arguments)
    name = next((bundled for bundled in bundled_names() if bundled == f"storyteller-{given.model}"), given.model)
    try:
        files.write(given.file, page(load_model(name), wordings).encode())
    except ViewerError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    if sys.argv[1:2] == ["live"]:
        write_live_page(sys.argv[2:])
    else:
        draw(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
