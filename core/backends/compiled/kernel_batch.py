"""A few tokens of several texts through all layers of a decoder at once, compiled as one function; see `kernel_step`.

Each weight is read once for all rows. Keys and values are stored in blocks of tokens. Attention reads each text separately, through its
block table. Importing this module compiles it, or loads the compiled code from disk.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

from core.backends.compiled import kernels as k
from core.backends.compiled.kernel_blend import blend
from core.backends.compiled.kernel_tiles import project_rows


@njit(fastmath=k.QUICK, nogil=True)
def attend_blocks(queries, group, size, keys, values, head, blocks, count, scaling, scores, out):  # type: ignore[no-untyped-def]
    """Write the attention output of the `group` heads that share a KV head, over the first `count` tokens of a text.

    queries, out: [group x size]; keys: [blocks, KV heads x size, tokens of a block], values: [slots, KV heads x size], of which `head` is
    used; blocks: the text's block table; scores: workspace [group, at least whole blocks for count].
    """
    block, apart = keys.shape[2], 4 * scores.shape[1]
    asking, into = queries.ctypes.data, scores.ctypes.data
    held = -(-count // block) * block
    for g in range(group):
        scores[g, :held] = k.zero
    across = 4 * values.shape[1]
    for first in range(0, count, block):
        block_keys = keys.ctypes.data + 4 * block * (blocks[first // block] * keys.shape[1] + head * size)
        blend(asking, 4 * size, group, block_keys, 4 * block, size, block, into + 4 * first, apart)
    for g in range(group):
        line, mixed = scores[g], out[g * size : (g + 1) * size]
        sound = k.zero
        for t in range(count):
            line[t] *= scaling
            sound += line[t] - line[t]  # 0, or NaN if a score is not finite: a broken model must be detected
        top = k.highest(line, count)
        total = k.zero
        for t in range(count):
            line[t] = k.exponential(line[t] - top)
            total += line[t]
        share = k.one / total + sound
        for t in range(count):
            line[t] *= share
        for d in range(size):
            mixed[d] = k.zero
    for first in range(0, count, block):
        described = values.ctypes.data + blocks[first // block] * block * across + 4 * head * size
        blend(into + 4 * first, apart, group, described, across, min(block, count - first), size, out.ctypes.data, 4 * size)


@njit(nogil=True, fastmath=k.QUICK)
def add_change(layer, column, epsilon, factor, change, hidden):  # type: ignore[no-untyped-def]
    """Add a part's output to a row, after the part's own norm if it has one."""
    if layer[column] != 0:
        k.norm(layer[column:], epsilon, change, 1, change)
    for i in range(len(hidden)):
        hidden[i] += factor * change[i]


@njit(nogil=True, fastmath=k.QUICK)
def through_layers(  # type: ignore[no-untyped-def]
    tables, where, blocks, keys, values, hidden, shared, me, team, sync
):
    """Take hidden [rows, hidden size] through all layers, in place, and write the rows' keys and values; return the number of barriers.

    `batch` explains the arguments.

    Each thread of the team computes a part of the rows, outputs and heads. All results are in `shared`, and a barrier precedes each read.
    """
    table, numbers, _, factors, shape, frequencies, halves, scales = tables
    _, positions, slots, texts, _ = where
    heads, kv_heads, size, rows, width = shape[1], shape[2], shape[3], len(hidden), hidden.shape[1]
    group, lines = heads // kv_heads, heads + 2 * kv_heads
    at = rows * width
    normed, change = shared[:at].reshape(rows, width), shared[at : 2 * at].reshape(rows, width)
    packed, at = shared[2 * at : 2 * at + rows * lines * size].reshape(rows, lines * size), 2 * at + rows * lines * size
    mixed, at = shared[at : at + rows * heads * size].reshape(rows, heads * size), at + rows * heads * size
    intermediate = shared[at:]
    first, last = rows * me // team, rows * (me + 1) // team
    spare = np.empty(lines * size, np.float32)
    scores = np.empty((group, blocks.shape[1] * keys.shape[3]), np.float32)
    factor = np.float32(factors[1])
    barriers = 0
    for index in range(len(table)):
        layer, layer_numbers = table[index], numbers[index]
        for r in range(first, last):
            if layer[k.ATTENTION_NORM] != 0:
                k.norm(layer[k.ATTENTION_NORM :], layer_numbers[0], hidden[r], 1, normed[r])
            else:
                normed[r] = hidden[r]
        barriers = k.barrier(sync, team, barriers)
        at = 0
        for qkv in range(3):  # one after the other, each [rows, outputs]; rows are joined below
            part = layer[k.QKV + qkv * k.PROJECTION : k.QKV + (qkv + 1) * k.PROJECTION]
            if part[k.ADDRESS] != 0:
                project_rows(part, normed.ctypes.data, rows, packed.ctypes.data + 4 * rows * at, me, team)
                at += part[k.OUTPUTS]
        barriers = k.barrier(sync, team, barriers)
        for r in range(first, last):
            at = 0
            for qkv in range(3):
                part = layer[k.QKV + qkv * k.PROJECTION : k.QKV + (qkv + 1) * k.PROJECTION]
                if part[k.ADDRESS] != 0:
                    outputs = part[k.OUTPUTS]
                    packed_row = k.floats_at(packed.ctypes.data + 4 * (rows * at + r * outputs))
                    for i in range(outputs):
                        spare[at + i] = packed_row[i]
                    at += outputs
            asked = mixed[r]  # queries are stored where the outputs will be written
            after = spare[heads * size :]
            if layer[k.ORDER] != 0:
                after = np.empty((lines - heads) * size, np.float32)
                order = k.integers_at(layer[k.ORDER])
                for i in range(heads * size):
                    asked[i] = spare[order[i]]
                for i in range(len(after)):
                    after[i] = spare[order[heads * size + i]]
            else:
                asked[:] = spare[: heads * size]
            asking = after[: kv_heads * size]
            if layer[k.QUERY_NORM] != 0:
                joint = layer[k.QUERY_NORM + k.GROUPS] < 0  # one norm over all heads at once
                k.norm(layer[k.QUERY_NORM :], layer_numbers[1], asked, 1 if joint else heads, asked)
                k.norm(layer[k.KEY_NORM :], layer_numbers[2], asking, 1 if joint else kv_heads, asking)
            rotary = layer[k.ROTARY]
            if rotary >= 0:
                k.rotate(asked, heads, size, frequencies[rotary], halves[rotary], scales[rotary], positions[r])
                k.rotate(asking, kv_heads, size, frequencies[rotary], halves[rotary], scales[rotary], positions[r])
            block, within = slots[r] // keys.shape[3], slots[r] % keys.shape[3]
            for i in range(kv_heads * size):
                keys[index, block, i, within] = asking[i]
            values[index, slots[r]] = after[kv_heads * size :]
        barriers = k.barrier(sync, team, barriers)
        for number in range(rows * kv_heads * me // team, rows * kv_heads * (me + 1) // team):
            r, h = number // kv_heads, number % kv_heads
            span = slice(h * group * size, (h + 1) * group * size)
            spare[: group * size] = mixed[r, span]
            scaling, seen = np.float32(layer_numbers[k.SCALING]), positions[r] + 1
            text, into = blocks[texts[r]], mixed[r, span]
            attend_blocks(spare, group, size, keys[index], values[index], h, text, seen, scaling, scores, into)
        barriers = k.barrier(sync, team, barriers)
        project_rows(layer[k.OUTPUT :], mixed.ctypes.data, rows, change.ctypes.data, me, team)
        barriers = k.barrier(sync, team, barriers)
        parallel = layer[k.PARALLEL] != 0
        for r in range(first, last):
            if parallel:  # the feed-forward part has the same input as attention
                if layer[k.FEED_FORWARD_NORM] != 0:
                    k.norm(layer[k.FEED_FORWARD_NORM :], layer_numbers[4], hidden[r], 1, normed[r])
                add_change(layer, k.ATTENTION_POST_NORM, layer_numbers[3], factor, change[r], hidden[r])
                continue
            add_change(layer, k.ATTENTION_POST_NORM, layer_numbers[3], factor, change[r], hidden[r])
            if layer[k.FEED_FORWARD_NORM] != 0:
                k.norm(layer[k.FEED_FORWARD_NORM :], layer_numbers[4], hidden[r], 1, normed[r])
            else:
                normed[r] = hidden[r]
        barriers = k.barrier(sync, team, barriers)
        inner = layer[k.DOWN + k.INPUTS]
        gate = intermediate[: rows * inner].reshape(rows, inner)
        up = intermediate[rows * inner : 2 * rows * inner].reshape(rows, inner)
        gated = layer[k.GATED] != 0
        project_rows(layer[k.GATE_UP :], normed.ctypes.data, rows, gate.ctypes.data, me, team)
        if gated:
            project_rows(layer[k.GATE_UP + k.PROJECTION :], normed.ctypes.data, rows, up.ctypes.data, me, team)
        begin, stop = inner * me // team, inner * (me + 1) // team
        for r in range(rows):
            lets = up[r, begin:stop] if gated else gate[r, begin:stop]
            k.activate(layer[k.ACT], gate[r, begin:stop], lets, gated)
        barriers = k.barrier(sync, team, barriers)
        project_rows(layer[k.DOWN :], gate.ctypes.data, rows, change.ctypes.data, me, team)
        barriers = k.barrier(sync, team, barriers)
        for r in range(first, last):
            add_change(layer, k.FEED_FORWARD_POST_NORM, layer_numbers[5], factor, change[r], hidden[r])
    return barriers


TABLES = types.Tuple(
    (
        types.int64[:, ::1],
        types.float64[:, ::1],
        types.int64[::1],
        types.float64[::1],
        types.int64[::1],
        types.float32[:, ::1],
        types.int64[::1],
        types.float32[::1],
    )
)
BATCH = types.void(
    TABLES,
    types.UniTuple(types.int64[::1], 5),
    types.int64[:, ::1],
    types.float32[:, :, :, ::1],
    types.float32[:, :, ::1],
    types.float32[:, ::1],
    types.float32[::1],
    types.float32[:, ::1],
    types.int64,
    types.int64,
    types.int64,
)


@njit(BATCH, nogil=True, fastmath=k.QUICK, cache=True)
def batch(  # type: ignore[no-untyped-def]
    tables, where, blocks, keys, values, hidden, shared, logits, me, team, sync
):
    """Write the logits [wanted, vocabulary] after some of these rows, and the keys and values of all rows into their slots.

    tables: what `kernel_step.step` takes as table, numbers, ends, factors, shape, frequencies, halves and scales.
    where: each row's token id, position, slot (counted over all blocks) and text, int64 [rows], and which rows are wanted. blocks int64
    [texts, ...]: the texts' block tables. keys: [layers, blocks, KV heads x head size, tokens of a block], values: [layers, slots, KV heads
    x head size]. hidden [rows, hidden size] and shared: workspace, the same for the whole team.
    """
    _, _, ends, factors, _, _, _, _ = tables
    ids, positions, _, _, wanted = where
    rows, width = hidden.shape
    for r in range(rows * me // team, rows * (me + 1) // team):
        row = hidden[r]
        k.widened(ends[1], ends[0], ids[r] * width, width, row)
        if factors[0] != 1.0:
            factor = np.float32(factors[0])
            for i in range(width):
                row[i] *= factor
        if ends[2] != 0:
            learned = np.empty(width, np.float32)
            k.widened(ends[3], ends[2], positions[r] * width, width, learned)
            for i in range(width):
                row[i] += learned[i]
    barriers = through_layers(tables, where, blocks, keys, values, hidden, shared, me, team, sync)
    barriers = k.barrier(sync, team, barriers)
    count, head = len(wanted), ends[4 + k.NORM :]
    normed = shared[: count * width].reshape(count, width)
    for n in range(count * me // team, count * (me + 1) // team):
        k.norm(ends[4:], factors[4], hidden[wanted[n]], 1, normed[n])
    barriers = k.barrier(sync, team, barriers)
    project_rows(head, normed.ctypes.data, count, logits.ctypes.data, me, team)
    begin, stop = logits.shape[1] * me // team, logits.shape[1] * (me + 1) // team
    for n in range(count):
        k.finish(logits[n, begin:stop], factors)
    k.barrier(sync, team, barriers)
