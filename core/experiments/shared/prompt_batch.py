"""Several texts that share one prompt, one more token of each at a time: in one pass of a network, or one answer of the source per text.

On a server the texts are separate requests, sent together; the server batches them in its own way and reuses its own prefix cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any, Protocol, TypeVar

import numpy as np
import torch

from core.backends.cache_bytes import bytes_of_layers
from core.backends.transformers_backend import backend_of, cache_argument
from core.device import MANY_TOKENS, Stopwatch, enough_memory, network_threads, torch_threads
from core.engine.architecture_limits import possible_with
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.errors import NotForThisModel
from core.message import Message
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can
from core.sources.source import Forward, Wanted
from core.sources.token_source import TokenSource

AT_ONCE = 8  # most requests at one time
T = TypeVar("T")


class PromptBatch(Protocol):
    """Rows that share one prompt, which is read once; each pass adds one token to every row.

    passes: made so far. computed_tokens: of one row in the newest pass; pass_tokens: of all its rows. row_bytes: of the cache, for one row.
    seconds, queue_seconds: of the newest pass. device: of the logits.
    """

    device: torch.device
    passes: int
    computed_tokens: int
    pass_tokens: int
    row_bytes: int
    seconds: float
    queue_seconds: float

    def prefill(self) -> torch.Tensor:
        """Read the prompt and return float32 logits [1, vocabulary]."""

    def go_on(self, parents: Sequence[int], token_ids: Sequence[int]) -> torch.Tensor:
        """Extend the rows `parents` of the newest pass by one token each; return float32 logits [len(parents), vocabulary].

        A row can be named several times (it forks) or not at all (it is dropped).
        """


def batch_of(model: TokenSource, ids: Sequence[int], needed: int = 1) -> PromptBatch:
    """Return the batch of this prompt that the model can make. needed: how many of each row's likeliest tokens must be known."""
    if Can.NETWORK in model.can and isinstance(model, LanguageModel):
        return NetworkBatch(model, ids)
    return SourceBatch(model, ids, needed)


class SourceBatch:
    """One answer of the source per row; a server is asked for all rows at once. See `PromptBatch`.

    Raises NotForThisModel if a server lists fewer than `needed` tokens.
    """

    def __init__(self, model: TokenSource, ids: Sequence[int], needed: int) -> None:
        self._model, self._needed = model, needed
        self._wanted = Wanted(SamplingSettings(), needed)
        self._rows = [list(ids)]
        self.device = torch.device("cpu")
        self.passes = self.computed_tokens = self.pass_tokens = self.row_bytes = 0
        self.seconds = self.queue_seconds = 0.0

    def prefill(self) -> torch.Tensor:
        """Read the prompt and return float32 logits [1, vocabulary]."""
        return self._ask()

    def go_on(self, parents: Sequence[int], token_ids: Sequence[int]) -> torch.Tensor:
        """Extend the rows `parents` of the newest pass by one token each; see `PromptBatch.go_on`."""
        self._rows = [[*self._rows[parent], token] for parent, token in zip(parents, token_ids, strict=True)]
        return self._ask()

    def _ask(self) -> torch.Tensor:
        began = perf_counter()
        answers = together(self._answer, self._rows)
        self.seconds, self.passes = perf_counter() - began, self.passes + 1
        self.pass_tokens = sum(answer.computed_tokens for answer in answers)
        self.computed_tokens = self.pass_tokens // len(answers)
        fewest = min(answer.logits.known for answer in answers)
        if fewest < min(self._needed, self._model.vocabulary_size):
            raise NotForThisModel(
                "Beam search needs the {needed} likeliest tokens, but the server lists {fewest}. Use fewer beams, or "
                "start the server with a longer list (vLLM: --max-logprobs).",
                needed=self._needed,
                fewest=fewest,
            )
        return torch.stack([answer.logits.values for answer in answers])

    def _answer(self, ids: list[int]) -> Forward:
        answer = self._model.next(np.array(ids, dtype=np.int64), KVCache(), self._wanted)
        assert isinstance(answer, Forward)
        return answer


def together(work: Callable[[Any], T], items: Sequence[Any]) -> list[T]:
    """Return `work(item)` for all items, in their order, with up to AT_ONCE threads. Raises the error of the first item that fails."""
    if len(items) == 1:
        return [work(items[0])]
    with ThreadPoolExecutor(min(AT_ONCE, len(items)), thread_name_prefix="served") as pool:
        return list(pool.map(work, items))


class NetworkBatch:
    """One pass of transformers' network for all rows, on one cache. See `PromptBatch`.

    If an architecture has no plain keys and values, every pass computes all rows from the start: slower, with the same numbers. Every pass
    takes one turn of the model's engine.
    """

    def __init__(self, model: LanguageModel, ids: Sequence[int]) -> None:
        self.model = model
        self._network = model.load_network()
        self._backend = backend_of(model)
        self.device = torch.device(model.device)
        self._cache: Any = None  # transformers' DynamicCache
        self._rows = torch.tensor([list(ids)], device=self.device)
        self.passes = 0
        self.computed_tokens = 0  # of one row, in the newest pass
        self.pass_tokens = 0  # of all rows, in the newest pass
        self.row_bytes = 0  # of the cache, for one row
        self.seconds = 0.0  # of the newest pass
        self.queue_seconds = 0.0

    def prefill(self) -> torch.Tensor:
        """Read the prompt and return float32 logits [1, vocabulary]."""
        with self.model.engine.lock.acquire():
            cached = self._backend.is_cached and self._backend.batches_truly()
        if cached and cache_argument(self._network) == "past_key_values":
            from transformers.cache_utils import DynamicCache

            self._cache = DynamicCache(config=self._network.config.get_text_config())
        return self._run(self._rows)

    def go_on(self, parents: Sequence[int], token_ids: Sequence[int]) -> torch.Tensor:
        """Extend the rows `parents` of the newest pass by one token each; return float32 logits [len(parents), vocabulary].

        A row can be named several times (it forks) or not at all (it is dropped).
        """
        with torch.inference_mode():
            chosen = torch.tensor(list(parents), device=self.device)
            new = torch.tensor(list(token_ids), device=self.device)[:, None]
            if self._cache is not None and list(parents) != list(range(len(self._rows))):
                self._cache.batch_select_indices(chosen)
            self._rows = torch.cat([self._rows[chosen], new], 1)
        return self._run(self._rows if self._cache is None else new)

    def _run(self, inputs: torch.Tensor) -> torch.Tensor:
        engine = self.model.engine
        threads = engine.speed.threads if inputs.numel() < MANY_TOKENS else network_threads(self.model.parameter_count)
        with engine.lock.acquire() as waited, torch_threads(threads), torch.inference_mode():
            stopwatch = Stopwatch(self.device)
            message = Message("There is not enough memory for so many texts at once. Use fewer or shorter texts.")
            with enough_memory(message), possible_with(self.model.name):
                logits = self._logits(inputs)
            stopwatch.stop()
        if self._cache is not None and not all(map(_is_plain, self._cache.layers)):
            self._cache = None
        self.passes += 1
        self.computed_tokens, self.pass_tokens = inputs.shape[1], inputs.numel()
        self.row_bytes = 0 if self._cache is None else bytes_of_layers(self._cache.layers).used // len(inputs)
        self.seconds, self.queue_seconds = stopwatch.seconds, waited
        return logits

    def _logits(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return float32 logits [rows, vocabulary]; one row after the other if this architecture gives other numbers in a batch."""
        if self._cache is not None:
            output = self._network(inputs, past_key_values=self._cache, use_cache=True)
            return output.logits[:, -1].float()
        return self._backend.last_logits(inputs)


def _is_plain(layer: Any) -> bool:
    """Return whether this layer keeps keys and values that can be selected by row."""
    from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

    return type(layer) in (DynamicLayer, DynamicSlidingWindowLayer) and layer.get_seq_length() > 0
