"""Weighted sums of rows, for the values of attention, in tiles that stay in the processor's registers, as in `kernel_tiles`.

Like `kernels`, this module is imported only in the background.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic as untyped_intrinsic

from core.backends.compiled import kernel_tiles as tiles
from core.backends.compiled import kernels as k

intrinsic: Any = untyped_intrinsic


def _blend_tile(groups: int, vectors: int) -> Any:
    """Return an intrinsic (factors, group stride, rows, row stride, count, out, group stride of out); all int64, strides in bytes.

    It adds to out [groups, vectors x tiles.LANES], for each group, the sum of `count` rows, each times the group's factor for that row.
    """

    @intrinsic
    def tile(context: Any, factors: Any, f_apart: Any, rows: Any, apart: Any, count: Any, out: Any, out_apart: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            factors, f_apart, rows, apart, count, out, out_apart = arguments

            def word(number: int) -> Any:
                return ir.Constant(tiles.WORD, number)

            lines = [builder.add(factors, builder.mul(f_apart, word(g))) for g in range(groups)]
            addresses = [
                builder.add(builder.add(out, builder.mul(out_apart, word(g))), word(4 * tiles.LANES * v))
                for g in range(groups)
                for v in range(vectors)
            ]
            begun = [tiles.load(builder, address, tiles.FLOATS, 4) for address in addresses]
            before = builder.block
            loop, end = builder.append_basic_block("rows"), builder.append_basic_block("done")
            builder.branch(loop)
            builder.position_at_end(loop)
            at = builder.phi(tiles.WORD)
            at.add_incoming(word(0), before)
            sums = [builder.phi(tiles.FLOATS) for _ in addresses]
            row = builder.add(rows, builder.mul(at, apart))
            read = [tiles.load(builder, builder.add(row, word(4 * tiles.LANES * v)), tiles.FLOATS, 4) for v in range(vectors)]
            added = []
            for g, line in enumerate(lines):
                factor = builder.load(builder.inttoptr(builder.add(line, builder.mul(at, word(4))), tiles.FLOAT.as_pointer()))
                first = builder.insert_element(ir.Constant(tiles.FLOATS, ir.Undefined), factor, ir.Constant(ir.IntType(32), 0))
                wide = builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), tiles.LANES), [0] * tiles.LANES))
                for v in range(vectors):
                    total = sums[g * vectors + v]
                    added.append(builder.fadd(total, builder.fmul(wide, read[v], flags=tiles.ANY_ORDER), flags=tiles.ANY_ORDER))
            for total, start, result in zip(sums, begun, added, strict=True):
                total.add_incoming(start, before)
                total.add_incoming(result, loop)
            following = builder.add(at, word(1))
            at.add_incoming(following, loop)
            builder.cbranch(builder.icmp_signed("<", following, count), loop, end)
            builder.position_at_end(end)
            for address, result in zip(addresses, added, strict=True):
                stored = builder.store(result, builder.inttoptr(address, tiles.FLOATS.as_pointer()))
                stored.align = 4
            return context.get_dummy_value()

        return types.none(*[types.int64] * 7), generate

    return tile


_one_by_one, _one_by_two, _one_by_four = _blend_tile(1, 1), _blend_tile(1, 2), _blend_tile(1, 4)
_two_by_one, _two_by_two, _two_by_four = _blend_tile(2, 1), _blend_tile(2, 2), _blend_tile(2, 4)


@njit(fastmath=k.QUICK, nogil=True)
def blend(factors, f_apart, groups, rows, apart, count, width, out, out_apart):  # type: ignore[no-untyped-def]
    """Add to out [groups, width] each group's sum of `count` rows [width], at least one, weighted by its factors [groups, count].

    factors, rows, out: addresses of float32; apart: bytes from one line of them to the next.
    """
    start = 0
    while start + tiles.LANES <= width:
        step = 4 * tiles.LANES if start + 4 * tiles.LANES <= width else 2 * tiles.LANES if start + 2 * tiles.LANES <= width else tiles.LANES
        from_here, into = rows + 4 * start, out + 4 * start
        for g in range(0, groups - 1, 2):
            factor_row, target = factors + g * f_apart, into + g * out_apart
            if step == 4 * tiles.LANES:
                _two_by_four(factor_row, f_apart, from_here, apart, count, target, out_apart)
            elif step == 2 * tiles.LANES:
                _two_by_two(factor_row, f_apart, from_here, apart, count, target, out_apart)
            else:
                _two_by_one(factor_row, f_apart, from_here, apart, count, target, out_apart)
        if groups % 2 == 1:
            factor_row, target = factors + (groups - 1) * f_apart, into + (groups - 1) * out_apart
            if step == 4 * tiles.LANES:
                _one_by_four(factor_row, f_apart, from_here, apart, count, target, out_apart)
            elif step == 2 * tiles.LANES:
                _one_by_two(factor_row, f_apart, from_here, apart, count, target, out_apart)
            else:
                _one_by_one(factor_row, f_apart, from_here, apart, count, target, out_apart)
        start += step
    if start < width:  # the remainder, which does not fill a register
        for g in range(groups):
            factor_row, into = k.floats_at(factors + g * f_apart), k.floats_at(out + g * out_apart)
            for t in range(count):
                row, factor = k.floats_at(rows + t * apart), factor_row[t]
                for d in range(start, width):
                    into[d] += factor * row[d]
