"""Quantize a model's weights or its KV cache to fewer bits; measure the change of its probabilities and texts, and the saved bytes.

Weights are rounded to nearest (`core/engine/weight_rounding.py`), 32 numbers or a whole row with one scale, and written back as ordinary
weights for the network's own forward pass. This works for every architecture, and all differences come from the rounding. The bytes are
computed, and the time stays the same, because the pass still uses ordinary weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from core.backends.transformers_backend import TransformersBackend, backend_of
from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.engine.network_layers import checked_layers
from core.engine.stored_weights import is_stored
from core.engine.weight_rounding import rounded_bytes, rounded_copy, weight_matrices
from core.errors import BadSetting, ModelError
from core.experiments.shared.claim import Observations
from core.experiments.shared.closeness import Closeness, divergence, first_difference, perplexity, read_text
from core.experiments.shared.network_copy import GROUP, NO_MATRICES, network_copy, turn
from core.experiments.shared.prompt_tokens import prompt_ids
from core.inspection.inside import must_be_here
from core.message import Message

BITS = (16, 8, 6, 4, 3, 2)
MOST_TOKENS = 256  # of the text that is read
LONGEST = 64  # tokens of each generated text
ATTENTION, FEED_FORWARD, HEAD = "attention", "feed-forward", "head"


@dataclass(frozen=True, slots=True)
class Part:
    """A set of modules that are rounded together. layer: -1 for the head."""

    layer: int
    name: str
    modules: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Rounded(Closeness):
    """The model at `bits` bits, compared with full precision.

    kl: Kullback-Leibler divergence from the full model's probabilities after each token of the text, nats. kept: whether both have the
    same likeliest token there. perplexity, full_perplexity: of the text. bytes, full_bytes: of all weights, scales included.
    rounded_share: fraction of the weights that were rounded. pieces: the full model's likeliest tokens after the prompt;
    full_probabilities, probabilities: theirs in both. written, full_written: greedy texts; first_difference: index of the first different
    token, None if all are equal. seconds: for reading the text, measured.
    """

    bits: int
    kl: tuple[float, ...]
    kept: tuple[bool, ...]
    perplexity: float
    full_perplexity: float
    bytes: int
    full_bytes: int
    rounded_share: float
    pieces: tuple[str, ...]
    full_probabilities: tuple[float, ...]
    probabilities: tuple[float, ...]
    written: str
    full_written: str
    first_difference: int | None
    seconds: float
    full_seconds: float


@dataclass(frozen=True, slots=True)
class PartDamage:
    """The effect of rounding only one part. mean_kl: mean divergence over the text, nats."""

    layer: int
    name: str
    mean_kl: float


def quantize(
    model: LanguageModel, prompt: str, text: str, bits: Sequence[int] = BITS, group: int | None = None, head: bool = False, length: int = 24
) -> Iterator[Rounded]:
    """Round the linear layers (and with `head` the last one) to each of these bits; yield the comparison with the full model for each.

    group: 32, or None for whole rows. If the head is tied to the embeddings, both are rounded.
    Raises BadSetting, EmptyPrompt, PromptTooLong, NoRoom, ModelError for a model on a server or without known matrices.
    """
    _check(bits, group)
    length = whole_number(length, Message("The length"), 1, LONGEST)
    bench = _Bench(model, text)
    ids = prompt_ids(model, prompt)
    full_next, full_written = bench.next_probabilities(bench.full, ids), bench.greedy(bench.full, ids, length)
    listed = np.argsort(-full_next, kind="stable")[:8]
    for count in bits:
        parts = [part for part in bench.parts() if head or part.name != HEAD]
        saved = bench.round(parts, count, group)
        try:
            logs, seconds = bench.read(bench.copy)
            written = bench.greedy(bench.copy, ids, length)
            rounded_next = bench.next_probabilities(bench.copy, ids)
        finally:
            saved.restore()
        yield Rounded(
            bits=count,
            kl=divergence(bench.full_logs, logs),
            kept=tuple((logs.argmax(1) == bench.full_logs.argmax(1)).tolist()),
            perplexity=perplexity(logs, bench.ids),
            full_perplexity=perplexity(bench.full_logs, bench.ids),
            bytes=model.weight_bytes - saved.full_bytes + saved.bytes,
            full_bytes=model.weight_bytes,
            rounded_share=saved.numbers / model.parameter_count,
            pieces=tuple(model.piece(int(token)) for token in listed),
            full_probabilities=tuple(full_next[listed].tolist()),
            probabilities=tuple(rounded_next[listed].tolist()),
            written=model.text_of(written),
            full_written=model.text_of(full_written),
            first_difference=first_difference(full_written, written),
            seconds=seconds,
            full_seconds=bench.full_seconds,
        )


def damage(model: LanguageModel, text: str, bits: int = 4, group: int | None = None) -> Iterator[PartDamage]:
    """Round one part at a time (attention and feed-forward of every layer, and the head) and yield its effect. Raises as `quantize`."""
    _check((bits,), group)
    bench = _Bench(model, text)
    for part in bench.parts():
        saved = bench.round([part], bits, group)
        try:
            logs, _each = bench.read(bench.copy)
        finally:
            saved.restore()
        yield PartDamage(part.layer, part.name, float(np.mean(divergence(bench.full_logs, logs))))


def _check(bits: Sequence[int], group: int | None) -> None:
    if not bits or any(isinstance(count, bool) or count not in BITS for count in bits):
        raise BadSetting("Weights are quantized to {names} or {bits} bits.", names=", ".join(map(str, BITS[:-1])), bits=BITS[-1])
    if group is not None and (isinstance(group, bool) or group != GROUP):
        raise BadSetting("A scale is shared by a whole row or by {group} numbers, not {value}.", group=GROUP, value=str(group)[:20])


@dataclass(slots=True)
class _Saved:
    """The original weights, to be restored, and the sizes before and after. numbers: of rounded weights."""

    weights: list[tuple[Any, torch.Tensor]]
    numbers: int = 0
    bytes: int = 0
    full_bytes: int = 0

    def restore(self) -> None:
        for weight, before in self.weights:
            weight.data = before


class _Bench:
    """A model, a copy of its network whose weights are rounded, and a text that both read."""

    def __init__(self, model: LanguageModel, text: str) -> None:
        must_be_here(model)
        self._model, self._hidden_size = model, model.shape.hidden_size
        self.ids = np.array(prompt_ids(model, text)[: min(MOST_TOKENS, model.context_length)], dtype=np.int64)
        self.full = model.load_network()
        self._cached = backend_of(model).is_cached
        self.copy = network_copy(model)
        self.full_logs, self.full_seconds = self.read(self.full)

    def parts(self) -> list[Part]:
        """Return the parts of the copy that can be rounded: attention and feed-forward of every layer, and the head."""
        layers = checked_layers(self.full, self._model.layer_count)
        names = {id(module): name for name, module in self.full.named_modules()}
        twins = dict(self.copy.named_modules())
        parts = []
        for number, layer in enumerate(layers):
            kinds: dict[str, list[Any]] = {ATTENTION: [], FEED_FORWARD: []}
            for name, module in twins[names[id(layer)]].named_modules():
                if weight_matrices(module, self._hidden_size):
                    kinds[ATTENTION if "att" in name else FEED_FORWARD].append(module)
            parts += [Part(number, kind, tuple(modules)) for kind, modules in kinds.items() if modules]
        last = self.copy.get_output_embeddings()
        return [*parts, Part(-1, HEAD, (last,))] if last is not None and weight_matrices(last, self._hidden_size) else parts

    def round(self, parts: Sequence[Part], bits: int, group: int | None) -> _Saved:
        """Round these parts of the copy, each expert by itself, and return the original weights. Raises ModelError if there are none."""
        saved = _Saved([])
        modules = [module for part in parts for module in part.modules]
        for weight, turned in (matrix for module in modules for matrix in weight_matrices(module, self._hidden_size)):
            saved.weights.append((weight, weight.data))
            saved.numbers += weight.numel()
            saved.full_bytes += weight.numel() * weight.element_size()
            # float32, so that the result is not rounded again to 16 bits. Same memory layout as the full weights, so that the layout does
            # not change the measured times.
            wide = rounded_copy(weight, turned, bits, group, torch.float32 if is_stored(self.full) else weight.dtype)
            rows, width = weight.shape[:-3:-1] if turned else weight.shape[-2:]
            saved.bytes += weight.numel() // (rows * width) * rounded_bytes((rows, width), bits, group)
            weight.data = wide
        if not saved.numbers:
            raise ModelError(NO_MATRICES)
        return saved

    def read(self, network: Any) -> tuple[torch.Tensor, float]:
        """Read the text with this network; see `read_text`."""
        return read_text(self._model, network, self.ids, tries=3)

    def next_probabilities(self, network: Any, ids: Sequence[int]) -> np.ndarray:
        """Return the next-token probabilities after these tokens, float64 [vocabulary]."""
        with turn(self._model), torch.inference_mode():
            logits = TransformersBackend(network, self._cached).run(np.array(ids, dtype=np.int64), None)
            probabilities: np.ndarray = logits.double().softmax(-1).cpu().numpy()
            return probabilities

    def greedy(self, network: Any, ids: Sequence[int], length: int) -> list[int]:
        """Return the tokens that this network generates greedily; takes one turn of the model's engine per token."""
        backend = TransformersBackend(network, self._cached)
        state, new, written = backend.new_state(), list(ids), list[int]()
        while len(written) < min(length, self._model.context_length - len(ids)):
            cached = backend.length(state) == len(ids) + len(written) - len(new)
            with turn(self._model), torch.inference_mode():
                fed = np.array(new if cached else [*ids, *written], dtype=np.int64)
                new = [int(backend.run(fed, state if cached else None).argmax())]
            written += new
            if new[0] in self._model.end_token_ids:
                break
        return written


def fewer_bits_are_worse(observations: Observations) -> bool:
    by_bits = {step.bits: step.mean_kl for step in observations}
    return all(by_bits[more] <= by_bits[fewer] for more, fewer in pairwise(sorted(by_bits, reverse=True)))
