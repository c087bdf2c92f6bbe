"""Only the token, without the record: what many readers at once can afford. The same stages, the same dice, the same pick."""

from __future__ import annotations

import numpy as np
import torch

from core.sampling import cpu, dice, stages
from core.settings import SamplingSettings


def pick(logits: torch.Tensor, settings: SamplingSettings, previous_ids: np.ndarray, index: int) -> int:
    """The token that `core.sampling.stages.observe` picks from float32 logits [vocabulary] with the first roll of step `index`.

    previous_ids: int64, all tokens so far. Raises BrokenLogits if the model answered with NaN.
    """
    roll = None if settings.greedy else dice.roll(settings.seed, index)
    if logits.device.type not in ("cpu", "mps"):
        return stages.observe(logits, settings, previous_ids, 1, roll=roll, greedily=roll is None).chosen
    with np.errstate(all="ignore"):  # infinities and NaN show in the sums, which are looked at
        row = cpu.Row.of(logits.cpu().numpy(), None)
        for name, setting, process in stages.processors(settings):
            row = cpu._after(row, name, setting, process, previous_ids)
        if roll is None:
            favourite = int(row.scores.argmax())
            return favourite if row.ids is None else int(row.ids[favourite])
        strip, starts = cpu._strip(row, roll)
        return int(strip[min(int(starts[2:].searchsorted(roll, "right")), len(strip) - 1)])
