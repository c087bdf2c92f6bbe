"""Rows of the chart of the loss, for a model that learns from nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from core.experiments.training.scratch_training import ScratchTrainingStep
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _


def scratch_loss_rows(steps: Sequence[ScratchTrainingStep]) -> pd.DataFrame:
    """Return rows of `loss` in bits per byte, about 200 of them."""
    thin = max(1, len(steps) // 200)
    thinned = [step for index, step in enumerate(steps) if index % thin == 0 or step is steps[-1]]
    rows = [(step.index, step.bits, "new", _("{count} bits per byte").format(count=numbers.decimal(step.bits, 2))) for step in thinned]
    return pd.DataFrame(rows, columns=["index", "value", "of", "tip"])
