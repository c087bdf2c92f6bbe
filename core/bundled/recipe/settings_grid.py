"""Compare sampling settings: how natural and how varied the texts are that a model writes with each.

    python -m core.bundled.recipe.settings_grid --model MODEL --judge JUDGE

Prints one row for each setting: bits per character under the judge (lower is more natural), the share of different three-word sequences
(higher is more varied), and the share of texts that say a sentence twice. A preset is chosen by these and by reading.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.bundled.recipe.candidate import PLAIN
from core.bundled.recipe.evaluate import OPENINGS, load
from core.bundled.recipe.judge import Judge

GRID: list[dict[str, Any]] = [
    PLAIN | {"temperature": temperature} | filters
    for temperature in (0.5, 0.7, 0.8, 0.9, 1.0, 1.2)
    for filters in ({"top_p": 1.0}, {"top_p": 0.95}, {"top_p": 0.9}, {"min_p": 0.05})
]


def variety(texts: Sequence[str]) -> float:
    """Return the share of different ones among all three-word sequences of the texts."""
    words = [re.findall(r"\w+", text.lower()) for text in texts]
    runs = [run for text in words for run in zip(text, text[1:], text[2:], strict=False)]
    return len(set(runs)) / max(1, len(runs))


def repeats(texts: Sequence[str]) -> float:
    """Return the share of texts that hold the same sentence of at least three words twice."""
    split_texts = [[sentence for sentence in re.split(r"(?<=[.!?])\s+", text) if sentence.count(" ") >= 2] for text in texts]
    return sum(len(set(sentences)) < len(sentences) for sentences in split_texts) / max(1, len(texts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="folder of an exported model")
    parser.add_argument("--judge", type=Path, required=True, help="folder of the judging model")
    parser.add_argument("--seeds", type=int, default=4, help="texts for each of the 22 openings")
    arguments = parser.parse_args()
    candidate, judge = load(arguments.model), Judge(arguments.judge)
    prompts = OPENINGS * arguments.seeds
    print("| temperature | top-p | min-p | bits per character | variety | repeats |\n|---|---|---|---|---|---|")
    for settings in GRID:
        samples = candidate.samples(prompts, 120, 17, **settings)
        texts = [prompt + sample.text for prompt, sample in zip(prompts, samples, strict=True)]
        bits = judge.bits_per_character(texts)
        row = f"{settings['temperature']} | {settings['top_p']} | {settings.get('min_p', 0)} | {bits:.2f}"
        print(f"| {row} | {variety(texts):.1%} | {repeats(texts):.0%} |", flush=True)


if __name__ == "__main__":
    main()
