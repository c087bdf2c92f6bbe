"""Compiled kernels (numba) for one token through a decoder: weights are read once, as stored, and summed in float32.

Only this package imports this module, in the background: compiling takes seconds if no compiled code is on disk.
Arrays whose type differs between models are passed as addresses, so that one compiled version serves all models.
"""

from __future__ import annotations

import math
import os
import platform
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import config as numba_config
from numba import njit, types
from numba.extending import intrinsic as untyped_intrinsic

intrinsic: Any = untyped_intrinsic
config: Any = numba_config

FLOAT32, BFLOAT16, FLOAT16 = 0, 1, 2
SILU, GELU, GELU_TANH, RELU = 0, 1, 2, 3

# Sums may be computed in any order. NaN and infinity must stay, because a broken model must be detected.
QUICK = {"reassoc", "contract", "nsz", "arcp"}
one = np.float32(1)
zero = np.float32(0)

# Columns of the table that describes a layer, and of each projection and norm in it.
ADDRESS, KIND, OUTPUTS, INPUTS, BIAS, STREAMS = range(6)
PROJECTION = 6
WEIGHT, NORM_BIAS, CENTRED, GROUPS = range(4)
NORM = 4
ATTENTION_NORM = 0
QUERY_NORM = ATTENTION_NORM + NORM
KEY_NORM = QUERY_NORM + NORM
ATTENTION_POST_NORM = KEY_NORM + NORM
FEED_FORWARD_NORM = ATTENTION_POST_NORM + NORM
FEED_FORWARD_POST_NORM = FEED_FORWARD_NORM + NORM
QKV = FEED_FORWARD_POST_NORM + NORM
OUTPUT = QKV + 3 * PROJECTION
GATE_UP = OUTPUT + PROJECTION
DOWN = GATE_UP + 2 * PROJECTION
ORDER = DOWN + PROJECTION
ROTARY, WINDOW, PLACE, GATED, ACT, PARALLEL = range(ORDER + 1, ORDER + 7)
COLUMNS = ORDER + 7
# Columns of a layer's numbers: an epsilon per norm, in their order, then
SCALING, SOFTCAP = 6, 7
NUMBERS = 8


def _pointer(item: Any) -> Any:
    @intrinsic
    def at(typing_context: Any, address: Any) -> Any:
        """Return a pointer to the numbers at this address."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return types.CPointer(item)(address), generate

    return at


floats_at = _pointer(types.float32)
halves_at = _pointer(types.uint16)
integers_at = _pointer(types.int64)


@intrinsic
def from_bfloat16(typing_context: Any, bits: Any) -> Any:
    """Return the float32 whose upper 16 bits these are."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = builder.shl(builder.zext(arguments[0], ir.IntType(32)), ir.Constant(ir.IntType(32), 16))
        return builder.bitcast(wide, ir.FloatType())

    return types.float32(types.uint16), generate


def features() -> dict[str, bool]:
    """Return the features of the processor that numba compiles for: this one, or NUMBA_CPU_FEATURES."""
    described = config.CPU_FEATURES
    return (
        dict(binding.get_host_cpu_features())
        if described is None
        else {feature[1:]: feature[0] == "+" for feature in described.split(",") if feature}
    )


WIDENS_HALVES = platform.machine().lower() in ("arm64", "aarch64") or bool(features().get("f16c"))


def half_as_float(builder: Any, bits: Any, lanes: int = 0) -> Any:
    """Return LLVM code that widens the 16 bits of a half, or a vector of them, to float32.

    Without an instruction for that, LLVM would call a missing function, which ends the process.
    """
    integer, half, real = ir.IntType(32), ir.HalfType(), ir.FloatType()
    if lanes:
        integer, half, real = (ir.VectorType(kind, lanes) for kind in (integer, half, real))

    def every(kind: Any, number: float) -> Any:
        return ir.Constant(kind, [number] * lanes if lanes else number)

    if WIDENS_HALVES:
        return builder.fpext(builder.bitcast(bits, half), real)
    wide = builder.zext(bits, integer)
    sign = builder.shl(builder.and_(wide, every(integer, 0x8000)), every(integer, 16))
    magnitude = builder.shl(builder.and_(wide, every(integer, 0x7FFF)), every(integer, 13))
    # The exponent bias of halves is 112 less. Infinities and NaN have the largest exponent in both types.
    scaled = builder.bitcast(builder.fmul(builder.bitcast(magnitude, real), every(real, 2.0**112)), integer)
    strange = builder.icmp_unsigned(">=", magnitude, every(integer, 0x0F800000))
    widened = builder.select(strange, builder.or_(magnitude, every(integer, 0x7F800000)), scaled)
    return builder.bitcast(builder.or_(widened, sign), real)


@intrinsic
def from_float16(typing_context: Any, bits: Any) -> Any:
    """Return the float32 of a half's 16 bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return half_as_float(builder, arguments[0])

    return types.float32(types.uint16), generate


@intrinsic
def rounded_down(typing_context: Any, number: Any) -> Any:
    """Return the floor of a float32 as a float32. Python's floor makes an int64, which compilers do not vectorise."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        name, kind = "llvm.floor.f32", ir.FunctionType(ir.FloatType(), [ir.FloatType()])
        return builder.call(builder.module.globals.get(name) or ir.Function(builder.module, kind, name), arguments)

    return types.float32(types.float32), generate


@intrinsic
def larger(typing_context: Any, a: Any, b: Any) -> Any:
    """Return the larger of two float32, NaN if either is. numba's own max is not vectorised."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        name, kind = "llvm.maximum.f32", ir.FunctionType(ir.FloatType(), [ir.FloatType()] * 2)
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        return builder.call(function, arguments, fastmath=("nsz",))

    return types.float32(types.float32, types.float32), generate


@intrinsic
def two_to_the(typing_context: Any, number: Any) -> Any:
    """Return 2 to a whole float32 from -126 to 127, made from the exponent's bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(32)
        exponent = builder.add(builder.fptosi(arguments[0], word), ir.Constant(word, 127))
        return builder.bitcast(builder.shl(exponent, ir.Constant(word, 23)), ir.FloatType())

    return types.float32(types.float32), generate


@intrinsic
def add_one(typing_context: Any, address: Any) -> Any:
    """Add one to the int64 at this address, atomically. Other threads then see all earlier writes of this thread."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        builder.atomic_rmw("add", pointer, ir.Constant(ir.IntType(64), 1), "seq_cst")
        return context.get_dummy_value()

    return types.none(types.int64), generate


@intrinsic
def current(typing_context: Any, address: Any) -> Any:
    """Return the int64 at this address, as last written by any thread."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(builder.inttoptr(arguments[0], ir.IntType(64).as_pointer()), "acquire", 8)

    return types.int64(types.int64), generate


# Lets another thread run; a function of the system's library.
yield_processor = types.ExternalFunction("SwitchToThread" if os.name == "nt" else "sched_yield", types.int32())
PATIENCE = 20_000  # reads of the counter before giving way; about ten microseconds


@njit(fastmath=QUICK, inline="always")
def exponential(x):  # type: ignore[no-untyped-def]
    """Return e^x to 1e-7, relative: 2^n times a polynomial (Cephes' expf), in operations that compilers vectorise."""
    x = min(max(x, np.float32(-87.0)), np.float32(88.0))
    n = rounded_down(x * np.float32(1.44269504) + np.float32(0.5))
    r = x - n * np.float32(0.693359375) + n * np.float32(2.12194440e-4)
    p = np.float32(1.9875691500e-4)
    p = p * r + np.float32(1.3981999507e-3)
    p = p * r + np.float32(8.3334519073e-3)
    p = p * r + np.float32(4.1665795894e-2)
    p = p * r + np.float32(1.6666665459e-1)
    p = p * r + np.float32(5.0000001201e-1)
    p = p * r * r + r + one
    return p * two_to_the(n)


@njit(fastmath=QUICK, nogil=True)
def highest(numbers, count):  # type: ignore[no-untyped-def]
    """Return the largest of the first `count` numbers, or NaN if one of them is."""
    top = numbers[0]
    for i in range(count):
        top = larger(top, numbers[i])
    return top


@njit(fastmath=QUICK, inline="always")
def hyperbolic_tangent(x):  # type: ignore[no-untyped-def]
    return x if x != x else one - np.float32(2) / (exponential(x + x) + one)


@njit(fastmath=QUICK, nogil=True)
def widened(kind, address, start, count, out):  # type: ignore[no-untyped-def]
    """Write `count` stored numbers from `start` on into out, as float32."""
    if kind == FLOAT32:
        wide = floats_at(address)
        for i in range(count):
            out[i] = wide[start + i]
    elif kind == BFLOAT16:
        narrow = halves_at(address)
        for i in range(count):
            out[i] = from_bfloat16(narrow[start + i])
    else:
        narrow = halves_at(address)
        for i in range(count):
            out[i] = from_float16(narrow[start + i])


@njit(fastmath=QUICK, nogil=True)
def barrier(sync, team, barriers):  # type: ignore[no-untyped-def]
    """Wait until all threads of the team have called this (a barrier). barriers: the barriers before this one; return that number plus one.

    After a long wait the thread gives way, because the missing thread may need its core.
    """
    barriers += 1
    if team > 1:
        add_one(sync)
        turns = 0
        while current(sync) < team * barriers:
            turns += 1
            if turns > PATIENCE:
                yield_processor()
    return barriers


@njit(fastmath=QUICK, nogil=True)
def norm(part, epsilon, x, groups, out):  # type: ignore[no-untyped-def]
    """Write the norm of x [groups x size], group by group, into out; part: the norm's four columns. out may be x."""
    weight, bias, centred, weight_groups = floats_at(part[WEIGHT]), floats_at(part[NORM_BIAS]), part[CENTRED], part[GROUPS]
    size = len(x) // groups
    for g in range(groups):
        at = g * size
        mean = zero
        if centred != 0:
            for i in range(size):
                mean += x[at + i]
            mean = mean / np.float32(size)
        square = zero
        for i in range(size):
            apart = x[at + i] - mean
            square += apart * apart
        scale = np.float32(1.0 / math.sqrt(np.float64(square) / size + epsilon))
        row = (g % weight_groups) * size
        for i in range(size):
            out[at + i] = (x[at + i] - mean) * (weight[row + i] * scale)
        if part[NORM_BIAS] != 0:
            for i in range(size):
                out[at + i] += bias[row + i]


@njit(fastmath=QUICK, nogil=True)
def rotate(lines, count, size, frequencies, half, scale, position):  # type: ignore[no-untyped-def]
    """Rotate `count` heads [size] to their position in place (arXiv 2104.09864)."""
    cosines, sines = np.empty(half, np.float32), np.empty(half, np.float32)
    for i in range(half):
        angle = np.float32(position) * frequencies[i]
        cosines[i], sines[i] = np.float32(math.cos(angle)) * scale, np.float32(math.sin(angle)) * scale
    for h in range(count):
        first, second = lines[h * size : h * size + half], lines[h * size + half : h * size + 2 * half]
        for i in range(half):
            a, b = first[i], second[i]
            first[i] = a * cosines[i] - b * sines[i]
            second[i] = b * cosines[i] + a * sines[i]


@njit(fastmath=QUICK, nogil=True)
def attend(query, keys, values, begin, stop, scaling, softcap, scores, out):  # type: ignore[no-untyped-def]
    """Write the attention output of one head [size] over tokens [begin, stop) of keys [size, reserve] and values [reserve, size]."""
    size, count = len(query), stop - begin
    for t in range(count):
        scores[t] = zero
    for d in range(size):
        factor, line = query[d] * scaling, keys[d, begin:stop]
        for t in range(count):
            scores[t] += factor * line[t]
    if softcap > 0:
        for t in range(count):
            scores[t] = softcap * hyperbolic_tangent(scores[t] / softcap)
    top, sound = highest(scores, count), zero
    for t in range(count):
        sound += scores[t] - scores[t]  # 0, or NaN if a score is not finite: a broken model must be detected
    total = zero
    for t in range(count):
        scores[t] = exponential(scores[t] - top)
        total += scores[t]
    share = one / total + sound
    for d in range(size):
        out[d] = zero
    for t in range(count):
        weight, line = scores[t] * share, values[begin + t]
        for d in range(size):
            out[d] += weight * line[d]


@njit(fastmath=QUICK, nogil=True)
def activate(act, gate, up, gated):  # type: ignore[no-untyped-def]
    """Apply the activation to gate [width] in place, and multiply it with `up` if gated."""
    if act == SILU:
        for i in range(len(gate)):
            gate[i] = gate[i] / (one + exponential(-gate[i]))
    elif act == GELU_TANH:
        for i in range(len(gate)):
            x = gate[i]
            gate[i] = np.float32(0.5) * x * (one + hyperbolic_tangent(np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x)))
    elif act == GELU:
        for i in range(len(gate)):
            gate[i] = np.float32(0.5) * gate[i] * (one + math.erf(gate[i] * np.float32(0.70710678)))
    else:
        for i in range(len(gate)):
            gate[i] = zero if gate[i] < zero else gate[i]
    if gated:
        for i in range(len(gate)):
            gate[i] *= up[i]


@njit(fastmath=QUICK, nogil=True)
def finish(logits, factors):  # type: ignore[no-untyped-def]
    """Multiply logits in place with the model's factor, and apply its soft cap; factors: see `kernel_step.step`."""
    if factors[2] != 1.0:
        factor = np.float32(factors[2])
        for i in range(len(logits)):
            logits[i] *= factor
    if factors[3] > 0:
        cap = np.float32(factors[3])
        for i in range(len(logits)):
            logits[i] = cap * hyperbolic_tangent(logits[i] / cap)
