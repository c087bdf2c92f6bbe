"""Products of a few rows with stored weights, in tiles that stay in the processor's registers.

A tile is one or two outputs by one, two, four or eight rows. It reads as many inputs at a time as a register holds, widens the weights and
adds into one register per output and row. A row's sum depends neither on the number of rows nor on the number of outputs. The vectors are
written explicitly, because compilers vectorise with only half of a wide register.

The fastest order of reading weights from memory differs between processors. So a projection has a number of streams (`STREAMS`, chosen by
`core.backends.speed_trial`). Two: one output from each half of the matrix at a time, prefetched `AHEAD` bytes before use. Four: one from
each quarter, prefetched `SOON` bytes before use, for one row; several rows take two. One: one output
after the other, which suits a processor with its own prefetcher; only with eight rows are weights prefetched, `NEAR` bytes before use.

Like `kernels`, this module is imported only in the background.
"""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic as untyped_intrinsic

from core.backends.compiled import kernels as k

intrinsic: Any = untyped_intrinsic

AHEAD, NEAR, SOON = 4096, 2048, 1024  # bytes; a prefetch beyond the end of a matrix has no effect
BYTES = (4, 2, 2)  # bytes of a stored number, by kind


def _lanes() -> tuple[int, int]:
    """Return how many float32 a register holds, and the most rows of a tile that fits into the registers."""
    if platform.machine().lower() in ("arm64", "aarch64"):
        return 4, 8
    features = k.features()
    if features.get("avx512f"):
        return 16, 8
    return (8, 4) if features.get("avx") else (4, 4)


LANES, MOST_ROWS = _lanes()

ANY_ORDER = ("contract", "reassoc", "nsz", "arcp")
WORD, FLOAT = ir.IntType(64), ir.FloatType()
FLOATS = ir.VectorType(FLOAT, LANES)


def _widened(builder: Any, kind: int, address: Any) -> Any:
    """Return LANES stored numbers from this address on, as float32."""
    if kind == k.FLOAT32:
        return load(builder, address, FLOATS, 4)
    integers = ir.VectorType(ir.IntType(32), LANES)
    narrow = load(builder, address, ir.VectorType(ir.IntType(16), LANES), 2)
    if kind == k.FLOAT16:
        return k.half_as_float(builder, narrow, LANES)
    return builder.bitcast(builder.shl(builder.zext(narrow, integers), ir.Constant(integers, [16] * LANES)), FLOATS)


def load(builder: Any, address: Any, kind: Any, align: int) -> Any:
    """Return code that reads a value of this kind from an address (int64) that is a multiple of `align` bytes."""
    loaded = builder.load(builder.inttoptr(address, kind.as_pointer()))
    loaded.align = align
    return loaded


def external(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """Return a function of LLVM by its name, declared once per module."""
    module = builder.module
    return module.globals.get(name) or ir.Function(module, ir.FunctionType(result, arguments), name)


def _ask(builder: Any, address: Any) -> None:
    pointer = builder.inttoptr(address, ir.IntType(8).as_pointer())
    number = ir.IntType(32)
    ask = external(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer.type, number, number, number])
    builder.call(ask, [pointer, ir.Constant(number, 0), ir.Constant(number, 3), ir.Constant(number, 1)])


def _tile(kind: int, outputs: int, rows: int, near: int = 0) -> Any:
    """Return an intrinsic (weight, output stride, x, row stride, inputs, out, row stride of out, output stride of out) that writes out.

    All arguments are int64; weight, x and out are addresses, strides are in bytes. inputs: numbers per row, a positive multiple of LANES.
    near: how many bytes before use weights are prefetched; 0 for no prefetch.
    """

    @intrinsic
    def tile(context: Any, weight: Any, apart: Any, x: Any, x_apart: Any, count: Any, out: Any, out_apart: Any, out_beside: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            weight, apart, x, x_apart, count, out, out_apart, out_beside = arguments

            def word(number: int) -> Any:
                return ir.Constant(WORD, number)

            weights = [builder.add(weight, builder.mul(apart, word(o))) for o in range(outputs)]
            lines = [builder.add(x, builder.mul(x_apart, word(r))) for r in range(rows)]
            before = builder.block
            loop, end = builder.append_basic_block("along"), builder.append_basic_block("done")
            builder.branch(loop)
            builder.position_at_end(loop)
            at = builder.phi(WORD)
            at.add_incoming(word(0), before)
            sums = [[builder.phi(FLOATS) for _ in range(rows)] for _ in range(outputs)]
            x_at, weight_at = builder.mul(at, word(4)), builder.mul(at, word(BYTES[kind]))
            read = [load(builder, builder.add(line, x_at), FLOATS, 4) for line in lines]
            added = []
            for output_sums, address in zip(sums, weights, strict=True):
                if near:
                    _ask(builder, builder.add(builder.add(address, weight_at), word(near)))
                wide = _widened(builder, kind, builder.add(address, weight_at))
                for total, row in zip(output_sums, read, strict=True):
                    total.add_incoming(ir.Constant(FLOATS, [0.0] * LANES), before)
                    added.append(builder.fadd(total, builder.fmul(wide, row, flags=ANY_ORDER), flags=ANY_ORDER))
                    total.add_incoming(added[-1], loop)
            following = builder.add(at, word(LANES))
            at.add_incoming(following, loop)
            builder.cbranch(builder.icmp_signed("<", following, count), loop, end)
            builder.position_at_end(end)
            reduce = external(builder, f"llvm.vector.reduce.fadd.v{LANES}f32", FLOAT, [FLOAT, FLOATS])
            for o in range(outputs):
                for r in range(rows):
                    total = builder.call(reduce, [ir.Constant(FLOAT, 0.0), added[o * rows + r]], fastmath=ANY_ORDER)
                    target = builder.add(builder.add(out, builder.mul(out_apart, word(r))), builder.mul(out_beside, word(o)))
                    builder.store(total, builder.inttoptr(target, FLOAT.as_pointer()))
            return context.get_dummy_value()

        return types.none(*[types.int64] * 8), generate

    return tile


def _tail(kind: int) -> Any:
    number_at = (k.floats_at, k.halves_at, k.halves_at)[kind]
    one_widened = (_as_it_is, k.from_bfloat16, k.from_float16)[kind]

    @njit(fastmath=k.QUICK, nogil=True)
    def tail(weight, apart, begin, stop, inputs, row, into):  # type: ignore[no-untyped-def]
        """Add to one row's outputs the products of its last inputs, which do not fill a register."""
        filled = inputs // LANES * LANES
        for o in range(begin, stop):
            weights = number_at(weight + o * apart)
            total = into[o] if filled > 0 else k.zero
            for i in range(filled, inputs):
                total += one_widened(weights[i]) * row[i]
            into[o] = total

    return tail


def _product_of_one(kind: int) -> Any:
    one_by_one, two_by_one, four_by_one = _tile(kind, 1, 1), _tile(kind, 2, 1, AHEAD), _tile(kind, 4, 1, SOON)
    tail = _tail(kind)

    @njit(fastmath=k.QUICK, nogil=True)
    def product(weight, apart, begin, stop, inputs, x, out, streams):  # type: ignore[no-untyped-def]
        """Write outputs [begin, stop) of one row. weight, x, out: addresses; apart: bytes from one output's weights to the next."""
        filled = inputs // LANES * LANES
        if filled > 0:
            o = begin
            if streams == 2:
                half = (stop - begin) // 2
                while o < begin + half:
                    two_by_one(weight + o * apart, half * apart, x, 0, filled, out + 4 * o, 0, 4 * half)
                    o += 1
                o += half
            elif streams == 4:
                quarter = (stop - begin) // 4
                while o < begin + quarter:
                    four_by_one(weight + o * apart, quarter * apart, x, 0, filled, out + 4 * o, 0, 4 * quarter)
                    o += 1
                o += 3 * quarter
            while o < stop:
                one_by_one(weight + o * apart, apart, x, 0, filled, out + 4 * o, 0, 4)
                o += 1
        if filled < inputs:
            tail(weight, apart, begin, stop, inputs, k.floats_at(x), k.floats_at(out))

    return product


def _rows_of_pair(kind: int, near: int, most_near: int) -> Any:
    two_by_one, two_by_two = _tile(kind, 2, 1, near), _tile(kind, 2, 2, near)
    two_by_four, two_by_most = _tile(kind, 2, 4, near), _tile(kind, 2, MOST_ROWS, most_near)

    @njit(fastmath=k.QUICK, nogil=True)
    def pair(weights, apart, filled, x, x_apart, rows, into, out_apart, out_beside):  # type: ignore[no-untyped-def]
        """Write two outputs of `rows` rows."""
        r = 0
        while r + MOST_ROWS <= rows:
            two_by_most(weights, apart, x + r * x_apart, x_apart, filled, into + r * out_apart, out_apart, out_beside)
            r += MOST_ROWS
        if r + 4 <= rows:
            two_by_four(weights, apart, x + r * x_apart, x_apart, filled, into + r * out_apart, out_apart, out_beside)
            r += 4
        if r + 2 <= rows:
            two_by_two(weights, apart, x + r * x_apart, x_apart, filled, into + r * out_apart, out_apart, out_beside)
            r += 2
        if r < rows:
            two_by_one(weights, apart, x + r * x_apart, x_apart, filled, into + r * out_apart, out_apart, out_beside)

    return pair


def _rows_of_one(kind: int) -> Any:
    one_by_one, one_by_two, one_by_four = _tile(kind, 1, 1), _tile(kind, 1, 2), _tile(kind, 1, 4, NEAR)

    @njit(fastmath=k.QUICK, nogil=True)
    def single(weights, apart, filled, x, x_apart, rows, into, out_apart):  # type: ignore[no-untyped-def]
        """Write one output of `rows` rows."""
        r = 0
        while r + 4 <= rows:
            one_by_four(weights, apart, x + r * x_apart, x_apart, filled, into + r * out_apart, out_apart, 4)
            r += 4
        if r + 2 <= rows:
            one_by_two(weights, apart, x + r * x_apart, x_apart, filled, into + r * out_apart, out_apart, 4)
            r += 2
        if r < rows:
            one_by_one(weights, apart, x + r * x_apart, x_apart, filled, into + r * out_apart, out_apart, 4)

    return single


def _product(kind: int) -> Any:
    asked_pair, pair, single, tail = _rows_of_pair(kind, AHEAD, AHEAD), _rows_of_pair(kind, 0, NEAR), _rows_of_one(kind), _tail(kind)

    @njit(fastmath=k.QUICK, nogil=True)
    def product(weight, apart, begin, stop, inputs, x, x_apart, rows, out, out_apart, streams):  # type: ignore[no-untyped-def]
        """Write outputs [begin, stop) of `rows` rows. weight, x, out: addresses; apart: bytes from one output, or row, to the next."""
        filled = inputs // LANES * LANES
        o = begin
        if filled > 0:
            if streams > 1:
                half = (stop - begin) // 2
                while o < begin + half:
                    asked_pair(weight + o * apart, half * apart, filled, x, x_apart, rows, out + 4 * o, out_apart, 4 * half)
                    o += 1
                o += half
            elif rows >= MOST_ROWS:
                while o + 1 < stop:
                    pair(weight + o * apart, apart, filled, x, x_apart, rows, out + 4 * o, out_apart, 4)
                    o += 2
            while o < stop:
                single(weight + o * apart, apart, filled, x, x_apart, rows, out + 4 * o, out_apart)
                o += 1
        if filled < inputs:
            for r in range(rows):
                tail(weight, apart, begin, stop, inputs, k.floats_at(x + r * x_apart), k.floats_at(out + r * out_apart))

    return product


@njit(inline="always")
def _as_it_is(number):  # type: ignore[no-untyped-def]
    return number


product_of_floats, product_of_bfloats, product_of_halves = _product(k.FLOAT32), _product(k.BFLOAT16), _product(k.FLOAT16)
floats_by_one, bfloats_by_one, halves_by_one = _product_of_one(k.FLOAT32), _product_of_one(k.BFLOAT16), _product_of_one(k.FLOAT16)


@njit(fastmath=k.QUICK, nogil=True)
def project_rows(part, x, rows, out, me, team):  # type: ignore[no-untyped-def]
    """Multiply rows with a projection: part is its columns, x and out are addresses of float32 [rows, in] and [rows, out].

    This thread of the team computes its part of the outputs.
    """
    address, kind, outputs, inputs = part[k.ADDRESS], part[k.KIND], part[k.OUTPUTS], part[k.INPUTS]
    begin, stop = outputs * me // team, outputs * (me + 1) // team
    if kind == k.FLOAT32:
        product_of_floats(address, 4 * inputs, begin, stop, inputs, x, 4 * inputs, rows, out, 4 * outputs, part[k.STREAMS])
    elif kind == k.BFLOAT16:
        product_of_bfloats(address, 2 * inputs, begin, stop, inputs, x, 4 * inputs, rows, out, 4 * outputs, part[k.STREAMS])
    else:
        product_of_halves(address, 2 * inputs, begin, stop, inputs, x, 4 * inputs, rows, out, 4 * outputs, part[k.STREAMS])
    if part[k.BIAS] != 0:
        bias = k.floats_at(part[k.BIAS])
        for r in range(rows):
            row = k.floats_at(out + 4 * outputs * r)
            for o in range(begin, stop):
                row[o] += bias[o]


@njit(fastmath=k.QUICK, nogil=True)
def project(part, x, out, me, team):  # type: ignore[no-untyped-def]
    """Multiply one row with a projection: part is its columns, x [in], out [out]. This thread computes its part of the outputs."""
    address, kind, outputs, inputs = part[k.ADDRESS], part[k.KIND], part[k.OUTPUTS], part[k.INPUTS]
    begin, stop = outputs * me // team, outputs * (me + 1) // team
    if kind == k.FLOAT32:
        floats_by_one(address, 4 * inputs, begin, stop, inputs, x.ctypes.data, out.ctypes.data, part[k.STREAMS])
    elif kind == k.BFLOAT16:
        bfloats_by_one(address, 2 * inputs, begin, stop, inputs, x.ctypes.data, out.ctypes.data, part[k.STREAMS])
    else:
        halves_by_one(address, 2 * inputs, begin, stop, inputs, x.ctypes.data, out.ctypes.data, part[k.STREAMS])
    if part[k.BIAS] != 0:
        bias = k.floats_at(part[k.BIAS])
        for o in range(begin, stop):
            out[o] += bias[o]
