"""CPU decode backend for many families, in NumPy: the same numbers as transformers, at a fraction of the time per token.

With one token at a time, a small model on a CPU spends most of its time between the operations. Here a layer is about thirty calls on
existing buffers, with the network's own weights. Most of the remaining time is reading weights from memory.
`python -m tests.benchmarks.decode` measures it.

`core.backends.decoder_families` reads a network's parts and refuses unknown ones. The result is compared with the network before use.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from threading import RLock, Semaphore
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from threadpoolctl import ThreadpoolController

from core.backends import compiled, speed_trial
from core.backends.cache_bytes import CacheBytes, bytes_of_arrays
from core.backends.decoder_families import parts_of
from core.backends.decoder_parts import Layer, Parts, Table, Widened, activate
from core.backends.decoder_products import Product
from core.backends.decoder_state import SMALLEST_RESERVE, KVBuffer, State, View, Workspace, cap, reserve_for
from core.device import torch_threads

if TYPE_CHECKING:
    from core.backends.compiled.passes import CompiledBatch, CompiledStep

BLOCK = 256  # tokens computed together; weights in 16 bits are widened once for each block
SMALLEST_BLOCK = 16  # tokens for which a thread of its own is worth while
CORES = os.cpu_count() or 1  # blocks that are computed at the same time, at most one for each layer: more would wait for each other
ONE_BY_ONE = 4  # fewer new tokens are computed singly: BLAS is no faster with two or three rows
SINGLY = 6  # fewer new tokens are computed singly by compiled code
TOLERANCE = 1e-4  # of the largest logit, or of 1 if all are smaller


class FastDecoder:
    """A backend of the engine (`core.backends.backend.Backend`). Several threads may run different states at the same time."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.window = parts.window
        self.embedding = Table(parts.embedding)
        self.positions = None if parts.positions is None else Table(parts.positions)
        self.layers = [_Layer(layer) for layer in parts.layers]
        self.head = Product(parts.head)
        # Each layer's index among the layers with the same window, which is the index of its keys and values.
        sliding = [layer.window is not None for layer in parts.layers]
        self.places = [sliding[:number].count(slides) for number, slides in enumerate(sliding)]
        self.whole_layers, self.sliding_layers = sliding.count(False), sliding.count(True)
        self._step: CompiledStep | None = None
        self._batch: CompiledBatch | None = None
        self._batch_was_tried = False
        self._speed: speed_trial.Speed | None = None  # None before the speed trial
        self._trial = RLock()
        self._proof: tuple[np.ndarray, np.ndarray] | None = None  # a few token ids, and the network's own logits after the last of them
        self._threads = ThreadPoolExecutor(max(1, CORES - 1), "prompt")
        self._blas = ThreadpoolController().select(user_api="blas").lib_controllers

    @classmethod
    def of(cls, network: Any) -> FastDecoder | None:
        """Return a decoder on the network's own weights; None if a part is unknown or its logits differ."""
        parts = parts_of(network)
        if parts is None:
            return None
        fast = cls(parts)
        if not fast.agrees_with(network):
            return None
        fast.compile_in_background()
        return fast

    def compile_in_background(self) -> None:
        """Load or compile the compiled code in the background, and use it once it is ready."""
        compiled.start(self.use_compiled)

    def use_compiled(self) -> None:
        """Use compiled code for single tokens from now on, if its logits agree with the network's."""
        try:
            step = compiled.compile_step(self.parts, self.places)
        except ValueError:
            return
        if self._proof is not None:
            ids, expected = self._proof
            state, logits = self.new_state(), []
            for token in ids.tolist():
                self._make_room(state, 1, 1)
                logits.append(step(token, state))
            if _close(np.stack(logits[-len(expected) :]), expected):
                with self._trial:
                    self._step = step
                    if self._speed is not None:  # the trial took place without compiled code: only streams are chosen now
                        chosen = self._speed
                        self._speed = replace(chosen, streams=self.choose_speed([chosen.threads]).streams)

    def choose_speed(self, threads: Sequence[int]) -> speed_trial.Speed:
        """Use and return the fastest of these numbers of threads and, for compiled code, of streams; see `core.backends.speed_trial`.

        It is called when the model is loaded. If compiled code is ready later, the number of streams is chosen then.
        """
        with self._trial:
            read_in = None if self._step is None else self._read_in
            self._speed = speed_trial.choose(self, len(self.parts.embedding), threads, read_in)
            return self._speed

    def _read_in(self, streams: int) -> None:
        assert self._step is not None
        self._step.described.read_in(streams)
        for product in (self.head, *(product for layer in self.layers for product in layer.products)):
            product.streams = streams

    @property
    def is_compiled(self) -> bool:
        """Whether compiled code computes single tokens."""
        return self._step is not None

    @property
    def weight_bytes(self) -> int:
        """Bytes of weights that one token reads, as stored for compiled code if that is used, else in the network."""
        if self._step is not None:
            return self._step.described.weight_bytes
        return sum(part.weight.numel() * part.weight.itemsize for part in self.parts.projections)

    def compiled_batch(self) -> CompiledBatch | None:
        """Return compiled passes of several texts.

        None until they are loaded, unless `can_be_batched`, and if their logits differ from the network's.
        """
        if self.can_be_batched and self._step is not None and not self._batch_was_tried and compiled.batches_are_ready():
            self._batch_was_tried = True
            batch = compiled.compile_batch(self._step)
            if self._proof is None or self._proves(batch, *self._proof):
                self._batch = batch
        return self._batch

    def _proves(self, batch: CompiledBatch, ids: np.ndarray, expected: np.ndarray) -> bool:
        """Return whether a batch of these tokens, first together and then one by one, gives the expected last logits."""
        count, block = len(ids), 16
        blocks = np.arange(2 * -(-count // block), dtype=np.int64)[::-1].reshape(2, -1).copy()
        width = self.kv_heads * self.head_size
        keys = np.zeros((len(self.layers), blocks.size, width, block), np.float32)
        values = np.zeros((len(self.layers), blocks.size * block, width), np.float32)
        slots = blocks[:, np.arange(count) // block] * block + np.arange(count) % block
        last, results = count - len(expected), []
        for start, stop in ((0, last), *((position, position + 1) for position in range(last, count))):
            both = np.tile(np.arange(start, stop), 2)
            texts = np.repeat(np.arange(2), stop - start)
            where = (ids[both], both, slots[texts, both], texts, np.array([stop - start - 1, len(both) - 1]))
            results.append(batch(where, blocks, keys, values))
        return all(_close(logits, line[None]) for logits, line in zip(results[1:], expected, strict=True))

    @property
    def can_be_batched(self) -> bool:
        """Whether several texts can share a pass: all layers see the whole text, without a soft cap of scores."""
        return all(layer.window is None and layer.softcap is None for layer in self.parts.layers)

    @property
    def kv_heads(self) -> int:
        """Number of heads with keys and values of their own."""
        return self.parts.kv_heads

    @property
    def head_size(self) -> int:
        """Numbers per head."""
        return self.parts.head_size

    def new_state(self) -> State:
        """Return the state of an empty text."""
        return State(self._room(self.whole_layers, 0), self._room(self.sliding_layers, 0), Workspace(self.parts, 1))

    def run(self, token_ids: np.ndarray, state: State | None) -> torch.Tensor:
        """Append ids [new] to the state (None: nothing is stored); return float32 logits [vocabulary] after the last, a new tensor."""
        if len(token_ids) == 0:
            raise ValueError("no tokens to run")
        state = self.new_state() if state is None else state
        step = self._step
        if step is not None and len(token_ids) < SINGLY:
            for token in token_ids.tolist():
                self._make_room(state, 1, 1)
                logits = step(token, state)
            return torch.from_numpy(logits)
        # BLAS threads spin for about thirty milliseconds before they sleep, and take cores from other threads and from other processes.
        # So BLAS gets one thread; blocks of a long text have one each.
        for library in self._blas:
            library.set_num_threads(1)
        start, count = 0, len(token_ids)
        while start < count:
            workers = max(1, min(CORES, len(self.layers), (count - start) // SMALLEST_BLOCK))
            stop = min(count, start + workers * BLOCK if count - start >= ONE_BY_ONE else start + 1)
            self._make_room(state, stop - start, count - start)
            self._feed(np.array_split(token_ids[start:stop], workers), state)
            start = stop
        with np.errstate(all="ignore"), torch.inference_mode():  # infinities of a broken model appear in the logits, not as warnings
            return torch.from_numpy(self._logits(state.workspace))

    def _feed(self, blocks: list[np.ndarray], state: State) -> None:
        """Take blocks of tokens through all layers; the last token's output is then in state.workspace.hidden [1, hidden].

        Each block has a thread. In a layer it waits only until the block before it has stored its keys and values there, so that the blocks
        follow each other through the layers. Threads that share each product would wait for each other at every one: while another
        process has a core, that takes ten times as long.
        """
        pipeline = _Pipeline(
            blocks, np.cumsum([state.length, *map(len, blocks)]).tolist(), [Semaphore(0) for _ in blocks], Widened(len(blocks))
        )
        with torch_threads(1 if len(blocks) > 1 else torch.get_num_threads()):
            coming = [self._threads.submit(self._feed_block, pipeline, number, state) for number in range(1, len(blocks))]
            try:
                self._feed_block(pipeline, 0, state)
            finally:
                wait(coming)
        for block in coming:
            block.result()  # raises what went wrong in its thread
        state.length = pipeline.firsts[-1]

    def length(self, state: State) -> int:
        """Return the number of tokens in the state."""
        return state.length

    def extend(self, state: State, count: int) -> bool:
        """Return whether `count` more tokens can be computed in one pass: always True."""
        return True

    def cut(self, state: State, length: int) -> bool:
        """Drop all but the first `length` tokens. False if there are fewer, or if the window dropped tokens that the next one sees."""
        if not 0 <= length <= state.length:
            return False
        if self.window is not None and 0 < state.recent.first > max(0, length - self.window + 1):
            return False
        state.length = length
        return True

    def cache_bytes(self, state: State) -> CacheBytes:
        """Return the bytes of keys and values that the next token sees, and of the arrays with their reserve.

        Layers with a sliding window count one token less than the window, because the newest token is part of it.
        """
        recent = state.length if self.window is None else min(state.length, self.window - 1)
        parts = (state.whole, state.length), (state.recent, recent)
        return bytes_of_arrays([(array, part.reserve, tokens) for part, tokens in parts for array in (part.keys, part.values)])

    def _make_room(self, state: State, new: int, coming: int) -> None:
        """Make room for `new` tokens (of `coming` in all); shrink arrays that hold more than twice what is needed.

        Room grows by half each time, so copying costs a constant time per token. Tokens outside of the window are dropped when it is full.
        """
        held, length = state.length, state.length + coming
        if self.whole_layers and not length <= state.whole.reserve <= max(SMALLEST_RESERVE, 2 * length):
            state.whole = self._moved(state.whole, 0, held, reserve_for(length))
        if self.window is None:
            return
        # One window of past tokens and one of new ones; a block of tokens needs more during its pass.
        needed = min(held, self.window - 1)
        largest = max(SMALLEST_RESERVE, 2 * min(length, self.window - 1), needed + new)
        inside = held - state.recent.first
        if inside + new <= state.recent.reserve <= largest:
            return
        if inside + new > largest:
            inside = needed
        reserve = min(largest, reserve_for(inside + new))
        state.recent = self._moved(state.recent, held - inside, held, max(reserve, inside + new))

    def _moved(self, room: KVBuffer, first: int, stop: int, reserve: int) -> KVBuffer:
        """Return a room for `reserve` tokens that holds those from position `first` to `stop`."""
        moved = self._room(room.keys.shape[0], reserve)
        moved.first, count = first, stop - first
        begin = first - room.first
        moved.keys[..., :count] = room.keys[..., begin : begin + count]
        moved.values[:, :, :count] = room.values[:, :, begin : begin + count]
        return moved

    def _room(self, layers: int, reserve: int) -> KVBuffer:
        shape = (layers, self.parts.kv_heads)
        size = self.parts.head_size
        return KVBuffer(np.empty((*shape, size, reserve), np.float32), np.empty((*shape, reserve, size), np.float32))

    def _feed_block(self, pipeline: _Pipeline, number: int, state: State) -> None:
        """Take one of these blocks through all layers.

        Of the last layer, only keys and values are needed from the tokens before the last, which alone goes through the rest.
        """
        token_ids, past, stored = pipeline.blocks[number], pipeline.firsts[number], pipeline.stored
        workspace = state.workspace if len(token_ids) == 1 else Workspace(self.parts, len(token_ids), pipeline.widened)
        last, indexed = self.layers[-1], zip(self.places, self.layers, strict=True)
        try:
            with np.errstate(all="ignore"), torch.inference_mode():  # infinities of a broken model appear in the logits, not as warnings
                self._embed(token_ids, past, workspace)
                views = self._views(state, past, workspace)
                for index, layer in indexed:
                    view = views[layer.parts.window]
                    taken = self._project_and_store(layer, view, index, workspace)
                    if number:
                        stored[number - 1].acquire()
                    stored[number].release()  # now all blocks up to this one are stored here
                    if layer is not last or workspace is state.workspace:
                        self._attend_and_feed_forward(layer, view, index, workspace, taken)
                if number == len(pipeline.blocks) - 1 and workspace is not state.workspace:
                    alone = state.workspace
                    alone.turn_to(pipeline.firsts[-1] - 1)
                    alone.hidden[:] = workspace.hidden[-1:]
                    view = self._views(state, pipeline.firsts[-1] - 1, alone)[last.parts.window]
                    self._attend_and_feed_forward(last, view, index, alone, self._project_and_store(last, view, index, alone))
        finally:
            stored[number].release(len(self.layers))  # after an error, no block waits for this one

    def _embed(self, token_ids: np.ndarray, past: int, workspace: Workspace) -> None:
        """Write the first layer's input of these tokens into workspace.hidden."""
        workspace.turn_to(past)
        workspace.hidden[:] = self.embedding[token_ids]
        if self.parts.embedding_scale != 1.0:
            np.multiply(workspace.hidden, np.float32(self.parts.embedding_scale), workspace.hidden)
        if self.positions is not None:
            np.add(workspace.hidden, self.positions[np.arange(past, past + len(token_ids))], workspace.hidden)

    def _views(self, state: State, past: int, workspace: Workspace) -> dict[int | None, View]:
        """Return what the tokens from position `past` on see, by the window of a layer."""
        return {width: View(state, past, width, workspace) for width in {None, self.window} if width is not None or self.whole_layers}

    def _project_and_store(self, layer: _Layer, view: View, index: int, workspace: Workspace) -> np.ndarray:
        """Compute queries, keys and values of the tokens in workspace.hidden, and keep the latter two; return the layer's normed input.

        index: the layer's index among those with the same window.
        """
        parts, taken = layer.parts, workspace.hidden
        if parts.attention_norm is not None:
            parts.attention_norm(taken, workspace.normed)
            taken = workspace.normed
        layer.qkv(taken, workspace.packed, workspace)
        if parts.head_norms is not None:
            for norm, (heads, rows) in zip(parts.head_norms, workspace.to_norm, strict=True):
                part = heads if norm.weight.shape[1] == self.parts.head_size else rows
                norm(part, part)
        workspace.rotate(parts.rotary, parts.scaling)
        view.store(index, workspace)
        return taken

    def _attend_and_feed_forward(self, layer: _Layer, view: View, index: int, workspace: Workspace, taken: np.ndarray) -> None:
        """Take the tokens in workspace.hidden through the rest of a layer, whose normed input is `taken`."""
        parts, hidden, change = layer.parts, workspace.hidden, workspace.change
        view.attend(index, workspace, parts.softcap)
        layer.o(workspace.mixed_rows, change, workspace.widened)
        if parts.attention_post_norm is not None:
            parts.attention_post_norm(change, change)
        if parts.parallel:  # the feed-forward part has the same input as attention
            np.add(hidden, change, workspace.sum)
        else:
            self._add(hidden, change)
            taken = hidden
        if parts.feed_forward_norm is not None:
            parts.feed_forward_norm(hidden, workspace.normed)
            taken = workspace.normed
        layer.feed_forward(taken, change, workspace)
        if parts.feed_forward_post_norm is not None:
            parts.feed_forward_post_norm(change, change)
        if parts.parallel:
            np.add(workspace.sum, change, hidden)
        else:
            self._add(hidden, change)

    def _add(self, hidden: np.ndarray, change: np.ndarray) -> None:
        if self.parts.residual_scale != 1.0:
            np.multiply(change, np.float32(self.parts.residual_scale), change)
        np.add(hidden, change, hidden)

    def _logits(self, workspace: Workspace) -> np.ndarray:
        """Return the logits [vocabulary] of the token in the workspace."""
        parts = self.parts
        parts.norm(workspace.hidden, workspace.normed)
        logits = np.empty((1, parts.head.outputs), np.float32)
        self.head(workspace.normed, logits, workspace.widened)
        if parts.logit_scale != 1.0:
            np.multiply(logits, np.float32(parts.logit_scale), logits)
        if parts.logit_softcap is not None:
            cap(logits, parts.logit_softcap)
        return logits[0]

    def agrees_with(self, network: Any) -> bool:
        """Return whether a few tokens, computed together and one at a time, get the network's own logits."""
        ids = np.arange(1, 9) * 7919 % len(self.parts.embedding)
        with torch.inference_mode():
            expected = network(input_ids=torch.from_numpy(ids)[None], use_cache=False).logits[0, 5:].numpy()
        state = self.new_state()
        logits = np.stack([self.run(part, state).numpy() for part in (ids[:6], ids[6:7], ids[7:])])
        self._proof = ids, expected
        return _close(logits, expected)

    def prove_by_itself(self) -> None:
        """Compute the logits that compiled code is compared with, if no network is loaded."""
        ids = np.arange(1, 9) * 7919 % len(self.parts.embedding)
        state = self.new_state()
        self._proof = ids, np.stack([self.run(part, state).numpy() for part in (ids[:6], ids[6:7], ids[7:])])


def _close(logits: np.ndarray, expected: np.ndarray) -> bool:
    return bool((np.abs(logits - expected) <= TOLERANCE * max(1.0, np.abs(expected).max())).all())


@dataclass(frozen=True, slots=True)
class _Pipeline:
    """Blocks of tokens that follow each other through the layers.

    firsts: their positions, and the position after the last. stored: of each, counts the layers whose keys and values are there, those of
    the blocks before it included.
    """

    blocks: list[np.ndarray]
    firsts: list[int]
    stored: list[Semaphore]
    widened: Widened


class _Layer:
    """The products of one layer."""

    def __init__(self, parts: Layer) -> None:
        self.parts = parts
        self._inward = [Product(part) for part in parts.qkv]
        self._expand = [Product(part) for part in parts.gate_up]
        self.o, self.down = Product(parts.o), Product(parts.down)
        self.products = [*self._inward, *self._expand, self.o, self.down]
        ends = np.cumsum([part.outputs for part in parts.qkv]).tolist()
        self._spans = list(zip([0, *ends], ends, strict=False))
        self._order = parts.qkv[0].order

    def qkv(self, rows: np.ndarray, out: np.ndarray, workspace: Workspace) -> None:
        """Write all queries, all keys, all values of these rows."""
        if self._order is not None:
            self._inward[0](rows, workspace.spare, workspace.widened)
            np.take(workspace.spare, self._order, 1, out, "clip")
            return
        for product, (begin, end) in zip(self._inward, self._spans, strict=True):
            product(rows, out[:, begin:end], workspace.widened)

    def feed_forward(self, rows: np.ndarray, out: np.ndarray, workspace: Workspace) -> None:
        """Write the feed-forward part's output of these rows."""
        width = self.parts.down.inputs
        intermediate = (
            workspace.intermediate[: 2 * width * workspace.rows] if self.parts.gated else workspace.intermediate[: width * workspace.rows]
        )
        if len(self._expand) == 2:
            gate, up = intermediate.reshape(2, workspace.rows, width)
            self._expand[0](rows, gate, workspace.widened)
            self._expand[1](rows, up, workspace.widened)
        else:
            both = intermediate.reshape(workspace.rows, -1)
            self._expand[0](rows, both, workspace.widened)
            gate, up = both[:, :width], both[:, width:]
        activate(gate, self.parts.act)
        if self.parts.gated:
            np.multiply(gate, up, gate)
        self.down(gate, out, workspace.widened)
