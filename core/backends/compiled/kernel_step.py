"""One token through all layers of a decoder, compiled as one function; see `core.backends.compiled.kernels`.

Importing this module compiles it, or loads the compiled code from disk.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

from core.backends.compiled import kernels as k
from core.backends.compiled.kernel_tiles import project, project_rows


@njit(nogil=True, fastmath=k.QUICK)
def through_layers(  # type: ignore[no-untyped-def]
    table, numbers, shape, frequencies, halves, scales, residual, position, firsts, keys, values, hidden, shared, me, team, sync
):
    """Take hidden [hidden size] through all layers, in place, and write its keys and values. Return the number of barriers.

    table int64 [layers, COLUMNS] and numbers float64 [layers, NUMBERS]: the layers. frequencies float32 [rotaries, ...], of which the first
    halves [rotaries] are used; scales float32 [rotaries]. firsts: the first position of each room (without and with a window); keys and
    values: of both rooms.

    Each thread of the team has its own hidden. The threads share the work of products and heads, whose results are in `shared`, and then
    meet at a barrier. `shared` is overwritten only after another barrier, when all threads have read it.
    """
    heads, kv_heads, size = shape[1], shape[2], shape[3]
    group, turned, lines = heads // kv_heads, heads + kv_heads, heads + 2 * kv_heads
    normed, packed = np.empty_like(hidden), np.empty(lines * size, np.float32)
    all_packed, at = shared[: lines * size], lines * size
    change, at = shared[at : at + len(hidden)], at + len(hidden)
    mixed, at = shared[at : at + heads * size], at + heads * size
    intermediate = shared[at:]
    scores = np.empty(max(keys[0].shape[3], keys[1].shape[3]), np.float32)
    added = np.empty_like(hidden)
    residual = np.float32(residual)
    barriers = 0
    for index in range(len(table)):
        layer, layer_numbers = table[index], numbers[index]
        taken = hidden
        if layer[k.ATTENTION_NORM] != 0:
            k.norm(layer[k.ATTENTION_NORM :], layer_numbers[0], hidden, 1, normed)
            taken = normed
        at = 0
        for qkv in range(3):
            part = layer[k.QKV + qkv * k.PROJECTION : k.QKV + (qkv + 1) * k.PROJECTION]
            if part[k.ADDRESS] != 0:
                project(part, taken, all_packed[at : at + part[k.OUTPUTS]], me, team)
                at += part[k.OUTPUTS]
        barriers = k.barrier(sync, team, barriers)
        if layer[k.ORDER] != 0:
            order = k.integers_at(layer[k.ORDER])
            for i in range(len(packed)):
                packed[i] = all_packed[order[i]]
        else:
            packed[:] = all_packed
        if layer[k.QUERY_NORM] != 0:
            asking, asked = packed[: heads * size], packed[heads * size : turned * size]
            joint = layer[k.QUERY_NORM + k.GROUPS] < 0  # one norm over all heads at once
            k.norm(layer[k.QUERY_NORM :], layer_numbers[1], asking, 1 if joint else heads, asking)
            k.norm(layer[k.KEY_NORM :], layer_numbers[2], asked, 1 if joint else kv_heads, asked)
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
        for h in range(heads * me // team, heads * (me + 1) // team):
            span = slice(h * size, (h + 1) * size)
            scaling, softcap = np.float32(layer_numbers[k.SCALING]), np.float32(layer_numbers[k.SOFTCAP])
            k.attend(packed[span], all_keys[h // group], all_values[h // group], begin, newest + 1, scaling, softcap, scores, mixed[span])
        barriers = k.barrier(sync, team, barriers)
        project(layer[k.OUTPUT : k.OUTPUT + k.PROJECTION], mixed, change, me, team)
        barriers = k.barrier(sync, team, barriers)
        added[:] = change
        if layer[k.ATTENTION_POST_NORM] != 0:
            k.norm(layer[k.ATTENTION_POST_NORM :], layer_numbers[3], added, 1, added)
        beside = layer[k.PARALLEL] != 0
        if not beside:
            for i in range(len(hidden)):
                hidden[i] += residual * added[i]
            taken = hidden
        if layer[k.FEED_FORWARD_NORM] != 0:
            k.norm(layer[k.FEED_FORWARD_NORM :], layer_numbers[4], hidden, 1, normed)
            taken = normed
        width = layer[k.DOWN + k.INPUTS]
        gate, up = intermediate[:width], intermediate[width : 2 * width]
        project(layer[k.GATE_UP : k.GATE_UP + k.PROJECTION], taken, gate, me, team)
        gated = layer[k.GATED] != 0
        if gated:
            project(layer[k.GATE_UP + k.PROJECTION : k.GATE_UP + 2 * k.PROJECTION], taken, up, me, team)
        begin, stop = width * me // team, width * (me + 1) // team
        k.activate(layer[k.ACT], gate[begin:stop], up[begin:stop], gated)
        barriers = k.barrier(sync, team, barriers)
        if beside:  # the feed-forward part has the same input as attention
            for i in range(len(hidden)):
                hidden[i] += added[i]
        project(layer[k.DOWN : k.DOWN + k.PROJECTION], gate, change, me, team)
        barriers = k.barrier(sync, team, barriers)
        added[:] = change
        if layer[k.FEED_FORWARD_POST_NORM] != 0:
            k.norm(layer[k.FEED_FORWARD_POST_NORM :], layer_numbers[5], added, 1, added)
        for i in range(len(hidden)):
            hidden[i] += residual * added[i]
    return barriers


ROOMS = types.UniTuple(types.float32[:, :, :, ::1], 2)
STEP = types.void(
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
    types.float32[::1],
    types.float32[::1],
    types.int64,
    types.int64,
    types.int64,
)
ROWS = types.void(types.int64[::1], types.float32[:, ::1], types.float32[:, ::1], types.int64, types.int64, types.int64)


@njit(STEP, nogil=True, fastmath=k.QUICK, cache=True)
def step(  # type: ignore[no-untyped-def]
    token, position, table, numbers, ends, factors, shape, frequencies, halves, scales, firsts, keys, values, shared, logits, me, team, sync
):
    """Write the logits [vocabulary] after this token at this position, and its keys and values into their rooms.

    ends int64: embedding (address, kind), learned positions (address or 0, kind), the last norm, the head. factors float64: of the
    embedding, of each residual, of the logits; their soft cap or 0; the last norm's epsilon. shape: hidden size, heads, KV heads,
    head size. shared: see `through_layers`. me, team: index of this thread and number of threads that make this call at the same time.
    sync: the address of a counter that starts at 0.
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
    barriers = through_layers(
        table, numbers, shape, frequencies, halves, scales, factors[1], position, firsts, keys, values, hidden, shared, me, team, sync
    )
    normed = np.empty_like(hidden)
    k.norm(ends[4:], factors[4], hidden, 1, normed)
    head = ends[4 + k.NORM : 4 + k.NORM + k.PROJECTION]
    project(head, normed, logits, me, team)
    k.finish(logits[len(logits) * me // team : len(logits) * (me + 1) // team], factors)
    k.barrier(sync, team, barriers)


@njit(ROWS, nogil=True, fastmath=k.QUICK, cache=True)
def rows_through(part, rows, out, me, team, sync):  # type: ignore[no-untyped-def]
    """Multiply rows [count, in] with a projection; each weight is read once for all rows.

    Each thread of the team computes its part of the outputs, without a barrier.
    """
    project_rows(part, rows.ctypes.data, len(rows), out.ctypes.data, me, team)
