"""What adds up to the score: a token's logit as a sum of the embedding and of what each layer's attention and feed-forward add.

Every layer adds its parts to the same vector, which the final norm and the head turn into logits (Elhage and others 2021, "A Mathematical
Framework for Transformer Circuits"). With the size that the final norm divides by held fixed, this is linear, so that the logit is a sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from core.engine.model import LanguageModel
from core.engine.network_layers import Hook, checked_layers, first_of, hooked, input_of
from core.engine.switched_off_heads import HeadOutputs, head_outputs
from core.errors import ModelError
from core.inspection.attribution.passes import Passes, checked, other_token, text_and_target
from core.message import Message

CLOSE = 1e-3  # largest relative error of a part that counts as rounding
EMBEDDING, ATTENTION, HEAD, FEED_FORWARD, CONSTANT = "embedding", "attention", "head", "feed-forward", "constant"
NOT_A_SUM = Message("The layers of this architecture do not simply add their parts, so its logits cannot be taken apart here.")


@dataclass(frozen=True, slots=True)
class LogitPart:
    """One summand of a logit. kind: "embedding", "attention", "head", "feed-forward" or "constant". layer, head: from 0, -1 if none."""

    kind: str
    value: float
    layer: int = -1
    head: int = -1

    @property
    def name(self) -> str:
        """Its name, for a table: `layer 2 head 3`."""
        where = f"layer {self.layer + 1} " if self.layer >= 0 else ""
        return f"{where}{self.kind}" + (f" {self.head + 1}" if self.head >= 0 else "")


@dataclass(frozen=True, slots=True, eq=False)
class LogitParts:
    """A logit as a sum. parts: the summands in the order of the network; they add up to `logit`, the network's own, within rounding."""

    parts: tuple[LogitPart, ...]
    logit: float

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the summands."""
        return tuple(part.name for part in self.parts)

    @property
    def values(self) -> np.ndarray:
        """The summands, float64."""
        return np.array([part.value for part in self.parts])


def logit_parts(
    model: LanguageModel, token_ids: Sequence[int] | np.ndarray, target_id: int, heads: bool = False, against: int | None = None
) -> LogitParts:
    """Return the target's logit after this text as a sum. heads: one part for each attention head instead of one for each attention.

    against: another token. Then the logit of the target minus the logit of the other token takes the place of the target's logit.
    Raises ModelError with the reason if the network cannot be taken apart, EmptyPrompt, BadToken, PromptTooLong, InputError, BrokenLogits.
    """
    ids, wanted = text_and_target(model, token_ids, target_id)
    other = other_token(model, against, wanted)
    passes = Passes(model)
    with passes.turn():
        outputs = head_outputs(passes.network, model.shape)
        seen = _Seen(checked_layers(passes.network, model.layer_count), outputs)
        with hooked(seen.hooks(passes.network)):
            logits = checked(passes.forward(input_ids=passes.tensor(ids[None])))
        score = _Score.of(passes.network, seen, wanted, float(logits[0, wanted]))
        if other is not None:
            score = score.minus(_Score.of(passes.network, seen, other, float(logits[0, other])))
        parts = [LogitPart(EMBEDDING, score(seen.entered[0]))]
        for index, output in enumerate(outputs):
            attention = seen.attention(index)
            feed_forward = seen.left[index] - seen.entered[index] - attention
            if not seen.is_output(index, feed_forward):
                raise ModelError(NOT_A_SUM)
            parts += _heads(seen, index, output, score) if heads else [LogitPart(ATTENTION, score(attention), index)]
            parts.append(LogitPart(FEED_FORWARD, score(feed_forward), index))
    if score.constant:
        parts.append(LogitPart(CONSTANT, score.constant))
    return LogitParts(tuple(parts), score.logit)


def _heads(seen: _Seen, index: int, output: HeadOutputs, score: Callable[[torch.Tensor], float]) -> list[LogitPart]:
    """Return one part per head, and what the projection adds without any head."""
    through = seen.after_projection(index)
    matrix, given = output.matrix().double(), seen.projected[index]
    slices = [slice(head * output.size, (head + 1) * output.size) for head in range(output.heads)]
    vectors = [through(matrix[:, columns] @ given[columns]) for columns in slices]
    parts = [LogitPart(HEAD, score(vector), index, head) for head, vector in enumerate(vectors)]
    left = score(seen.attention(index)) - sum(part.value for part in parts)
    has_bias = getattr(output.projection, "bias", None) is not None or seen.chain[index]
    return [*parts, LogitPart(ATTENTION, left, index)] if has_bias else parts


@dataclass
class _Seen:
    """What one pass shows at the last position of the text, float64 [hidden] each.

    entered, left: input and output of each layer. projected: input of the output projection. chain: modules that the projection's output
    passes through before it is added, such as Gemma's norm, each with its input and output. outputs: of all modules of a layer.
    """

    layers: Sequence[torch.nn.Module]
    heads: Sequence[HeadOutputs]
    entered: dict[int, torch.Tensor] = field(default_factory=dict)
    left: dict[int, torch.Tensor] = field(default_factory=dict)
    projected: dict[int, torch.Tensor] = field(default_factory=dict)
    added: dict[int, torch.Tensor] = field(default_factory=dict)
    chain: dict[int, list[tuple[Any, torch.Tensor, torch.Tensor]]] = field(default_factory=dict)
    outputs: dict[int, list[torch.Tensor]] = field(default_factory=dict)
    final: tuple[Any, torch.Tensor, torch.Tensor] | None = None
    _newest: Any = None  # the tensor whose way through the modules is followed
    _entering: Any = None

    def hooks(self, network: Any) -> list[Hook]:
        """Return the hooks of the pass."""
        hooks, inner = [], {id(part) for layer in self.layers for part in layer.modules()}
        for index, (layer, head) in enumerate(zip(self.layers, self.heads, strict=True)):
            self.chain[index], self.outputs[index] = [], []
            hooks += [self._part(index, part, head) for part in layer.modules() if part is not layer]
            hooks.append(self._layer(index, layer))
        return hooks + [self._outside(part) for part in network.modules() if id(part) not in inner and not any(part.children())]

    def _layer(self, index: int, layer: torch.nn.Module) -> Hook:
        def before(arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
            self.entered[index] = _last(input_of(arguments, named))

        def after(output: Any) -> None:
            self._newest = first_of(output)
            self.left[index] = _last(self._newest)

        return Hook(layer, before, after)

    def _part(self, index: int, part: torch.nn.Module, head: HeadOutputs) -> Hook:
        def before(arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
            given = input_of(arguments, named)
            if part is head.projection:
                self.projected[index] = _last(given)
            elif index in self.added and given is self._newest:
                self._entering = part, _last(given)

        def after(output: Any) -> None:
            states = first_of(output)
            if not isinstance(states, torch.Tensor) or states.shape[-1] != len(self.entered[index]):
                return
            vector = _last(states)
            self.outputs[index].append(vector)
            if part is head.projection:
                self.added[index], self._newest = vector, states
            elif self._entering is not None and self._entering[0] is part:
                if not torch.equal(vector, self._entering[1]):  # dropout changes nothing
                    self.chain[index].append((part, self._entering[1], vector))
                self.added[index], self._newest, self._entering = vector, states, None

        return Hook(part, before, after)

    def _outside(self, part: torch.nn.Module) -> Hook:
        def before(arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
            if self.final is None and len(self.left) == len(self.layers) and input_of(arguments, named) is self._newest:
                self._entering = part, self.left[len(self.layers) - 1]

        def after(output: Any) -> None:
            if self._entering is not None and self._entering[0] is part:
                self.final, self._entering = (part, self._entering[1], _last(first_of(output))), None

        return Hook(part, before, after)

    def attention(self, index: int) -> torch.Tensor:
        """Return what the attention of a layer adds."""
        return self.added[index]

    def after_projection(self, index: int) -> Callable[[torch.Tensor], torch.Tensor]:
        """Return the map of the modules after the projection for a part of its output. Their scales are held fixed."""
        steps = [_Fixed.of(*entry) for entry in self.chain[index]]

        def through(vector: torch.Tensor) -> torch.Tensor:
            for step in steps:
                vector = step(vector)
            return vector

        return through

    def is_output(self, index: int, vector: torch.Tensor) -> bool:
        """Return whether some module of a layer gave this vector, so that it is a part which the layer adds as it is."""
        return any(_close(vector, output, self.left[index]) for output in self.outputs[index])


@dataclass(frozen=True)
class _Fixed:
    """A norm as a linear map: the size that it divides by is held fixed. weight, bias: [hidden]; centred: whether it subtracts the mean."""

    weight: torch.Tensor
    bias: torch.Tensor
    centred: bool

    def __call__(self, vector: torch.Tensor) -> torch.Tensor:
        """Return the map of a summand, without the bias."""
        return (vector - vector.mean() if self.centred else vector) * self.weight

    @classmethod
    def of(cls, norm: Any, given: torch.Tensor, output: torch.Tensor) -> _Fixed:
        """Return the map of a norm that made `output` of `given`, [hidden] each. Raises ModelError for another kind of module.

        A vector of ones with alternating signs has the mean 0 and the size 1, so a norm multiplies it with its weights.
        """
        signs = torch.ones_like(given)
        signs[1::2] = -1
        dtype = next((weight.dtype for weight in norm.parameters()), torch.float32)
        plus, minus = (_last(first_of(norm(vector.to(dtype)[None, None]))) for vector in (signs, -signs))
        weight, bias = (plus - minus) / 2 * signs, (plus + minus) / 2
        for centred in (False, True):
            scaled = (given - given.mean() if centred else given) * weight
            size = float((output - bias) @ scaled / (scaled @ scaled))
            if _close(size * scaled + bias, output, output):
                return cls(size * weight, bias, centred)
        raise ModelError(NOT_A_SUM)


@dataclass(frozen=True)
class _Score:
    """Maps a summand of the last layer's output to its part of the logit. constant: the part of biases. logit: the network's own."""

    row: torch.Tensor
    norm: _Fixed | None
    factor: float
    constant: float
    logit: float

    def __call__(self, vector: torch.Tensor) -> float:
        return self.factor * float(self.row @ (vector if self.norm is None else self.norm(vector)))

    @classmethod
    def of(cls, network: Any, seen: _Seen, wanted: int, logit: float) -> _Score:
        """Return the map of one token's logit. A scale or a soft cap after the head is held fixed as a factor."""
        head = network.get_output_embeddings()
        row = head.weight[wanted].detach().double()
        bias = getattr(head, "bias", None)
        last, norm = seen.left[len(seen.layers) - 1], None
        if seen.final is not None and seen.final[0] is not head:
            norm, last = _Fixed.of(*seen.final), seen.final[2]
        plain = float(row @ last) + (0.0 if bias is None else float(bias[wanted]))
        factor = 1.0 if abs(plain - logit) < CLOSE * max(1.0, abs(logit)) else logit / plain
        constant = plain - float(row @ (last if norm is None else last - norm.bias))
        return cls(row, norm, factor, factor * constant, logit)

    def minus(self, other: _Score) -> _Score:
        """Return the map for the difference to another token's logit. Both have the same norm."""
        row = self.factor * self.row - other.factor * other.row
        return _Score(row, self.norm, 1.0, self.constant - other.constant, self.logit - other.logit)


def _last(states: torch.Tensor) -> torch.Tensor:
    """Return the last position's vector, float64 [hidden]."""
    return states.detach().reshape(-1, states.shape[-1])[-1].double()


def _close(vector: torch.Tensor, other: torch.Tensor, scale: torch.Tensor) -> bool:
    """Return whether two vectors are equal within rounding."""
    return vector.shape == other.shape and bool((vector - other).abs().max() <= CLOSE * max(1e-6, float(scale.abs().max())))
