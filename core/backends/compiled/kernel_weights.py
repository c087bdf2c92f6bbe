"""Sums of e^score over a whole vocabulary, in explicit vectors (see `core.backends.compiled.kernel_tiles`).

Like `kernels`, this module is imported only in the background.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic as untyped_intrinsic

from core.backends.compiled import kernel_tiles as tiles
from core.backends.compiled import kernels as k

intrinsic: Any = untyped_intrinsic

_DOUBLE = ir.DoubleType()
_DOUBLES = ir.VectorType(_DOUBLE, tiles.LANES)
_INTEGERS = ir.VectorType(ir.IntType(32), tiles.LANES)
_SUMS_IN_ANY_ORDER = {"reassoc", "contract", "nsz"}
BLOCK = 128  # scores per block; a search for large scores reads only the blocks with a large maximum
TOGETHER = 2  # vectors whose weights are added before they are widened; more is slower


def _every(number: float) -> Any:
    return ir.Constant(tiles.FLOATS, [number] * tiles.LANES)


def _exponential(builder: Any, x: Any) -> Any:
    """Return e^x of a vector, computed as in `kernels.exponential`."""

    def times_plus(a: Any, b: Any, c: Any) -> Any:
        return builder.fadd(builder.fmul(a, b, flags=tiles.ANY_ORDER), c, flags=tiles.ANY_ORDER)

    # Comparisons instead of LLVM's maximum, whose loop may drop NaN: a broken model must be detected.
    x = builder.select(builder.fcmp_ordered(">", x, _every(-87.0)), x, _every(-87.0))
    x = builder.select(builder.fcmp_ordered("<", x, _every(88.0)), x, _every(88.0))
    floor = tiles.external(builder, f"llvm.floor.v{tiles.LANES}f32", tiles.FLOATS, [tiles.FLOATS])
    n = builder.call(floor, [times_plus(x, _every(1.44269504), _every(0.5))])
    r = times_plus(n, _every(2.12194440e-4), times_plus(n, _every(-0.693359375), x))
    p = _every(1.9875691500e-4)
    for term in (1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1):
        p = times_plus(p, r, _every(term))
    p = builder.fadd(times_plus(builder.fmul(p, r, flags=tiles.ANY_ORDER), r, r), _every(1.0), flags=tiles.ANY_ORDER)
    exponent = builder.add(builder.fptosi(n, _INTEGERS), ir.Constant(_INTEGERS, [127] * tiles.LANES))
    power = builder.bitcast(builder.shl(exponent, ir.Constant(_INTEGERS, [23] * tiles.LANES)), tiles.FLOATS)
    return builder.fmul(p, power)


def _of_all_lanes(builder: Any, number: Any) -> Any:
    """Return a vector with this number in every lane."""
    first = builder.insert_element(ir.Constant(tiles.FLOATS, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, first, ir.Constant(_INTEGERS, [0] * tiles.LANES))


def _moments(builder: Any, below: Sequence[Any]) -> tuple[Any, Any]:
    """Return the sum of the weights of vectors of score - top, and the sum of weight x vector, lane by lane, in float64.

    A few vectors are first added in float32. That error is no larger than the rounding of one weight.
    """
    weights = [_exponential(builder, part) for part in below]
    moments = [builder.fmul(weight, part) for weight, part in zip(weights, below, strict=True)]
    wide = []
    for parts in (weights, moments):
        while len(parts) > 1:
            parts = [builder.fadd(one, other) for one, other in zip(parts[::2], parts[1::2], strict=True)]
        wide.append(builder.fpext(parts[0], _DOUBLES))
    return wide[0], wide[1]


def _weigher(tempered: bool) -> Any:
    """Return the code generator of `_weigh` or `_weigh_both`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if tempered:
            scores, top, count, out, temperature, scaled_top, scaled = arguments
            divisor, scaled_largest = (_of_all_lanes(builder, number) for number in (temperature, scaled_top))
        else:
            scores, top, count, out = arguments

        def word(number: int) -> Any:
            return ir.Constant(tiles.WORD, number)

        largest = _of_all_lanes(builder, top)
        before = builder.block
        loop, end = builder.append_basic_block("along"), builder.append_basic_block("done")
        builder.branch(loop)
        builder.position_at_end(loop)
        at, totals = builder.phi(tiles.WORD), [builder.phi(_DOUBLES) for _ in range(4 if tempered else 2)]
        at.add_incoming(word(0), before)
        places = [builder.mul(builder.add(at, word(part * tiles.LANES)), word(4)) for part in range(TOGETHER)]
        read = [tiles.load(builder, builder.add(scores, place), tiles.FLOATS, 4) for place in places]
        found = [*_moments(builder, [builder.fsub(part, largest) for part in read])]
        if tempered:
            divided = [builder.fdiv(part, divisor) for part in read]
            for part, place in zip(divided, places, strict=True):
                address = builder.inttoptr(builder.add(scaled, place), tiles.FLOATS.as_pointer())
                builder.store(part, address, align=4)
            found += _moments(builder, [builder.fsub(part, scaled_largest) for part in divided])
        for number, (total, part) in enumerate(zip(totals, found, strict=True)):
            total.add_incoming(ir.Constant(_DOUBLES, [0.0] * tiles.LANES), before)
            found[number] = builder.fadd(total, part)
            total.add_incoming(found[number], loop)
        following = builder.add(at, word(TOGETHER * tiles.LANES))
        at.add_incoming(following, loop)
        builder.cbranch(builder.icmp_signed("<", following, count), loop, end)
        builder.position_at_end(end)
        reduce = tiles.external(builder, f"llvm.vector.reduce.fadd.v{tiles.LANES}f64", _DOUBLE, [_DOUBLE, _DOUBLES])
        for number, lanes in enumerate(found):
            total = builder.call(reduce, [ir.Constant(_DOUBLE, 0.0), lanes], fastmath=tiles.ANY_ORDER)
            builder.store(total, builder.inttoptr(builder.add(out, word(8 * number)), _DOUBLE.as_pointer()))
        return context.get_dummy_value()

    return generate


@intrinsic
def _weigh(context: Any, scores: Any, top: Any, count: Any, out: Any) -> Any:
    """(address of float32 scores, the largest, count, address of two float64): write the weights' sum and first moment.

    count: a positive multiple of TOGETHER x LANES.
    """
    return types.none(types.int64, types.float32, types.int64, types.int64), _weigher(tempered=False)


@intrinsic
def _weigh_both(context: Any, scores: Any, top: Any, count: Any, out: Any, temperature: Any, scaled_top: Any, scaled: Any) -> Any:
    """As `_weigh`, for the scores and then, after it in out, for the scores divided by the temperature, whose largest is `scaled_top`.

    scaled: address of as many float32, which may be that of the scores. The quotients are written there, equal to NumPy's.
    """
    kinds = (types.int64, types.float32, types.int64, types.int64, types.float32, types.float32, types.int64)
    return types.none(*kinds), _weigher(tempered=True)


@njit(fastmath=_SUMS_IN_ANY_ORDER, nogil=True)
def sums(scores, top):  # type: ignore[no-untyped-def]
    """Return the sum of the weights exp(score - top) and of weight x (score - top). The sums are not finite if a score is not."""
    found = np.zeros(2, np.float64)
    whole = len(scores) // (TOGETHER * tiles.LANES) * (TOGETHER * tiles.LANES)
    if whole > 0:
        _weigh(scores.ctypes.data, top, whole, found.ctypes.data)
    total, moment = found[0], found[1]
    for i in range(whole, len(scores)):
        below = scores[i] - top
        weight = k.exponential(below)
        total += np.float64(weight)
        moment += np.float64(weight * below)
    return total, moment


@njit(nogil=True)
def divided_sums(scores, top, temperature, scaled):  # type: ignore[no-untyped-def]
    """Write score / temperature into `scaled`, which may be the scores; return `sums` of the scores, then of the quotients."""
    found = np.zeros(4, np.float64)
    scaled_top = top / temperature
    whole = len(scores) // (TOGETHER * tiles.LANES) * (TOGETHER * tiles.LANES)
    if whole > 0:
        _weigh_both(scores.ctypes.data, top, whole, found.ctypes.data, temperature, scaled_top, scaled.ctypes.data)
    for i in range(whole, len(scores)):
        below = scores[i] - top
        scaled[i] = scores[i] / temperature
        for place, distance in ((0, below), (2, scaled[i] - scaled_top)):
            weight = k.exponential(distance)
            found[place] += np.float64(weight)
            found[place + 1] += np.float64(weight * distance)
    return found[0], found[1], found[2], found[3]


@njit(nogil=True)
def block_maxima(scores):  # type: ignore[no-untyped-def]
    """Return the largest of every BLOCK scores, float32 [blocks], NaN if the block has one. Searches then skip most blocks."""
    found = np.empty((len(scores) + BLOCK - 1) // BLOCK, np.float32)
    for i in range(len(found)):
        block = scores[i * BLOCK : (i + 1) * BLOCK]
        found[i] = k.highest(block, len(block))
    return found


@njit(nogil=True)
def first_of(scores, maxima, top):  # type: ignore[no-untyped-def]
    """Return the index of the first score equal to `top`, the largest."""
    for number in range(len(maxima)):
        if maxima[number] == top:
            for i in range(number * BLOCK, min((number + 1) * BLOCK, len(scores))):
                if scores[i] == top:
                    return i
    return 0
