"""Prepared runs: about a dozen recordings of the bundled models, each of which demonstrates one point.

Each is a real run. If a point needs a special run (a loop, an early end), several runs are made and the best one is kept. Only the words
that the recipe names are forced. `python -m pages.ui.experiments.record` makes the recordings.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from core.engine.model import LanguageModel
from core.errors import BadRecording
from core.experiments.fork import continuation
from core.experiments.sweep import statistics
from core.experiments.thinking import CHAIN_OF_THOUGHT
from core.generation.generation import Generation
from core.generation.recording import LARGEST_FILE, Recording
from core.models.hub import BUNDLED
from core.settings import SamplingSettings

FOLDER = BUNDLED / "recordings"
ENDING = ".json.gz"
LISTED = 12  # candidates kept at every step
STORY = "Once upon a time, there was a little"
USUAL = SamplingSettings(temperature=0.7, top_p=0.9, seed=0)
GREEDY = SamplingSettings(greedy=True)


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A recipe. model: the end of the bundled model's name. branches: words forced first, one branch each. seeds, others: further seeds and
    prompts, to make several runs.

    best: score of a run, the run with the highest score is kept; None keeps the first.
    """

    name: str
    prompt: str
    settings: SamplingSettings = USUAL
    steps: int = 40
    branches: tuple[str, ...] = ("",)
    model: str = "storyteller"
    seeds: tuple[int, ...] = ()
    others: tuple[str, ...] = ()
    best: Callable[[Generation], float] | None = None


def loops(run: Generation) -> float:
    """Return how often a sequence of three words was repeated."""
    return float(statistics(run.path).repeats)


def ends(run: Generation) -> float:
    """Return a score that is highest for a run that ends by itself after about 30 tokens."""
    return 1.0 / abs(len(run.path) - 30.5) if run.finished == "end of text" else -float(len(run.path))


PREPARED: tuple[PreparedRun, ...] = (
    PreparedRun("certain", "Once upon a", GREEDY, 24),
    PreparedRun("open", "The", replace(USUAL, seed=2), 32),
    PreparedRun("cold", STORY, replace(USUAL, temperature=0.2, top_p=1.0)),
    PreparedRun("hot", STORY, replace(USUAL, temperature=1.8, top_p=1.0)),
    PreparedRun("short_list", STORY, SamplingSettings(temperature=1.8, top_k=3, seed=0)),
    PreparedRun("one_word", STORY, USUAL, 30, (" girl", " dragon")),
    PreparedRun("intruder", "The cat sat on the", USUAL, 30, (" purple",)),
    PreparedRun("justified", "Is a whale a fish?", USUAL, 24, (" Yes", " No")),
    PreparedRun("aloud", f"Question: What is 84 + 90 + 35?\n{CHAIN_OF_THOUGHT.begin}", GREEDY, 120),
    PreparedRun("loop", "La la la", GREEDY, 100, others=("Tom and Tom and Tom", STORY), best=loops),
    PreparedRun("rare_name", "The new teacher was called Mrs. Wojciechowska-Nguyen, and", USUAL, 24),
    PreparedRun("emoji", "The fox 🦊 sent the owl 🦉 a letter:", USUAL, 24),
    PreparedRun("ending", "Dear diary,", USUAL, 90, seeds=tuple(range(24)), best=ends),
    PreparedRun("small_model", STORY, USUAL, 40, model="storyteller-mini"),
)


def make(recipe: PreparedRun, model: LanguageModel) -> Recording:
    """Return the recording of this recipe, the best one of several runs."""
    made = list(_runs(recipe, model))
    best = recipe.best
    return Recording.of(made[0] if best is None else max(made, key=best))


def _runs(recipe: PreparedRun, model: LanguageModel) -> Iterator[Generation]:
    from core.generation.generation import Generation

    beginnings = (recipe.prompt, *recipe.others)
    for prompt, seed in product(beginnings, recipe.seeds or (recipe.settings.seed,)):
        run = Generation(model, prompt, replace(recipe.settings, seed=seed), top_n=LISTED)
        for words in recipe.branches:
            run.go_to(-1)
            for token_id in continuation(model, prompt, words) if words else ():
                run.force(token_id)
            while len(run.path) < recipe.steps and not run.finished:
                run.step()
        yield run


def packed(recording: Recording) -> bytes:
    """Return a recording as gzipped JSON, the file format of the prepared runs."""
    return gzip.compress(recording.dumps().encode("utf-8"), 9, mtime=0)


def unpacked(data: bytes) -> Recording:
    """Return a recording from its file, gzipped or not. Raises BadRecording."""
    if data[:2] != b"\x1f\x8b":
        return Recording.loads(data)
    try:
        unpacker = zlib.decompressobj(wbits=31)
        text = unpacker.decompress(data, LARGEST_FILE + 1)
    except zlib.error as error:
        raise BadRecording("This file is not a recording: it cannot be unpacked.") from error
    return Recording.loads(text)


def load(name: str) -> Recording:
    """Return a prepared run by its name. Raises BadRecording."""
    if name not in {one.name for one in PREPARED}:
        raise BadRecording("There is no bundled recording with this name.")
    try:
        return unpacked((FOLDER / f"{name}{ENDING}").read_bytes())
    except OSError as error:
        raise BadRecording("This recording cannot be opened.") from error
