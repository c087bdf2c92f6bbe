"""Generate several texts at once on an inference server: one request per text, sent together. The server batches them in its own way.

The server reuses tokens from its own prefix cache and reports them at each step. Whether it reads the prompt only once depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any, TypeVar

import torch

from core.engine.kv_cache.kv_cache import KVCache
from core.engine.model import LanguageModel
from core.errors import OutsideTopLogprobs
from core.experiments.candidate_sequence import BatchStep, CandidateSequence
from core.generation.generation import Generation
from core.settings import SamplingSettings
from core.sources.source import Forward

AT_ONCE = 8  # most requests at one time
T = TypeVar("T")


class ServedBatch:
    """A `core.experiments.candidates.PromptBatch` on a server.

    needed: how many of the likeliest tokens of each row the server must list. Raises OutsideTopLogprobs if it lists fewer.
    """

    def __init__(self, model: LanguageModel, ids: Sequence[int], needed: int) -> None:
        self._model, self._needed = model, needed
        self._rows = [list(ids)]
        self.passes = 0
        self.pass_tokens = 0  # computed by the server in the newest pass, all its requests
        self.seconds = 0.0  # of the newest pass, all its requests

    def prefill(self) -> torch.Tensor:
        """Read the prompt and return float32 logits [1, vocabulary]."""
        return self._ask()

    def go_on(self, parents: Sequence[int], token_ids: Sequence[int]) -> torch.Tensor:
        """Extend the rows `parents` of the newest pass by one token each; return float32 logits [len(parents), vocabulary]."""
        self._rows = [[*self._rows[parent], token] for parent, token in zip(parents, token_ids, strict=True)]
        return self._ask()

    def _ask(self) -> torch.Tensor:
        began = perf_counter()
        answers = together(self._one, self._rows)
        self.seconds, self.passes = perf_counter() - began, self.passes + 1
        self.pass_tokens = sum(answer.computed_tokens for answer in answers)
        fewest = min(answer.logits.known for answer in answers)
        if fewest < min(self._needed, self._model.vocabulary_size):
            raise OutsideTopLogprobs(
                "Beam search needs the {needed} likeliest tokens, but the server lists {fewest}. Use fewer beams, or "
                "start the server with a longer list (vLLM: --max-logprobs).",
                needed=self._needed,
                fewest=fewest,
            )
        return torch.stack([answer.logits.values for answer in answers])

    def _one(self, ids: list[int]) -> Forward:
        return self._model.engine.forward(ids, KVCache(), self._needed)


def write_on_server(
    model: LanguageModel, prompt: str, settings: SamplingSettings, count: int, steps: int, top_n: int
) -> Iterator[BatchStep]:
    """Yield what `core.experiments.candidates.write_together` yields. Try number i uses attempt i of the rolls."""
    runs = [Generation(model, prompt, settings, top_n) for _each in range(count)]
    seconds, passes = 0.0, 0
    while passes < steps and (alive := [number for number, run in enumerate(runs) if run.finished is None]):
        began = perf_counter()
        together(lambda number: runs[number].step(number), alive)
        seconds, passes = seconds + perf_counter() - began, passes + 1
        tries = tuple(CandidateSequence(number, tuple(run.path), run.finished) for number, run in enumerate(runs))
        yield BatchStep(tries, len(alive), sum(len(run.path) for run in runs), seconds, passes)


def together(work: Callable[[Any], T], items: Sequence[Any]) -> list[T]:
    """Return `work(item)` for all items, in their order, with up to AT_ONCE threads. Raises the error of the first item that fails."""
    if len(items) == 1:
        return [work(items[0])]
    with ThreadPoolExecutor(min(AT_ONCE, len(items)), thread_name_prefix="served") as pool:
        return list(pool.map(work, items))
