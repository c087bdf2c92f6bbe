"""Prepared runs: about a dozen recordings of the bundled models and of one from elsewhere, each of which demonstrates one point.

Each is a real run. Seeds and prompts are tried until the claim of the recipe holds (`claims_of_runs.py`). Only the words that the recipe
names are forced. `python -m pages.ui.experiments.record_results` makes the recordings; `... loop_elsewhere=FILE` and
`... conversation=FILE` those of the model in this file.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from core.engine.model import LanguageModel
from core.errors import BadRecording
from core.experiments.shared import claims_of_runs as claims
from core.experiments.shared.claim import Claim
from core.experiments.shared.continuation import continuation
from core.experiments.shared.prompting_styles import CHAIN_OF_THOUGHT
from core.generation.generation import Generation
from core.generation.recorded_run import LARGEST_FILE, Recording
from core.models.hub import BUNDLED
from core.sampling.settings import SamplingSettings

FOLDER = BUNDLED / "recordings"
ENDING = ".json.gz"
CONVERSATION = "conversation"
LISTED = 12  # candidates recorded at every step
STORY = "Once upon a time, there was a little"
USUAL = SamplingSettings(temperature=0.7, top_p=0.9, seed=0)
GREEDY = SamplingSettings(greedy=True)
BEGINNINGS_OF_LOOPS = ("The king says", "The dog has", "The girl does not", "La la la", "No, no, no,", "Tom and Tom and Tom", STORY)


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A recipe. claim: what the run must show. steps: tokens at most. branches: words forced first, one branch each.

    model: the name of a bundled model, or of one that is not here if `is_bundled` is False.
    seeds, others: further seeds and prompts that are tried until the claim holds.
    to_sentence: whether a run stops at the first end of a sentence after half of its steps. is_message: whether the prompt is a user's
    message, which the model answers by its chat template.
    """

    name: str
    claim: Claim
    prompt: str
    settings: SamplingSettings = USUAL
    steps: int = 40
    branches: tuple[str, ...] = ("",)
    model: str = "storyteller"
    is_bundled: bool = True
    seeds: int = 1
    others: tuple[str, ...] = ()
    to_sentence: bool = False
    is_message: bool = False


ELSEWHERE = "SmolLM2-135M-Instruct.Q4_1.gguf"
PREPARED: tuple[PreparedRun, ...] = (
    PreparedRun("certain", claims.CERTAIN, "One, two, three,", GREEDY, 30),
    PreparedRun("open", claims.OPEN, "The", USUAL, 40, seeds=40, to_sentence=True),
    PreparedRun("cold", claims.COLD, STORY, replace(USUAL, temperature=0.2, top_p=1.0), 60, seeds=40, to_sentence=True),
    PreparedRun("hot", claims.HOT, STORY, replace(USUAL, temperature=1.8, top_p=1.0), seeds=40),
    PreparedRun("short_list", claims.SHORT_LIST, STORY, SamplingSettings(temperature=1.8, top_k=3), 60, seeds=40, to_sentence=True),
    PreparedRun("one_word", claims.ONE_WORD, STORY, USUAL, 50, (" girl", " dragon"), seeds=40, to_sentence=True),
    PreparedRun("intruder", claims.INTRUDER, "The cat sat on the", USUAL, 50, (" purple",), seeds=40, to_sentence=True),
    PreparedRun("justified", claims.JUSTIFIED, "Is a whale a fish?", USUAL, 30, (" Yes", " No"), seeds=200),
    PreparedRun("aloud", claims.ALOUD, f"Question: What is 84 + 90 + 35?\n{CHAIN_OF_THOUGHT.begin}", GREEDY, 120),
    PreparedRun("loop", claims.LOOP, "The teacher has", GREEDY, 100, others=BEGINNINGS_OF_LOOPS),
    PreparedRun("loop_elsewhere", claims.LOOP, "I am a", GREEDY, 60, model=ELSEWHERE, is_bundled=False),
    PreparedRun(
        CONVERSATION,
        claims.ANSWERED,
        "What is the capital of France?",
        steps=90,
        model=ELSEWHERE,
        is_bundled=False,
        seeds=40,
        is_message=True,
    ),
    PreparedRun("rare_name", claims.RARE_NAME, "Mrs. Wojciechowska-Nguyen met Siobhán Przybyszewska,", USUAL, 40, to_sentence=True),
    PreparedRun("emoji", claims.EMOJI, "The fox 🦊 sent the owl 🦉 a letter:", USUAL, 40, to_sentence=True),
    PreparedRun("ending", claims.ENDING, "Why is the sky blue?", USUAL, 90, seeds=40, others=("The mouse said goodbye.", "Dear diary,")),
    PreparedRun("small_model", claims.SMALLER, STORY, USUAL, 50, model="storyteller-mini", seeds=40, to_sentence=True),
)


def make(recipe: PreparedRun, model: LanguageModel) -> Recording:
    """Return the recording of the first run of this recipe that holds its claim. Raises BadRecording if none does."""
    for run in _runs(recipe, model):
        recording = Recording.of(run)
        if recipe.claim.holds(recording):
            return recording
    raise BadRecording("No run of {name} shows its claim.", name=recipe.name)


def _runs(recipe: PreparedRun, model: LanguageModel) -> Iterator[Generation]:
    for prompt, seed in product((recipe.prompt, *recipe.others), range(recipe.seeds)):
        asked = [{"role": "user", "content": prompt}] if recipe.is_message else prompt
        run = Generation(model, asked, replace(recipe.settings, seed=seed), top_n=LISTED)
        for words in recipe.branches:
            run.go_to(-1)
            for token_id in continuation(model, prompt, words) if words else ():
                run.force(token_id)
            while len(run.path) < recipe.steps and not run.finished and not _is_over(recipe, run):
                run.step()
        yield run


def _is_over(recipe: PreparedRun, run: Generation) -> bool:
    return recipe.to_sentence and 2 * len(run.path) >= recipe.steps and claims.ends_in_a_sentence(run.path)


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
    if name not in {prepared.name for prepared in PREPARED}:
        raise BadRecording("There is no bundled recording with this name.")
    try:
        return unpacked((FOLDER / f"{name}{ENDING}").read_bytes())
    except OSError as error:
        raise BadRecording("This recording cannot be opened.") from error
