"""Search for beginnings after which the greedy text repeats itself."""

from __future__ import annotations

from typing import Any

from core.engine.model import LanguageModel
from core.experiments.looping import looping
from core.sampling.settings import SamplingSettings
from pages.ui.presenting.choose_examples import report

LOOP_PROMPTS = (
    "No, no, no,",
    "She counted: one, two, three,",
    "I do not know, said the king.",
    "Knock knock",
    "The wheels on the bus go round and round, round and round,",
    "She sang: la la la",
)
LOOPS = 3  # examples


def choose_loops(model: LanguageModel, examples: dict[str, Any]) -> None:
    """Write the beginnings after which the greedy text repeats itself, the shortest text first."""
    ends = {prompt: list(looping(model, prompt, SamplingSettings(greedy=True), causes=False))[-1] for prompt in LOOP_PROMPTS}
    prompts = sorted((prompt for prompt, seen in ends.items() if seen.period), key=lambda prompt: ends[prompt].tokens)
    examples["loops"] = prompts[:LOOPS]
    report(f"loops: {', '.join(prompts)}")


SEARCHES = {"loops": choose_loops}
