"""CUDA-graph decode backend on static buffers: one call launches a whole step on the GPU.

With one token at a time, a GPU waits for Python: a step is hundreds of small kernels, and launching them takes longer than running them. A
CUDA graph records a step once and launches it by one call, on the same addresses. So all that changes from step to step must be in device
memory: the token, its position, the keys and values.

Each visitor has buffers of keys and values, which long passes (a prompt, a branch) use through transformers' own code. For single tokens
they are copied to a workspace, on which the recorded step runs. Each new key and value is copied back at once, so a visitor's buffers are
always complete and any visitor can use the workspace next. All visitors share one workspace per length (256, 512, ... tokens). The copy
takes about as long as a step's attention. A graph per visitor and length would cost several forward passes to record each.

Two alternatives do not work. transformers' StaticCache counts tokens in each layer, and a replay would continue the count of another
visitor. torch.compile takes a minute before the first token.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from transformers.cache_utils import Cache, DynamicCache, DynamicLayer

from core.backends.transformers_backend import TransformersBackend
from core.message import Message, Number

Step = Callable[[], torch.Tensor]
Record = Callable[[Step, torch.device], Step]

SMALLEST, LARGEST = 256, 8192  # tokens of a workspace; longer texts use their own buffers, because a workspace would take gigabytes
PAGE = 16  # tokens; a visitor's buffers grow by a quarter, in pages
WARM_UPS = 2  # runs before the recording, in which libraries initialise
TOLERANCE = {torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}  # of the spread of the logits, root mean square


class State(Cache):
    """A visitor's keys [layers, KV heads, reserve, key size] and values [..., value size]. The network uses it as a transformers cache.

    text: an object that is replaced whenever the held tokens change in another way than by one more token.
    """

    def __init__(self, keys: torch.Tensor, values: torch.Tensor) -> None:
        super().__init__(layers=[])
        self.keys, self.values = keys, values
        self.length = 0
        self.text = object()

    @property
    def reserved_bytes(self) -> int:
        """Bytes of both buffers with their reserve: at most twice those of the tokens, or of a page."""
        return self.keys.nbytes + self.values.nbytes

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, layer_idx: int, *_: Any, **__: Any) -> tuple[torch.Tensor, ...]:
        """Append a layer's new keys and values [1, KV heads, new, size]; return all of them so far."""
        end = self.length + key_states.shape[2]
        self.keys[layer_idx, :, self.length : end] = key_states[0]
        self.values[layer_idx, :, self.length : end] = value_states[0]
        return self.keys[layer_idx, None, :, :end], self.values[layer_idx, None, :, :end]

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Return how many tokens are held, without those of a running pass."""
        return self.length

    def get_mask_sizes(self, query_length: int, layer_idx: int = 0) -> tuple[int, int]:
        """Return how many tokens a mask spans, and the first of them."""
        return self.length + query_length, 0


class GraphCache(Cache):
    """Computes one token after the other, for one text at a time: buffers at fixed addresses, and the step recorded on them."""

    def __init__(self, network: Any, empty: State, tokens: int, record: Record) -> None:
        super().__init__(layers=[])
        self._network = network
        self._keys, self._values = (part.new_zeros((*part.shape[:2], tokens, part.shape[3])) for part in (empty.keys, empty.values))
        self._token = torch.zeros((1, 1), dtype=torch.int64, device=self._keys.device)
        self._position = torch.zeros(1, dtype=torch.int64, device=self._keys.device)
        self._positions = torch.arange(tokens, device=self._keys.device)
        self._text: object = None
        self._step = record(self._compute, self._keys.device)

    def _compute(self) -> torch.Tensor:
        """Return the logits [vocabulary] after the token at the position. Only device memory changes from one call to the next."""
        mask = self._keys.new_zeros(len(self._positions))
        mask.masked_fill_(self._positions > self._position, torch.finfo(mask.dtype).min)
        output = self._network(
            input_ids=self._token,
            attention_mask=mask[None, None, None],
            position_ids=self._position[None],
            past_key_values=self,
            use_cache=True,
        )
        return output.logits[0, -1].float()

    def next(self, token_id: int, state: State) -> torch.Tensor:
        """Append this token to the state, whose buffers have room for it; return float32 logits [vocabulary], a new tensor."""
        place = state.length
        if self._text is not state.text:
            for buffers, own in ((self._keys, state.keys), (self._values, state.values)):
                buffers[:, :, :place].copy_(own[:, :, :place])
                buffers[:, :, place:].zero_()  # another text may have left infinities, which a mask does not remove
            self._text = state.text
        # fill_ passes the value as a kernel's argument. A copy from the host could still be running when the next token is written there.
        self._token.fill_(token_id)
        self._position.fill_(place)
        logits = self._step().clone()
        for buffers, own in ((self._keys, state.keys), (self._values, state.values)):
            own[:, :, place].copy_(buffers[:, :, place])
        state.length += 1
        return logits

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, layer_idx: int, *_: Any, **__: Any) -> tuple[torch.Tensor, ...]:
        """Write a layer's key and value [1, KV heads, 1, size] at the position; return the whole buffers, which the mask limits."""
        self._keys[layer_idx].index_copy_(1, self._position, key_states[0])
        self._values[layer_idx].index_copy_(1, self._position, value_states[0])
        return self._keys[layer_idx, None], self._values[layer_idx, None]

    def get_seq_length(self, layer_idx: int = 0) -> Any:
        """Return the number of tokens before the position, a number on the device, as transformers' StaticCache does."""
        return self._position[0]

    def get_mask_sizes(self, query_length: int, layer_idx: int = 0) -> tuple[int, int]:
        """Return how many tokens a mask spans, and the first of them."""
        return len(self._positions), 0


class StaticDecode:
    """A backend of the engine (`core.engine.engine.Backend`): transformers computes prompts, a recorded step computes single tokens.

    record: returns a function that repeats a step. On CUDA it records a CUDA graph; elsewhere it returns the step itself.
    """

    def __init__(self, network: Any, record: Record | None = None) -> None:
        self._network = network
        self._whole = TransformersBackend(network)
        self._empty = _empty_state(network)
        self._record = record or (cuda_graph if self._empty.keys.device.type == "cuda" else _again)
        self._caches: dict[int, GraphCache] = {}
        self._largest = LARGEST
        with torch.inference_mode():
            self._caches[SMALLEST] = GraphCache(network, self._empty, SMALLEST, self._record)

    @classmethod
    def of(cls, network: Any, record: Record | None = None) -> tuple[StaticDecode | None, str]:
        """Return the backend if it agrees with the network's own passes; else None and a sentence with the reason."""
        try:
            backend = cls(network, record)
            apart = backend._apart_from(network)
        except Exception as error:  # an architecture, driver or card may fail in any way; transformers' own pass still works
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        else:
            if apart <= TOLERANCE.get(network.dtype, 0.0):
                return backend, ""
            reason = Message("the logits of the recorded step differ by {share} of their spread", share=Number(apart, ".1%"))
        slower = Message("Every token runs kernel by kernel instead of as one CUDA graph, which is slower ({reason}).")
        return None, slower.format(reason=reason[:200])

    def new_state(self) -> State:
        """Return the state of an empty text."""
        return State(self._empty.keys, self._empty.values)

    @torch.inference_mode()
    def run(self, token_ids: np.ndarray, state: State | None) -> torch.Tensor:
        """Append ids [new] to the state (None: nothing is kept); return float32 logits [vocabulary] after the last, a new tensor."""
        if state is None:
            return self._whole.run(token_ids, None)
        _make_room(state, state.length + len(token_ids))
        buffers = self._cache_for(state.length + 1) if len(token_ids) == 1 else None
        if buffers is not None:
            return buffers.next(int(token_ids[0]), state)
        state.text = object()
        logits = self._whole.read(token_ids, state).logits[0, -1].float()
        state.length += len(token_ids)
        return logits

    def length(self, state: State) -> int:
        """Return the number of tokens in the state."""
        return state.length

    def extend(self, state: State, count: int) -> bool:
        """Return whether `count` more tokens can be computed in one pass: always True."""
        return True

    def cut(self, state: State, length: int) -> bool:
        """Drop all but the first `length` tokens. Return False if there are fewer."""
        if not 0 <= length <= state.length:
            return False
        if length < state.length:
            state.length, state.text = length, object()
        return True

    def bytes(self, state: State) -> int:
        """Return the bytes of the held tokens' keys and values, without the reserve and without the shared workspaces."""
        return sum(part[:, :, : state.length].nbytes for part in (state.keys, state.values))

    def held_bytes(self, state: State) -> int:
        """Return the bytes of the buffers, including their reserve."""
        return state.reserved_bytes

    def _cache_for(self, tokens: int) -> GraphCache | None:
        """Return the smallest workspace for this many tokens, created at first use; None if it would be too large."""
        size = max(SMALLEST, 1 << (tokens - 1).bit_length())
        if size > self._largest:
            return None
        if size not in self._caches:
            try:
                self._caches[size] = GraphCache(self._network, self._empty, size, self._record)
            except Exception:  # most likely out of memory; the text's own buffers work too, only slower
                self._largest = size // 2
        return self._caches.get(size)

    @torch.inference_mode()
    def _apart_from(self, network: Any) -> float:
        """Return the largest difference of single tokens of two alternating texts from plain passes: root mean square over the spread."""
        count, known = 9, network.get_input_embeddings().weight.shape[0]
        texts = [np.arange(first, first + count) * 7919 % known for first in (1, 1000)]
        plain = [network(input_ids=torch.from_numpy(text)[None].to(self._empty.keys.device), use_cache=False).logits[0] for text in texts]
        states, apart = [self.new_state() for _each in texts], []
        for which, end in ((0, 6), (1, 6), (0, 7), (0, 8), (1, 7), (0, 9), (1, 8), (1, 9)):
            found = self.run(texts[which][states[which].length : end], states[which])
            expected = plain[which][end - 1].float()
            spread = (expected - expected.mean()).norm()
            apart.append((found - expected).norm() / spread.clamp_min(1e-6))
        return float(torch.stack(apart).max())


def cuda_graph(step: Step, device: torch.device) -> Step:
    """Record what `step` launches on this GPU. Return a function that launches it again and returns the same tensor with new numbers."""
    graph, beside = torch.cuda.CUDAGraph(), torch.cuda.Stream(device)
    beside.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(beside):  # restores the stream if a recording fails, which torch.cuda.graph does not
        for _each in range(WARM_UPS):  # on the stream of the recording, so that workspaces of libraries are not in a graph's memory
            step()
        # thread_local: other threads may do during a recording what this thread must not, such as measure probabilities.
        with torch.cuda.graph(graph, stream=beside, capture_error_mode="thread_local"):
            output = step()
    torch.cuda.current_stream(device).wait_stream(beside)

    def replay() -> torch.Tensor:
        graph.replay()
        return output

    return replay


def _again(step: Step, _device: torch.device) -> Step:
    return step


@torch.inference_mode()
def _empty_state(network: Any) -> State:
    """Return a state of length 0 in the network's shapes and type. Raises ValueError if the network cannot be recorded."""
    if not getattr(network, "_can_compile_fullgraph", False):
        raise ValueError("transformers does not promise that this architecture can be recorded")
    if "position_ids" not in inspect.signature(network.forward).parameters:
        raise ValueError("this architecture counts positions in a way of its own")
    if network.config._attn_implementation not in ("sdpa", "eager"):
        raise ValueError(f"attention by {network.config._attn_implementation} takes no mask")
    weight = network.get_input_embeddings().weight
    cache = DynamicCache(config=network.config.get_text_config())
    network(input_ids=torch.zeros((1, 1), dtype=torch.int64, device=weight.device), past_key_values=cache, use_cache=True)
    if not cache.layers or any(type(layer) is not DynamicLayer or layer.keys is None for layer in cache.layers):
        raise ValueError("not every layer keeps the keys and values of all tokens")
    keys, values = (torch.stack([getattr(layer, name)[0, :, :0] for layer in cache.layers]) for name in ("keys", "values"))
    return State(keys, values)


def _make_room(state: State, length: int) -> None:
    """Make room for `length` tokens; shrink buffers that hold more than twice that.

    The buffers are replaced one after the other, so that only one exists twice at a time.
    """
    if not length <= state.keys.shape[2] <= max(PAGE, 2 * length):
        reserve = max(-(-length // PAGE), (length + length // 4) // PAGE) * PAGE
        for name in ("keys", "values"):
            own = getattr(state, name)
            grown = own.new_empty((*own.shape[:2], reserve, own.shape[3]))
            grown[:, :, : state.length] = own[:, :, : state.length]
            setattr(state, name, grown)
