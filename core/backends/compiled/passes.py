"""Compiled passes through a decoder: one token, several rows of one projection, a batch of texts.

Importing this module needs numba and loads the compiled code of `kernel_step`. A `Team` is a set of threads that compute one step together.
The kernels read a decoder's weights by the tables of addresses and numbers that are made here (`core.backends.compiled.kernels`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock, Semaphore, Thread
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from core.backends.compiled import kernel_step
from core.backends.compiled import kernels as k

if TYPE_CHECKING:
    from core.backends.decoder_parts import Layer, Norm, Parts, Projection
    from core.backends.decoder_state import State

KINDS = {torch.float32: 0, torch.bfloat16: 1, torch.float16: 2}
NARROWED = 20_000_000  # weights; below this, a second copy in 16 bits costs little memory and is read in half the time
ACTS = {"silu": 0, "gelu": 1, "gelu_tanh": 2, "relu": 3}
Where = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
WORTH_A_TEAM = 2_000_000  # multiply-adds; below this, starting a second thread takes longer than it saves


class Team:
    """Helper threads that sleep between steps. A caller that finds them busy works alone."""

    def __init__(self) -> None:
        self._busy = Lock()
        self._helpers: list[_Helper] = []

    def run(self, work: Callable[..., None], arguments: tuple[Any, ...], size: int) -> None:
        """Call work(*arguments, me, team, sync) on `size` threads at once, this one included; return when all are done.

        work must release the GIL, because its threads wait for each other. sync: the address of an int64 that is 0.
        """
        meeting = np.zeros(8, np.int64)
        if size < 2 or not self._busy.acquire(blocking=False):
            work(*arguments, 0, 1, meeting.ctypes.data)
            return
        try:
            while len(self._helpers) < size - 1:
                self._helpers.append(_Helper())
            helpers = self._helpers[: size - 1]
            for number, helper in enumerate(helpers, 1):
                helper.begin(work, (*arguments, number, size, meeting.ctypes.data))
            work(*arguments, 0, size, meeting.ctypes.data)
            for helper in helpers:
                helper.finish()
        finally:
            self._busy.release()

    def __del__(self) -> None:
        for helper in getattr(self, "_helpers", ()):  # none in a team that was never made whole
            helper.leave()


class _Helper:
    """A thread that runs one task at a time and ends with its team."""

    def __init__(self) -> None:
        self._wanted, self._done = Semaphore(0), Semaphore(0)
        self._task: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        Thread(target=_help, args=(self._wanted, self._done, self._task), name="decode", daemon=True).start()

    def begin(self, work: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        self._task.append((work, arguments))
        self._wanted.release()

    def finish(self) -> None:
        self._done.acquire()

    def leave(self) -> None:
        self._wanted.release()


def _help(wanted: Semaphore, finished: Semaphore, task: list[tuple[Callable[..., None], tuple[Any, ...]]]) -> None:
    while wanted.acquire() and task:
        work, arguments = task.pop()
        work(*arguments)
        del work, arguments
        finished.release()


def columns_of(part: Projection, streams: int = 1) -> np.ndarray:
    """Return a projection as the kernels take it, int64 [kernels.PROJECTION]. Its weights and bias must be contiguous."""
    bias = 0 if part.bias is None else int(part.bias.ctypes.data)
    kind = KINDS[part.weight.dtype]
    return np.array([part.weight.data_ptr(), kind, part.outputs, part.inputs, bias, streams], np.int64)


def _fits_in_16_bits(weight: torch.Tensor) -> bool:
    """Return whether all float32 numbers are bfloat16 numbers, as in a widened checkpoint."""
    return weight.dtype is torch.float32 and torch.equal(weight.to(torch.bfloat16).float(), weight)


class WeightTable:
    """Tables of addresses and numbers for these parts. The object keeps all arrays alive whose addresses it holds.

    If a small model was stored in bfloat16 and widened, kernels read a bfloat16 copy. The sums are equal to the last bit.
    """

    def __init__(self, parts: Parts, cache_indices: list[int]) -> None:
        self._held: list[Any] = []
        self._streamed: list[np.ndarray] = []
        self.parts = parts
        self._narrow = parts.weights_per_token <= NARROWED and all(_fits_in_16_bits(part.weight) for part in parts.projections)
        self._table = np.zeros((len(parts.layers), k.COLUMNS), np.int64)
        self._numbers = np.zeros((len(parts.layers), k.NUMBERS), np.float64)
        for row, numbers, layer, cache_index in zip(self._table, self._numbers, parts.layers, cache_indices, strict=True):
            self._describe(row, numbers, layer, cache_index, parts.head_size)
        self._ends = np.zeros(4 + k.NORM + k.PROJECTION, np.int64)
        for at, table in ((0, parts.embedding), (2, parts.positions)):
            if table is not None:
                self._ends[at : at + 2] = self._address(table), KINDS[table.dtype]
        self._norm(self._ends[4:], parts.norm)
        self._projection(self._ends[4 + k.NORM :], parts.head)
        scales = (parts.embedding_scale, parts.residual_scale, parts.logit_scale, parts.logit_softcap or 0.0, parts.norm.epsilon)
        self._factors = np.array(scales, np.float64)
        self._shape = np.array([parts.hidden_size, parts.heads, parts.kv_heads, parts.head_size], np.int64)
        widest = max((len(rotary.frequencies) for rotary in parts.rotaries), default=1)
        self._frequencies = np.zeros((max(1, len(parts.rotaries)), widest), np.float32)
        for line, rotary in zip(self._frequencies, parts.rotaries, strict=False):
            line[: len(rotary.frequencies)] = rotary.frequencies
        self._halves = np.array([len(rotary.frequencies) for rotary in parts.rotaries] or [0], np.int64)
        self._scales = np.array([rotary.scale for rotary in parts.rotaries] or [1], np.float32)
        self.longest = None if parts.positions is None else len(parts.positions)

    @property
    def tables(self) -> tuple[np.ndarray, ...]:
        """The arguments about the parts that every compiled pass takes."""
        return self._table, self._numbers, self._ends, self._factors, self._shape, self._frequencies, self._halves, self._scales

    @property
    def weight_bytes(self) -> int:
        """Bytes of weights that are read for one token."""
        sizes = {number: dtype.itemsize for dtype, number in KINDS.items()}
        return sum(int(row[k.OUTPUTS] * row[k.INPUTS]) * sizes[int(row[k.KIND])] for row in self._streamed)

    def read_in(self, streams: int) -> None:
        """Read all weights in this many streams, 1, 2 or 4."""
        for row in self._streamed:
            row[k.STREAMS] = streams

    def check(self, token: int, position: int) -> None:
        """Raise IndexError for a token or a position outside of the tables."""
        if not 0 <= token < len(self.parts.embedding) or (self.longest is not None and position >= self.longest):
            raise IndexError(f"token {token} at {position}")

    def _describe(self, row: np.ndarray, numbers: np.ndarray, layer: Layer, cache_index: int, head_size: int) -> None:
        query, key = layer.head_norms or (None, None)
        norms = (layer.attention_norm, query, key, layer.attention_post_norm, layer.feed_forward_norm, layer.feed_forward_post_norm)
        for number, norm in enumerate(norms):
            if norm is not None:
                self._norm(row[number * k.NORM :], norm)
                numbers[number] = norm.epsilon
        if query is not None and query.weight.shape[1] != head_size:
            row[k.QUERY_NORM + k.GROUPS] = -1  # over all heads at once
        for number, part in enumerate(layer.qkv):
            self._projection(row[k.QKV + number * k.PROJECTION :], part)
        gate_up = layer.gate_up
        if layer.gated and len(gate_up) == 1:  # gate and up projection in one matrix
            width, both = layer.down.inputs, gate_up[0]
            spans = (slice(0, width), slice(width, 2 * width))
            gate_up = tuple(replace(both, weight=both.weight[span], bias=None if both.bias is None else both.bias[span]) for span in spans)
        for number, part in enumerate(gate_up):
            self._projection(row[k.GATE_UP + number * k.PROJECTION :], part)
        self._projection(row[k.OUTPUT :], layer.o)
        self._projection(row[k.DOWN :], layer.down)
        if layer.qkv[0].order is not None:
            row[k.ORDER] = self._address(np.ascontiguousarray(layer.qkv[0].order, np.int64))
        row[k.ROTARY] = -1 if layer.rotary is None else layer.rotary
        row[k.WINDOW], row[k.PLACE] = layer.window or 0, cache_index
        row[k.GATED], row[k.ACT], row[k.PARALLEL] = layer.gated, ACTS[layer.act], layer.parallel
        numbers[k.SCALING], numbers[k.SOFTCAP] = layer.scaling, layer.softcap or 0.0

    def _norm(self, row: np.ndarray, norm: Norm) -> None:
        row[k.WEIGHT] = self._address(np.ascontiguousarray(norm.weight, np.float32))
        row[k.NORM_BIAS] = 0 if norm.bias is None else self._address(np.ascontiguousarray(norm.bias, np.float32))
        row[k.CENTRED], row[k.GROUPS] = norm.centred, len(norm.weight)

    def _projection(self, row: np.ndarray, part: Projection) -> None:
        if self._narrow:
            part = replace(part, weight=part.weight.detach().to(torch.bfloat16))
        self._address(part.weight)
        if part.bias is not None:
            part = replace(part, bias=np.ascontiguousarray(part.bias, np.float32))
            self._held.append(part.bias)
        self._streamed.append(row[: k.PROJECTION])
        self._streamed[-1][:] = columns_of(part)

    def _address(self, array: Any) -> int:
        self._held.append(array)
        if isinstance(array, torch.Tensor):
            if not array.is_contiguous():
                raise ValueError("weights that are not contiguous in memory")
            return array.data_ptr()
        return int(array.ctypes.data)


_TEAM = Team()  # for products of several rows


def rows_product(part: Projection, rows: np.ndarray, out: np.ndarray, streams: int) -> None:
    """Multiply rows float32 [count, in] with a projection, into out [count, out]. streams: see `WeightTable.read_in`."""
    size = torch.get_num_threads() if rows.shape[0] * part.inputs * part.outputs >= WORTH_A_TEAM else 1
    _TEAM.run(kernel_step.rows_through, (columns_of(part, streams), np.ascontiguousarray(rows), out), size)


class CompiledStep:
    """A compiled pass of one token through these parts."""

    def __init__(self, described: WeightTable) -> None:
        self.described, parts = described, described.parts
        packed = (parts.heads + 2 * parts.kv_heads) * parts.head_size
        self._shared = packed + parts.hidden_size + parts.heads * parts.head_size + 2 * parts.intermediate_size
        self._outputs = parts.head.outputs
        self._team = Team()

    def __call__(self, token: int, state: State) -> np.ndarray:
        """Return the float32 logits [vocabulary] after this token; the state must have room. Raises IndexError outside of the tables."""
        self.described.check(token, state.length)
        full, recent = state.whole, state.recent
        firsts = np.array([full.first, recent.first], np.int64)
        logits, shared = np.empty(self._outputs, np.float32), np.empty(self._shared, np.float32)
        rooms = (full.keys, recent.keys), (full.values, recent.values)
        arguments = (token, state.length, *self.described.tables, firsts, *rooms, shared, logits)
        self._team.run(kernel_step.step, arguments, torch.get_num_threads())
        state.length += 1
        return logits


class CompiledBatch:
    """A compiled pass of a few tokens of several texts through these parts, with keys and values in blocks."""

    def __init__(self, described: WeightTable) -> None:
        from core.backends.compiled import kernel_batch

        self._pass = kernel_batch.batch
        self.described, parts = described, described.parts
        lines = 2 * (parts.heads + parts.kv_heads) * parts.head_size
        self._shared = 2 * parts.hidden_size + lines + 2 * parts.intermediate_size  # numbers of workspace per row
        self._team = Team()

    def __call__(self, where: Where, blocks: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the float32 logits [wanted, vocabulary]. where: ids, positions, slots, texts, each int64 [rows], and the wanted rows.

        blocks int64 [texts, blocks]: the texts' block tables, which cover every token up to the rows' own; keys float32 [layers, blocks, KV
        heads x head size, tokens of a block], a multiple of 16; values [layers, slots, KV heads x head size]. Raises IndexError for a
        token, a position or a block outside of the tables.
        """
        ids, positions, slots, _, wanted = where
        for token, position in zip(ids.tolist(), positions.tolist(), strict=True):
            self.described.check(token, position)
        block = keys.shape[3]
        last, held = max(int(slots.max()) // block, int(blocks.max())), blocks.shape[1] * block
        if last >= keys.shape[1] or int(positions.max()) >= held or slots.min() < 0 or blocks.min() < 0:
            raise IndexError("a block that is not there")
        parts, rows = self.described.parts, len(ids)
        hidden, shared = np.empty((rows, parts.hidden_size), np.float32), np.empty(rows * self._shared, np.float32)
        logits = np.empty((len(wanted), parts.head.outputs), np.float32)
        arguments = (self.described.tables, where, blocks, keys, values, hidden, shared, logits)
        self._team.run(self._pass, arguments, torch.get_num_threads())
        return logits
