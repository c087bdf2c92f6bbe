"""Count how varied the told stories are.

    python -m core.training.world.measure [--stories 2000]

Prints the commonest five-word sequences with their share of all, how many stories share plot and cast with another, and entropy figures.
"""

from __future__ import annotations

import argparse
from collections import Counter
from random import Random

from core.training.hurtful_words import hurtful
from core.training.world.tell import story


def sequences(texts: list[str], size: int = 5) -> Counter[tuple[str, ...]]:
    """How often each sequence of so many words stands in these texts."""
    found: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        words = text.split()
        found.update(zip(*(words[start:] for start in range(size)), strict=False))
    return found


def repeated_plots(count: int, seed: int = 0) -> int:
    """How many of so many stories have plot, cast and choices of one before."""
    seen: set[tuple[str, ...]] = set()
    for number in range(count):
        seen.add(tuple(story(Random(f"measure/{seed}/{number}")).plot))
    return count - len(seen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stories", type=int, default=2000, help="how many stories to tell")
    count = parser.parse_args().stories
    texts = [story(Random(f"measure/0/{number}")).text for number in range(count)]
    found = sequences(texts)
    total = sum(found.values())
    for words, often in found.most_common(15):
        print(f"1 in {total / often:7.0f}  {' '.join(words)}")
    print(f"words in a story: {sum(len(text.split()) for text in texts) / count:.0f}")
    print(f"stories with plot and cast of another: {repeated_plots(count)} of {count}")
    print(f"hurtful words: {sorted({word for text in texts for word in hurtful(text)})}")


if __name__ == "__main__":
    main()
