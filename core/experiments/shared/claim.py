"""A claim: what a prepared run or the recorded result of an experiment must show, as a check of its record. The page says the same.

A claim is asked with the real weights: `prepared_runs.make` keeps the first run that holds it, the command
`python -m pages.ui.experiments.record_results` refuses a result that does not, and a test asks it again of every bundled file. Times are
compared with each other within one result, never with a clock. The claim of a page stands in its declaration or beside its experiment.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core.record.step import Step

BIT = math.log(2)  # nats in one bit
Observations = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Claim:
    """What a prepared run or a result shows. says: in words; holds: whether a recording, or the observations of a result, show it."""

    says: str
    holds: Callable[[Any], bool]


def different_texts(paths: Sequence[Sequence[Any]], least: int) -> bool:
    return len({text_of(path) for path in paths}) >= least


def text_of(path: Sequence[Step]) -> str:
    """Return the text that these steps wrote."""
    return "".join(step.text for step in path)
