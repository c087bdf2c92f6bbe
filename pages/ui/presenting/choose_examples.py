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
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from core import Generation, load_model
from core.engine.model import LanguageModel
from core.experiments.looping import looping
from core.experiments.shared.claim import BIT, text_of
from core.experiments.shared.claims_of_runs import ends_in_a_sentence, share
from core.experiments.why.ablated_heads import ablated_heads
from core.experiments.why.hidden_words import hidden_words, speaks_for_both
from core.experiments.why.steered_run import SteeredRun, steered, steered_run
from core.models.hub import BUNDLED
from core.record.step import Step
from core.sampling.settings import SamplingSettings
from pages.ui import features
from pages.ui.i18n import example_texts
from pages.ui.i18n.example_texts import EXAMPLES
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
WHY_PROMPTS = (
    "The capital of France is",
    "Lily put the key under the red pot. The key was under the red",
    "3 + 4 =",
    "The opposite of big is",
)
LOOP_PROMPTS = (
    "No, no, no,",
    "She counted: one, two, three,",
    "I do not know, said the king.",
    "Knock knock",
    "The wheels on the bus go round and round, round and round,",
    "She sang: la la la",
)
LOOPS = 3  # examples
WHY_TWO = (
    ("The sun is hot and snow is", " white"),
    ("In winter it is cold and in summer it is", " warm"),
    ("A baby dog is called a", " dog"),
)
BEGINNINGS = {
    "Night and day": ("The girl looked up and saw the", "She went out of the house. It was", "One day,"),
    "Animals and people": ("One day Tom met a", "In the village there lived a", "One morning there came a"),
}


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
        best = min((sentence(model, stop, seed) for seed in SEEDS), key=lambda made: (len(made.faults), made.seed))
        talks["stops"][stop.title] |= {"link": f"stage?{encoded(stop.query | {'seed': str(best.seed)})}", "words": len(best.path)}
        report(f"{stop.title}: {stop.query['prompt']} |{text_of(best.path)} {best.faults}")


def why_holds(model: LanguageModel, prompt: str) -> bool:
    """Return whether hiding a word, and switching off a head, takes enough from the likeliest token after this prompt."""
    ids = [int(token_id) for token_id in model.encode(prompt)]
    target = Generation(model, prompt).next_distribution().candidates[0].token_id
    results = {"why_words": hidden_words(model, ids, target, method="mask"), "why_heads": ablated_heads(model, ids, target)}
    of_result = {result.name: result.claim for result in features.recorded()}
    return all(of_result[name].holds(list(seen)) for name, seen in results.items())


def turned(model: LanguageModel, prompt: str, other: str) -> bool:
    """Return whether some word speaks for the likeliest token alone, and for the other one if both are compared, by at least 1 bit each."""
    ids = [int(token_id) for token_id in model.encode(prompt)]
    target = Generation(model, prompt).next_distribution().candidates[0].token_id
    alone, both = (
        list(hidden_words(model, ids, target, method="mask", against=against)) for against in (None, model.token_of(other).token_id)
    )
    pairs = zip(alone[-1].parts, both[-1].parts, strict=True)
    return speaks_for_both(both) and any(part.effect >= BIT and -two.effect >= BIT for part, two in pairs)


def choose_why(model: LanguageModel, examples: dict[str, Any]) -> None:
    """Write the prompts of the recorded results of "Why this token?"."""
    examples["why_prompt"] = next(prompt for prompt in WHY_PROMPTS if why_holds(model, prompt))
    examples["why_two"] = next(list(pair) for pair in WHY_TWO if turned(model, *pair))


def choose_loops(model: LanguageModel, examples: dict[str, Any]) -> None:
    """Write the beginnings after which the greedy text repeats itself, the shortest text first."""
    ends = {prompt: list(looping(model, prompt, SamplingSettings(greedy=True), causes=False))[-1] for prompt in LOOP_PROMPTS}
    found = sorted((prompt for prompt, seen in ends.items() if seen.period), key=lambda prompt: ends[prompt].tokens)
    examples["loops"] = found[:LOOPS]
    report(f"loops: {', '.join(found)}")


def steered_with(model: LanguageModel, title: str, beginning: str, layer: int, strength: float) -> SteeredRun:
    """Return the end of a run that these lists steer."""
    more, less = (texts.splitlines() for texts in EXAMPLES.steering[title][:2])
    *_before, last = steered_run(model, beginning, more, less, layer, strength, START)
    return last


def choose_steering(model: LanguageModel, examples: dict[str, Any]) -> None:
    """Write the beginning, the layer and the strength of each pair of lists, with the least strange of the texts that hold the claim."""
    for title, beginnings in BEGINNINGS.items():
        runs = (steered_with(model, title, *option) for option in product(beginnings, range(1, model.layer_count), (2.0, 4.0, 5.0, 6.0)))
        holding = [run for run in runs if steered([run], title)]
        best = min(holding, key=_strangeness)
        examples["steering"][title][2:] = best.prompt, best.layer, best.strength
        report(f"{title}: {best.prompt}|{best.steered}")


def _strangeness(run: SteeredRun) -> float:
    assert run.steered_perplexity is not None and run.usual_perplexity is not None
    return run.steered_perplexity / run.usual_perplexity


def at_home(model: LanguageModel, prompt: str, seeds: int = 6) -> bool:
    """Return whether the model writes on from an example prompt in its own way: few tokens that it finds improbable."""
    path: list[Step] = []
    for seed in range(seeds):
        run = Generation(model, prompt, replace(START, seed=seed))
        path += run.stream(32)
    return share(path, lambda step: step.model_probability < 0.01) <= AT_HOME


EXAMPLES_FILE, TALKS_FILE = FILES = (example_texts.FILE, prepared_talks.FILE)
SEARCHES = {
    "stage": (choose_stage, TALKS_FILE),
    "why": (choose_why, EXAMPLES_FILE),
    "steering": (choose_steering, EXAMPLES_FILE),
    "loops": (choose_loops, EXAMPLES_FILE),
}


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
    for name, (search, file) in SEARCHES.items():
        if not names or name in names:
            search(model, contents[file])
    contents[EXAMPLES_FILE]["weights"] = fingerprints()
    for file, content in contents.items():
        file.write_text(file_text(content), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
