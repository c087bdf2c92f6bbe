"""Seeds for the stage stops of the prepared talks: python -m pages.ui.presenting.choose_seeds [--seeds 60] [--show 6] [--model storyteller]

Run it again when the bundled weights change. For each stop it writes one sentence with each seed, and lists the seeds with the best runs:
the sentence ends within MOST tokens, no token was improbable, the first roll is not near an end of the strip, and at least one token
is not the model's likeliest. Read the texts, choose, and write seed and number of tokens into `prepared_talks.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core import Generation, load_model
from core.engine.model import LanguageModel
from core.record.step import Step
from pages.ui.i18n.example_texts import FIRST_PROMPT
from pages.ui.presenting.prepared_talks import TALKS
from pages.ui.presenting.running_order import Stop
from pages.ui.session.more_samplers import ALL_CONTROLS
from pages.ui.session.sampling_controls import START
from pages.ui.session.share_link import setting_of, value_of

MOST = 24  # tokens of a sentence
IMPROBABLE = 0.02
FIRST_ROLLS = (0.2, 0.85)
ENDS = (".", "!", "?", ".”", '."', "!”", "?”")


@dataclass(frozen=True, slots=True)
class Sentence:
    """What one seed writes, up to the end of the sentence or MOST tokens."""

    seed: int
    path: tuple[Step, ...]

    @property
    def faults(self) -> list[str]:
        """Return why this seed is not a good choice."""
        surprises = sum(step.rank > 1 for step in self.path)
        roll = self.path[0].roll or 0.0
        found = {
            "no end": not self.path[-1].text.rstrip().endswith(ENDS),
            "an improbable token": any(step.model_probability < IMPROBABLE for step in self.path),
            f"first roll {roll:.2f}": not FIRST_ROLLS[0] <= roll <= FIRST_ROLLS[1],
            "only likeliest tokens": not surprises,
            "short": len(self.path) < 4,
        }
        return [name for name, is_so in found.items() if is_so]

    def __str__(self) -> str:
        text = "".join(step.text for step in self.path)
        return f"  seed {self.seed:>3}, {len(self.path):>2} tokens:{text!r} {'; '.join(self.faults)}"


def stage_stops() -> Iterator[Stop]:
    """Yield each stop of the prepared talks in which the model writes on the stage, once."""
    seen = set()
    for talk in TALKS.values():
        for stop in talk.stops:
            if stop.page == "stage" and "run" not in stop.query and stop.link not in seen:
                seen.add(stop.link)
                yield stop


def sentences(model: LanguageModel, stop: Stop, seeds: int) -> list[Sentence]:
    """Return what each seed writes at this stop, the best ones first."""
    asked = stop.query
    values = {one.key: setting_of(one, value_of(one, asked[one.key])) for one in ALL_CONTROLS if one.key in asked and one.key != "seed"}
    made = []
    for seed in range(seeds):
        run = Generation(model, asked.get("prompt", FIRST_PROMPT), replace(START, **values, seed=seed))
        while len(run.path) < MOST and not run.finished and not (run.path and run.path[-1].text.rstrip().endswith(ENDS)):
            run.step()
        made.append(Sentence(seed, tuple(run.path)))
    return sorted(made, key=lambda one: (len(one.faults), len(one.path)))


def main() -> None:
    """Print the best seeds of every stop."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--show", type=int, default=6)
    parser.add_argument("--model", default="storyteller")
    options = parser.parse_args()
    model = load_model(options.model)
    for stop in stage_stops():
        asked = stop.query
        found = sentences(model, stop, options.seeds)[: options.show]
        head = f"{stop.title} · {asked.get('prompt', FIRST_PROMPT)} · seed {asked.get('seed', '0')}, {stop.words} tokens"
        sys.stdout.write("\n".join([head, *map(str, found), ""]))


if __name__ == "__main__":
    main()
