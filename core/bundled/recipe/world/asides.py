"""Rare additions to a told text. They make it less predictable and change nothing that happens in it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random

from core.experiments.shared.questions.words import read


@cache
def _rules(where: str) -> list[tuple[re.Pattern[str], float, list[str]]]:
    rows = read(Path(__file__).with_suffix(".toml"))[where]
    return [(re.compile(row["pattern"]), row["share"], row["texts"]) for row in rows]


def with_asides(rng: Random, text: str) -> str:
    """Return the text with a few additions. Speech stands in double quotes and has its own."""
    parts = text.split('"')
    for number, part in enumerate(parts):
        tag = ""
        if number and number % 2 == 0:  # "he said." after a speech stays as it is
            tag, stop, part = part.partition(". ")
            tag += stop
        for pattern, share, texts in _rules("speech" if number % 2 else "narration"):

            def add(match: re.Match[str], share: float = share, texts: list[str] = texts) -> str:
                return match[0] + (rng.choice(texts) if rng.random() < share else "")

            part = pattern.sub(add, part)
        parts[number] = tag + part
    return '"'.join(parts)
