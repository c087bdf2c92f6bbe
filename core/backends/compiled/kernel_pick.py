"""Temperature, top-k, top-p, min-p and the dice in one compiled pass over the scores, for callers that need only the token.

`core.sampling.stages_numpy` is the reference. UNSURE is returned where rounding might change the result: a border is very close to a token,
or the roll to the end of one. `core.sampling.pick_without_record` then uses the reference. Importing this module compiles it or loads it.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types

from core.backends.compiled import kernels as k
from core.backends.compiled.kernel_weights import BLOCK, block_maxima, sums
from core.rounding import CLOSE, LANES, ROUNDED, SURE

# Sums may be computed in any order; quotients are equal to NumPy's.
ANY_ORDER = {"reassoc", "contract", "nsz"}
MOST = 4096  # most tokens to sort here; with more, NumPy computes the step
FEW_OF_MANY = 256  # largest top-k for which the largest scores are searched one by one
DEPTHS = (4.0, 8.0, 12.0, 16.0)  # nats below the likeliest token
UNSURE = -1
NOT_FINITE = 0x7F800000  # the exponent of infinities and NaN
LIGHTEST = np.float32(-80)  # nats below the likeliest token; smaller weights lose precision
NEAR = 4e-6  # of the strip's length; two orders of summing its parts may differ by this much
ALIKE = np.float32(2e-6)  # nats; scores this close may have equal weights, and equal weights are ordered by id


@njit(fastmath=ANY_ORDER, nogil=True)
def _largest(scores, temperature, out):  # type: ignore[no-untyped-def]
    """Write the scores divided by the temperature; return the largest, NaN if any is not finite, and the largest of each block."""
    for i in range(len(scores)):
        out[i] = scores[i] / temperature
    bits, broken = out.view(np.int32), False
    for i in range(len(out)):  # tests the bits, because fast arithmetic may drop a test for NaN
        broken |= (bits[i] & NOT_FINITE) == NOT_FINITE
    maxima = block_maxima(out)
    return np.float32(math.nan) if broken else k.highest(maxima, len(maxima)), maxima


@njit(nogil=True)
def best(scores, maxima, ids, values):  # type: ignore[no-untyped-def]
    """Write the largest scores, largest first, and their indices (of equal ones the first), as many as `values` has room for.

    maxima: the largest of each block.
    """
    count, last = 0, len(values) - 1
    for number in range(len(maxima)):
        if count > last and not maxima[number] > values[last]:
            continue
        for i in range(number * BLOCK, min((number + 1) * BLOCK, len(scores))):
            score = scores[i]
            if count > last and not score > values[last]:
                continue
            place = min(count, last)
            while place > 0 and score > values[place - 1]:
                values[place], ids[place] = values[place - 1], ids[place - 1]
                place -= 1
            values[place], ids[place] = score, i
            count = min(count + 1, last + 1)


@njit(nogil=True)
def _heaviest(scores, maxima, least, ids):  # type: ignore[no-untyped-def]
    """Write the indices of all scores of at least `least` into ids, as many as fit; return how many there are."""
    count = 0
    for number in range(len(maxima)):
        if not maxima[number] >= least:
            continue
        for i in range(number * BLOCK, min((number + 1) * BLOCK, len(scores))):
            if scores[i] >= least:
                if count < len(ids):
                    ids[count] = i
                count += 1
    return count


@njit(nogil=True)
def _border(ends, count, total, tail, ranks, border):  # type: ignore[no-untyped-def]
    """Return how many of `count` tokens top-p keeps; 0 if more tokens are needed to tell, UNSURE if rounding might change it.

    ends: where each token ends on a strip of length `total`, largest first; tail: the weight after them; border: 1 - top_p.
    """
    off = SURE + border * (ranks / LANES + 64) * 2 * ROUNDED
    for place in range(1, count):
        left = (total - ends[place - 1]) / total  # weight of this token and all lighter ones
        if abs(left - border) <= off:
            return UNSURE
        if left < border:
            return place
    if tail == 0.0:
        return count
    return 0


@njit(nogil=True)
def cut(scaled, maxima, top, everything, top_k, top_p, min_p, reach, wanted, ids, ends, kept):  # type: ignore[no-untyped-def]
    """Find the tokens that these settings keep, largest first, at least as far as `reach`; return their number and the weight of all kept.

    scaled: float32 [vocabulary] after penalty and temperature, `top` the largest, maxima: of each block; everything: the weight of all;
    top_k, top_p, min_p: 0, 1 and 0 are off; reach in [0, 1): a roll. Without a cut-off, at least `wanted` tokens are found. ids int64
    [MOST] and ends float64 [MOST] are written: the tokens and where each ends on a strip of the returned weight. kept int64 [4] is written:
    the numbers after top-k, top-p and min-p, and the number of ids and ends. The returned number is UNSURE if rounding might change it.
    """
    size = len(scaled)
    few = 0 < top_k < size and top_k <= FEW_OF_MANY
    border = top
    if few or (wanted > 0 and (top_k <= 0 or top_k >= size) and top_p >= 1.0 and min_p == 0.0):
        values = np.empty(top_k if few else wanted, np.float32)
        best(scaled, maxima, np.empty(len(values), np.int64), values)
        border = values[len(values) - 1]
        if not border - top > LIGHTEST:
            return UNSURE, 0.0
    for depth in DEPTHS:
        least = border if few else min(border, top - np.float32(depth))
        count = _heaviest(scaled, maxima, least, ids)
        if count > len(ids):
            return UNSURE, 0.0
        if top_k <= 0 or top_k >= size:
            needed = top_p if top_p < 1.0 else reach if min_p == 0.0 else 0.0
            if count < size and sums(scaled[ids[:count]], top)[0] < needed * everything:
                continue  # skip before sorting, which takes most of the time
        order = np.argsort(-scaled[ids[:count]], kind="mergesort")
        found = ids[:count][order]
        sum_here = ranks = 0.0
        for place in range(count):
            ids[place] = found[place]
            weight = np.float64(k.exponential(scaled[found[place]] - top))
            sum_here += weight
            ranks += weight * (place + 1)
            ends[place] = sum_here
        total, tail = everything, max(0.0, everything - sum_here) + SURE * everything
        if count == size:
            total, tail = sum_here, 0.0
        ranks = (ranks + size * tail) / total
        kept[0], kept[3] = size, count
        if 0 < top_k < size:
            if top_k > count:
                continue
            left = top_k
            while left < count and scaled[ids[left]] == scaled[ids[left - 1]]:
                left += 1
            count, total, tail = left, ends[left - 1], 0.0
            kept[0] = count
        kept[1] = kept[0]
        if top_p < 1.0:
            left = _border(ends, count, total, tail, ranks, np.float64(np.float32(1.0 - top_p)))
            if left == UNSURE:
                return UNSURE, 0.0
            if left == 0:
                continue
            if left < count and scaled[ids[left]] == scaled[ids[left - 1]]:
                return UNSURE, 0.0
            count, total, tail = left, ends[left - 1], 0.0
            kept[1] = count
        kept[2] = kept[1]
        if min_p > 0.0:
            lowest = math.log(min_p)
            if tail > 0.0 and lowest < 1.0 - depth:
                continue
            left = 0
            while left < count:
                apart = np.float64(scaled[ids[left]] - top) - lowest
                if abs(apart) < CLOSE * (1.0 + abs(np.float64(top))):
                    return UNSURE, 0.0
                if apart < 0:
                    break
                left += 1
            if left < 1:
                return UNSURE, 0.0
            count, total, tail = left, ends[left - 1], 0.0
            kept[2] = count
        if tail > 0.0 and ends[count - 1] / total - NEAR <= reach:
            continue
        return count, total
    return UNSURE, 0.0


@njit(nogil=True)
def survivors(scores, temperature, top_k, top_p, min_p, reach, ids, ends):  # type: ignore[no-untyped-def]
    """Apply `cut` to the model's own scores, float32 [vocabulary], at this temperature (float32)."""
    scaled = np.empty(len(scores), np.float32)
    top, maxima = _largest(scores, temperature, scaled)
    if not math.isfinite(top):
        return UNSURE, 0.0
    return cut(scaled, maxima, top, sums(scaled, top)[0], top_k, top_p, min_p, reach, 0, ids, ends, np.empty(4, np.int64))


@njit(nogil=True)
def landing(ends, count, total, roll):  # type: ignore[no-untyped-def]
    """Return the index on the strip that the roll selects; UNSURE if the roll is too close to an end of it."""
    place = 0
    while place < count - 1 and ends[place] / total <= roll:
        place += 1
    if place > 0 and roll - ends[place - 1] / total < NEAR:
        return UNSURE
    if place < count - 1 and ends[place] / total - roll < NEAR:
        return UNSURE
    return place


@njit(nogil=True)
def nearly_alike(scores, ids, count, place, temperature):  # type: ignore[no-untyped-def]
    """Return whether a neighbour on the strip may have the same weight, so that rounding decides their order."""
    for other in (place - 1, place + 1):
        if 0 <= other < count and abs(scores[ids[other]] - scores[ids[place]]) / temperature < ALIKE:
            return True
    return False


@njit(
    types.int64(types.Array(types.float32, 1, "C", readonly=True), types.float32, types.int64, types.float64, types.float64, types.float64),
    nogil=True,
    cache=True,
)
def choose(scores, temperature, top_k, top_p, min_p, roll):  # type: ignore[no-untyped-def]
    """Return the token that the roll in [0, 1) selects; UNSURE if rounding might change it. See `survivors`."""
    ids, ends = np.empty(MOST, np.int64), np.empty(MOST, np.float64)
    count, total = survivors(scores, temperature, top_k, top_p, min_p, roll, ids, ends)
    if count < 1:
        return UNSURE
    place = landing(ends, count, total, roll)
    if place == UNSURE or nearly_alike(scores, ids, count, place, temperature):
        return UNSURE
    return ids[place]


@njit(
    types.boolean(
        types.Array(types.float32, 1, "C", readonly=True), types.float32, types.int64, types.float64, types.float64, types.float64[::1]
    ),
    nogil=True,
    cache=True,
)
def probabilities(scores, temperature, top_k, top_p, min_p, out):  # type: ignore[no-untyped-def]
    """Write the probabilities after the settings into `out`, zeros [vocabulary]. Return False, with nothing written, if UNSURE."""
    ids, ends = np.empty(MOST, np.int64), np.empty(MOST, np.float64)
    count, total = survivors(scores, temperature, top_k, top_p, min_p, 1.0, ids, ends)
    if count < 1:
        return False
    top = scores[ids[0]] / temperature
    for place in range(count):
        out[ids[place]] = np.float64(k.exponential(scores[ids[place]] / temperature - top)) / total
    return True
