"""Sums of e^score over a whole vocabulary, in vectors that are written out (see `core.engine.backends.kernel_tiles`).

Like `core.engine.backends.kernels`, this is imported only in the background, by `core.engine.backends.compiled`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic as untyped_intrinsic

from core.engine.backends import kernel_tiles as tiles
from core.engine.backends import kernels as k

intrinsic: Any = untyped_intrinsic

_DOUBLE = ir.DoubleType()
_DOUBLES = ir.VectorType(_DOUBLE, tiles.LANES)
_INTEGERS = ir.VectorType(ir.IntType(32), tiles.LANES)
_SUMS_IN_ANY_ORDER = {"reassoc", "contract", "nsz"}


def _every(number: float) -> Any:
    return ir.Constant(tiles.FLOATS, [number] * tiles.LANES)


def _exponential(builder: Any, x: Any) -> Any:
    """e^x of a vector, as `kernels.exponential` has it of one number."""

    def times_plus(a: Any, b: Any, c: Any) -> Any:
        return builder.fadd(builder.fmul(a, b, flags=tiles.ANY_ORDER), c, flags=tiles.ANY_ORDER)

    # Comparisons, not LLVM's maximum: its loop may leave out what it takes for no number, and a broken model has to show.
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


@intrinsic
def _weigh(context: Any, scores: Any, top: Any, count: Any, out: Any) -> Any:
    """(address of float32 scores, the largest, how many, address of two float64): their weights' sum and first moment are written.

    count: a multiple of LANES, at least as many.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        scores, top, count, out = arguments

        def word(number: int) -> Any:
            return ir.Constant(tiles.WORD, number)

        first = builder.insert_element(ir.Constant(tiles.FLOATS, ir.Undefined), top, ir.Constant(ir.IntType(32), 0))
        largest = builder.shuffle_vector(first, first, ir.Constant(_INTEGERS, [0] * tiles.LANES))
        before = builder.block
        loop, end = builder.append_basic_block("along"), builder.append_basic_block("done")
        builder.branch(loop)
        builder.position_at_end(loop)
        at, sums = builder.phi(tiles.WORD), [builder.phi(_DOUBLES) for _ in range(2)]
        at.add_incoming(word(0), before)
        below = builder.fsub(tiles.load(builder, builder.add(scores, builder.mul(at, word(4))), tiles.FLOATS, 4), largest)
        weight = _exponential(builder, below)
        added = []
        for total, part in zip(sums, (weight, builder.fmul(weight, below)), strict=True):
            total.add_incoming(ir.Constant(_DOUBLES, [0.0] * tiles.LANES), before)
            added.append(builder.fadd(total, builder.fpext(part, _DOUBLES)))
            total.add_incoming(added[-1], loop)
        following = builder.add(at, word(tiles.LANES))
        at.add_incoming(following, loop)
        builder.cbranch(builder.icmp_signed("<", following, count), loop, end)
        builder.position_at_end(end)
        reduce = tiles.external(builder, f"llvm.vector.reduce.fadd.v{tiles.LANES}f64", _DOUBLE, [_DOUBLE, _DOUBLES])
        for place, found in enumerate(added):
            total = builder.call(reduce, [ir.Constant(_DOUBLE, 0.0), found], fastmath=tiles.ANY_ORDER)
            builder.store(total, builder.inttoptr(builder.add(out, word(8 * place)), _DOUBLE.as_pointer()))
        return context.get_dummy_value()

    return types.none(types.int64, types.float32, types.int64, types.int64), generate


@njit(fastmath=_SUMS_IN_ANY_ORDER, nogil=True)
def sums(scores, top):  # type: ignore[no-untyped-def]
    """The sum of the weights exp(score - top), and of the weights times score - top: no finite number where a score is none."""
    found = np.zeros(2, np.float64)
    whole = len(scores) // tiles.LANES * tiles.LANES
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
def first_of(scores, top, block):  # type: ignore[no-untyped-def]
    """Where the largest of the scores, which is `top`, stands first. So many at a time are looked at together."""
    for start in range(0, len(scores), block):
        part = scores[start : start + block]
        if k.highest(part, len(part)) == top:
            for i in range(len(part)):
                if part[i] == top:
                    return start + i
    return 0
