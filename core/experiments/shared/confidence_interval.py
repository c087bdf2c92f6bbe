"""The confidence interval of a fraction."""

from __future__ import annotations

import math


def wilson(right: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95 % confidence interval of the fraction of right answers, for `right` of `total` (Wilson 1927); (0, 1) without answers.

    >>> [round(x, 3) for x in wilson(45, 50)]
    [0.786, 0.957]
    """
    if total <= 0:
        return 0.0, 1.0
    share = right / total
    centre = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    # The formula gives exactly 0 and 1 at the ends, but floating point does not.
    return (centre - spread) / scale if right else 0.0, (centre + spread) / scale if right < total else 1.0
