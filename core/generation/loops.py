"""Find whether the end of a text repeats itself: the same tokens, several times in a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

COPIES = 3  # times that the same tokens stand there before a text is called a loop
LEAST = 12  # tokens that the copies have together: "ha ha ha" is no loop
FEW = 4  # periods that are cheaper to compare one by one


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
    ids, copies = np.asarray(token_ids), max(2, copies)
    count = len(ids)
    longest, newest = count // copies, count - 1
    if not longest:
        return None
    raw, size = ids.tobytes(), ids.itemsize

    def first(periods: list[int]) -> Loop | None:
        for period in periods:
            needed = max(copies * period, -(-least // period) * period)
            if needed <= count and raw[(count - needed + period) * size :] == raw[(count - needed) * size : (count - period) * size]:
                return _whole(ids, period)
        return None

    same = ids[newest - longest : newest] == ids[newest]  # of the periods from `longest` down to 1: is the newest token the same there?
    above = max(0, longest - least)  # how many periods are longer than `least`: of these, `least` tokens at the end must be the same
    short, long = np.flatnonzero(same[above:])[::-1], same[:above]
    if (first_index := first((longest - above - short).tolist())) is not None:
        return first_index
    for back in range(1, least):
        if np.count_nonzero(long) <= FEW:
            break
        long &= ids[newest - back - longest :][:above] == ids[newest - back]
    return first((longest - np.flatnonzero(long)[::-1]).tolist())


def _whole(ids: NDArray[np.int64], period: int) -> Loop:
    """Return the loop of this period with all its whole copies."""
    same = (ids[period:] == ids[:-period])[::-1]
    begins = 0 if same.all() else len(same) - int(same.argmin())
    copies = (len(ids) - begins) // period
    return Loop(period, copies, len(ids) - copies * period)
