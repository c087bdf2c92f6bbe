"""Find whether the end of a text repeats itself: the same tokens, several times in a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

COPIES = 3  # times that the same tokens stand there before a text is called a loop
LEAST = 12  # tokens that the copies have together: "ha ha ha" is no loop


@dataclass(frozen=True, slots=True)
class Loop:
    """The newest `copies * period` tokens are `copies` times the same `period` tokens. start: where the first copy begins, from 0."""

    period: int
    copies: int
    start: int


def find(token_ids: Sequence[int] | NDArray[np.int64], copies: int = COPIES, least: int = LEAST) -> Loop | None:
    """Return the shortest period that the end of a text repeats at least `copies` times, None if there is none.

    token_ids: of the text, shape [tokens]. copies: at least 2. least: tokens that all copies have together at least. `Loop.copies` counts
    all whole copies that stand there, also more than asked for. Tokens are compared by their ids, so the result is exact.
    """
    ids = np.asarray(token_ids)
    count = len(ids)
    longest = count // max(2, copies)
    if not longest:
        return None
    periods = longest - np.flatnonzero(ids[count - 1 - longest : count - 1] == ids[-1])[::-1]
    for period in periods.tolist():  # in most texts few tokens are the newest one again
        needed = max(copies * period, -(-least // period) * period)
        if needed > count or ids[count - 2 - period] != ids[count - 2]:
            continue
        if np.array_equal(ids[count - needed + period :], ids[count - needed : count - period]):
            return _whole(ids, period)
    return None


def _whole(ids: NDArray[np.int64], period: int) -> Loop:
    """Return the loop of this period with all its whole copies."""
    same = (ids[period:] == ids[:-period])[::-1]
    begins = 0 if same.all() else len(same) - int(same.argmin())
    copies = (len(ids) - begins) // period
    return Loop(period, copies, len(ids) - copies * period)
