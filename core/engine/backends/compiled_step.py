"""One token's way through all layers of a decoder, compiled as a whole; see `core.engine.backends.kernels`.

Importing this compiles it, or reads what was compiled before and kept on disk.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

from core.engine.backends import kernels as k


@njit(nogil=True, fastmath=k.QUICK)
def through_layers(  # type: ignore[no-untyped-def]
    table, numbers, heads, kv_heads, size, frequencies, halves, scales, residual, position, firsts, keys, values, hidden
):
    """Take hidden [hidden size] through all layers, in place, and write its keys and values.

    table int64 [layers, COLUMNS] and numbers float64 [layers, NUMBERS]: the layers. frequencies float32 [rotaries, ...], of which the first
    halves [rotaries] count; scales float32 [rotaries]. firsts: where either room begins; keys and values: both rooms'.
    """
    group, turned, lines = heads // kv_heads, heads + kv_heads, heads + 2 * kv_heads
    normed, change = np.empty_like(hidden), np.empty_like(hidden)
    packed, spare = np.empty(lines * size, np.float32), np.empty(lines * size, np.float32)
    mixed = np.empty(heads * size, np.float32)
    scores = np.empty(max(keys[0].shape[3], keys[1].shape[3]), np.float32)
    residual = np.float32(residual)
    widest = 0
    for index in range(len(table)):
        widest = max(widest, table[index, k.CONTRACT + k.INPUTS])
    between = np.empty(2 * widest, np.float32)
    for index in range(len(table)):
        layer, own = table[index], numbers[index]
        taken = hidden
        if layer[k.ATTENTION_NORM] != 0:
            k.norm(layer[k.ATTENTION_NORM :], own[0], hidden, 1, normed)
            taken = normed
        at = 0
        for place in range(3):
            part = layer[k.INWARD + place * k.PROJECTION : k.INWARD + (place + 1) * k.PROJECTION]
            if part[k.ADDRESS] != 0:
                k.project(part, taken, packed[at : at + part[k.OUTPUTS]])
                at += part[k.OUTPUTS]
        if layer[k.ORDER] != 0:
            order = k.integers_at(layer[k.ORDER])
            spare[:] = packed
            for i in range(len(packed)):
                packed[i] = spare[order[i]]
        if layer[k.QUERY_NORM] != 0:
            asking, asked = packed[: heads * size], packed[heads * size : turned * size]
            whole = layer[k.QUERY_NORM + k.GROUPS] < 0  # one norm over all heads at once
            k.norm(layer[k.QUERY_NORM :], own[1], asking, 1 if whole else heads, asking)
            k.norm(layer[k.KEY_NORM :], own[2], asked, 1 if whole else kv_heads, asked)
        rotary = layer[k.ROTARY]
        if rotary >= 0:
            k.rotate(packed, turned, size, frequencies[rotary], halves[rotary], scales[rotary], position)
        room = 0 if layer[k.WINDOW] == 0 else 1
        all_keys, all_values = keys[room][layer[k.PLACE]], values[room][layer[k.PLACE]]
        newest = position - firsts[room]
        begin = 0 if room == 0 else max(0, position - layer[k.WINDOW] + 1) - firsts[1]
        for h in range(kv_heads):
            for d in range(size):
                all_keys[h, d, newest] = packed[(heads + h) * size + d]
                all_values[h, newest, d] = packed[(turned + h) * size + d]
        for h in range(heads):
            part_keys, part_values = all_keys[h // group], all_values[h // group]
            span = slice(h * size, (h + 1) * size)
            scaling, softcap = np.float32(own[k.SCALING]), np.float32(own[k.SOFTCAP])
            k.attend(packed[span], part_keys, part_values, begin, newest + 1, scaling, softcap, scores, mixed[span])
        k.project(layer[k.OUTWARD : k.OUTWARD + k.PROJECTION], mixed, change)
        if layer[k.ATTENTION_POST_NORM] != 0:
            k.norm(layer[k.ATTENTION_POST_NORM :], own[3], change, 1, change)
        beside = layer[k.PARALLEL] != 0
        if not beside:
            for i in range(len(hidden)):
                hidden[i] += residual * change[i]
            taken = hidden
        if layer[k.FEED_FORWARD_NORM] != 0:
            k.norm(layer[k.FEED_FORWARD_NORM :], own[4], hidden, 1, normed)
            taken = normed
        if beside:  # the feed-forward part looks at what attention looked at
            for i in range(len(hidden)):
                hidden[i] += change[i]
        width = layer[k.CONTRACT + k.INPUTS]
        at = 0
        for place in range(2):
            part = layer[k.EXPAND + place * k.PROJECTION : k.EXPAND + (place + 1) * k.PROJECTION]
            if part[k.ADDRESS] != 0:
                k.project(part, taken, between[at : at + part[k.OUTPUTS]])
                at += part[k.OUTPUTS]
        k.activate(layer[k.ACT], between[:width], between[width : 2 * width], layer[k.GATED] != 0)
        k.project(layer[k.CONTRACT : k.CONTRACT + k.PROJECTION], between[:width], change)
        if layer[k.FEED_FORWARD_POST_NORM] != 0:
            k.norm(layer[k.FEED_FORWARD_POST_NORM :], own[5], change, 1, change)
        for i in range(len(hidden)):
            hidden[i] += residual * change[i]


ROOMS = types.UniTuple(types.float32[:, :, :, ::1], 2)
STEP = types.float32[::1](
    types.int64,
    types.int64,
    types.int64[:, ::1],
    types.float64[:, ::1],
    types.int64[::1],
    types.float64[::1],
    types.int64[::1],
    types.float32[:, ::1],
    types.int64[::1],
    types.float32[::1],
    types.int64[::1],
    ROOMS,
    ROOMS,
)
ROWS = types.void(types.int64[::1], types.float32[:, ::1], types.float32[:, ::1])


@njit(STEP, nogil=True, fastmath=k.QUICK, cache=True)
def step(  # type: ignore[no-untyped-def]
    token, position, table, numbers, ends, factors, shape, frequencies, halves, scales, firsts, keys, values
):
    """The logits [vocabulary] after this token at this position; its keys and values are in their rooms then.

    ends int64: embedding (address, kind), learned positions (address or 0, kind), the last norm, the head. factors float64: of the
    embedding, of what is added, of the logits; their soft cap or 0; the last norm's epsilon. shape: hidden size, heads, KV heads,
    head size.
    """
    hidden = np.empty(shape[0], np.float32)
    k.widened(ends[1], ends[0], token * shape[0], shape[0], hidden)
    if factors[0] != 1.0:
        factor = np.float32(factors[0])
        for i in range(len(hidden)):
            hidden[i] *= factor
    if ends[2] != 0:
        learned = np.empty_like(hidden)
        k.widened(ends[3], ends[2], position * shape[0], shape[0], learned)
        for i in range(len(hidden)):
            hidden[i] += learned[i]
    through_layers(
        table, numbers, shape[1], shape[2], shape[3], frequencies, halves, scales, factors[1], position, firsts, keys, values, hidden
    )
    normed = np.empty_like(hidden)
    k.norm(ends[4:], factors[4], hidden, 1, normed)
    head = ends[4 + k.NORM : 4 + k.NORM + k.PROJECTION]
    logits = np.empty(head[k.OUTPUTS], np.float32)
    k.project(head, normed, logits)
    if factors[2] != 1.0:
        factor = np.float32(factors[2])
        for i in range(len(logits)):
            logits[i] *= factor
    if factors[3] > 0:
        cap = np.float32(factors[3])
        for i in range(len(logits)):
            logits[i] = cap * k.hyperbolic_tangent(logits[i] / cap)
    return logits


@njit(ROWS, nogil=True, fastmath=k.QUICK, cache=True)
def rows_through(part, rows, out):  # type: ignore[no-untyped-def]
    """Several rows [count, in] through a projection that is not turned: every weight is fetched and widened once."""
    inputs, count = part[k.INPUTS], len(rows)
    wide = np.empty(inputs, np.float32)
    for o in range(part[k.OUTPUTS]):
        k.widened(part[k.KIND], part[k.ADDRESS], o * inputs, inputs, wide)
        for r in range(count):
            row = rows[r]
            total = k.zero
            for i in range(inputs):
                total += wide[i] * row[i]
            out[r, o] = total
    if part[k.BIAS] != 0:
        bias = k.floats_at(part[k.BIAS])
        for r in range(count):
            for o in range(part[k.OUTPUTS]):
                out[r, o] += bias[o]
