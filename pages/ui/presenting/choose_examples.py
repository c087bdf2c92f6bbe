"""Search for prompts, seeds and parameters that hold their claims with the bundled weights, and write them into the files of examples
and talks.

    python -m pages.ui.presenting.choose_examples            # all of them, some minutes
    python -m pages.ui.presenting.choose_examples stage why  # only these

Run it after the bundled weights have changed, then `python -m pages.ui.experiments.record_results`. `tests/bundled/test_claims.py` asks
every claim.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from core import Generation, load_model
from core.engine.model import LanguageModel
from core.experiments.shared.claim import text_of
from core.experiments.shared.claims_of_runs import ends_in_a_sentence, share
from core.models.hub import BUNDLED
from core.record.step import Step
from pages.ui import features
from pages.ui.i18n import example_texts
from pages.ui.presenting import prepared_talks
from pages.ui.presenting.stage_state import doubt
from pages.ui.presenting.talk_file import Stop
from pages.ui.session.sampling_controls import START
from pages.ui.session.share_link import encoded

MODELS = ("storyteller", "storyteller-mini", "storyteller-mini-alone")
SEEDS = range(80)
DOUBT = 1.0  # bits, of those stops: tokens below it are written without a press
SHORTEST, LONGEST = 6, 24  # tokens of a sentence on stage
IMPROBABLE = 0.02
FIRST_ROLLS = (0.2, 0.85)
AT_HOME = 0.05  # of the tokens of an example may be below 1 %


@dataclass(frozen=True, slots=True)
class Sentence:
    """What one seed writes on stage, up to the end of the sentence or LONGEST tokens.

    first: what the dice chose before the presenter took another token.
    """

    seed: int
    path: tuple[Step, ...]
    first: Step

    @property
    def choices(self) -> int:
        """Number of tokens that the audience sees chosen, by the dice or by the presenter."""
        return sum(step.chosen_by == "forced" or doubt(step) >= DOUBT for step in self.path)

    @property
    def faults(self) -> list[str]:
        """Return why this seed is not a good choice."""
        roll = self.first.roll or 0.0
        faults = {
            "no end": not ends_in_a_sentence(self.path),
            "an improbable token": any(step.model_probability < IMPROBABLE for step in self.path),
            f"first roll {roll:.2f}": not FIRST_ROLLS[0] <= roll <= FIRST_ROLLS[1],
            "only likeliest tokens": all(step.rank == 1 for step in self.path),
            f"{self.choices} choices": not 2 <= self.choices <= 6,
            "short": len(self.path) < SHORTEST,
        }
        return [name for name, is_so in faults.items() if is_so]


def stage_stops() -> Iterator[Stop]:
    """Yield each stop of the prepared talks in which the model writes on the stage, once."""
    seen = set()
    for talk in prepared_talks.TALKS.values():
        for stop in talk.stops:
            if stop.page == "stage" and "run" not in stop.query and stop.title not in seen:
                seen.add(stop.title)
                yield stop


def sentence(model: LanguageModel, stop: Stop, seed: int) -> Sentence:
    """Return what this seed writes at this stop."""
    run = Generation(model, stop.query["prompt"], replace(START, seed=seed))
    first = run.step()
    if "choose" in stop.acts:  # the stage frames the likeliest other token
        run.go_to(-1)
        run.force(next(c.token_id for c in first.candidates if c.token_id != first.token_id))
    while len(run.path) < LONGEST and not run.finished and not ends_in_a_sentence(run.path):
        run.step()
    return Sentence(seed, tuple(run.path), first)


def choose_stage(model: LanguageModel, talks: dict[str, Any]) -> None:
    """Write seed and number of tokens of every stage stop."""
    for stop in stage_stops():
        best = min((sentence(model, stop, seed) for seed in SEEDS), key=lambda example: (len(example.faults), example.seed))
        talks["stops"][stop.title] |= {"link": f"stage?{encoded(stop.query | {'seed': str(best.seed)})}", "words": len(best.path)}
        report(f"{stop.title}: {stop.query['prompt']} |{text_of(best.path)} {best.faults}")


def at_home(model: LanguageModel, prompt: str, seeds: int = 6) -> bool:
    """Return whether the model writes on from an example prompt in its own way: few tokens that it finds improbable."""
    path: list[Step] = []
    for seed in range(seeds):
        run = Generation(model, prompt, replace(START, seed=seed))
        path += run.stream(32)
    return share(path, lambda step: step.model_probability < 0.01) <= AT_HOME


EXAMPLES_FILE, TALKS_FILE = FILES = (example_texts.FILE, prepared_talks.FILE)
Search = Callable[[LanguageModel, dict[str, Any]], None]  # it writes into the content of the file


def searches() -> dict[str, tuple[Search, Path]]:
    """Return the searches by name, each with the file that it writes into: the stage's, and SEARCHES in `choose_examples.py` of pages."""
    listed: dict[str, tuple[Search, Path]] = {"stage": (choose_stage, TALKS_FILE)}
    for path in features.paths():
        if (features.FOLDER / path / "choose_examples.py").exists():
            searched = import_module(f"pages.{path}.choose_examples").SEARCHES
            listed |= {name: (search, EXAMPLES_FILE) for name, search in searched.items()}
    return listed


def fingerprints() -> list[str]:
    """Return the name of every bundled model with the SHA-256 of its weights."""
    return [f"{name} {hashlib.sha256((BUNDLED / name / 'model.safetensors').read_bytes()).hexdigest()}" for name in MODELS]


def report(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line.replace("\n", " ") + "\n")
    sys.stdout.flush()


def file_text(content: dict[str, Any]) -> str:
    """Return the text of a data file."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def main(names: list[str]) -> None:
    """Search for the named choices, or for all, and write the files."""
    model = load_model(MODELS[0])
    contents = {file: json.loads(file.read_text("utf-8")) for file in FILES}
    for name, (search, file) in searches().items():
        if not names or name in names:
            search(model, contents[file])
    contents[EXAMPLES_FILE]["weights"] = fingerprints()
    for file, content in contents.items():
        file.write_text(file_text(content), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
