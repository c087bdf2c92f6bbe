"""The tint of a written token in every text: how strongly its colour stands behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.record.step_rows import measured

if TYPE_CHECKING:
    from core.record.step import Step

MOST_DOUBT = 6.0  # bits of entropy at which the tint is full
PALEST, DEEPEST = 0.04, 0.38  # shares of the colour behind text


def tint_depth(step: Step, shows: str = "likely") -> float:
    """Return the share of the colour behind a token: `PALEST` to `DEEPEST`, 0 without a tint.

    shows: "likely" for the model's probability of the token, "unsure" for the entropy before it, "none". Not measured is `PALEST`.
    """
    if shows == "none":
        return 0.0
    share = measured(step.model_probability) if shows == "likely" else min(1.0, measured(step.model_entropy) / MOST_DOUBT)
    return PALEST + (DEEPEST - PALEST) * share
