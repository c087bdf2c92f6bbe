"""Whether links bring the same text back: python -m tests.benchmarks.links [--texts 50] [--steps 200] [--temperature 1.6]

Texts are written while their cache is dropped at random, so that some of their odds come from many tokens read at once. Then each is told
again twice: by its link, which names the tokens that came up, and by its seed alone. Printed is how many came out different.
"""

from __future__ import annotations

import argparse
import random

from core import Generation, SamplingSettings, load_model
from core.record.step import Step
from pages.ui.session.share_link import format_steps, parse_steps, take

PROMPTS = ["Once upon a time there was", "The capital of France is", "The bear said that", "In the snow"]
DROPPED = 0.04  # of the steps have their cache dropped behind them


def how(path: list[Step]) -> list[tuple[int, str, float | None]]:
    """What came up at each step, and how."""
    return [(step.token_id, step.chosen_by, step.roll) for step in path]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="storyteller")
    parser.add_argument("--texts", type=int, default=50)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--temperature", type=float, default=1.6)
    wanted = parser.parse_args()

    model = load_model(wanted.model)
    model.end_token_ids = frozenset()  # every text is written to its full length
    chance = random.Random(5)
    written = by_link = by_seed = 0
    for seed in range(wanted.texts):
        settings = SamplingSettings(temperature=wanted.temperature, seed=seed)
        run, told, thrown = (Generation(model, PROMPTS[seed % len(PROMPTS)], settings, top_n=3) for _ in range(3))
        for _ in run.stream(wanted.steps):
            if chance.random() < DROPPED:
                run.release()
        for entry in parse_steps(format_steps(run.path)) or []:
            assert not isinstance(entry, SamplingSettings)
            take(told, entry)
        list(thrown.stream(wanted.steps))
        written += len(run.path)
        by_link += how(told.path) != how(run.path)
        by_seed += how(thrown.path) != how(run.path)
        print(f"{written:,} steps: {by_link} of {seed + 1} texts differ by their link, {by_seed} by their seed alone", flush=True)


if __name__ == "__main__":
    main()
