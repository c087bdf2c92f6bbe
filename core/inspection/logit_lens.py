"""Hidden states per layer by forward hooks, and the network's norm and head applied to them.

For the logit lens, the network runs on one token, and a hook replaces the output of its last layer with given hidden states. The network's
own code then applies the final norm, head, soft caps and scalings, so this module contains no code per architecture.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from core.engine.model import LanguageModel
from core.engine.network_layers import layer_modules

FLOATS_AT_ONCE = 1 << 22  # logits computed at once: 16 MB of float32
SAME = 1e-4  # largest difference of two probabilities that counts as equal
ROUGHLY_SAME = 2e-2  # in 16 bits


class LayerOutputs:
    """Outputs of the layers in a pass. handed_on[i]: [positions, hidden] after layer i; handed_in: the input of the first layer."""

    def __init__(self) -> None:
        self.handed_in: torch.Tensor | None = None
        self.handed_on: dict[int, torch.Tensor] = {}


class Layers:
    """The layers of a model, in the order in which they run. Callers hold the lock of the model's engine.

    `modules` is empty if the network has no list of layers. `handed_on` stays empty for layers whose output is not one vector per position.
    """

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.modules = layer_modules(model.load_network(), model.layer_count)
        self._as_batch = True  # whether hidden states are read as a batch of one-token texts, or as one text

    @contextmanager
    def listening(self, last_only: bool = False) -> Iterator[LayerOutputs]:
        """Collect the outputs of all layers (`last_only`: only of the last one) in the block."""
        heard = LayerOutputs()
        hooks = []
        for index, layer in enumerate(self.modules):
            if not last_only or index == len(self.modules) - 1:
                hooks.append(layer.register_forward_hook(_note(heard, index)))
        if self.modules and not last_only:
            hooks.append(self.modules[0].register_forward_pre_hook(_note_input(heard), with_kwargs=True))
        try:
            yield heard
        finally:
            for hook in hooks:
                hook.remove()

    def answers(self, hidden: torch.Tensor) -> Iterator[torch.Tensor]:
        """Yield the network's float32 logits [some, vocabulary] for vectors [positions, hidden] in place of its last layer's output.

        In order of positions. At most FLOATS_AT_ONCE logits are in memory at the same time.
        """
        rows = max(1, min(FLOATS_AT_ONCE // self.model.vocabulary_size, self.model.context_length))
        for start in range(0, len(hidden), rows):
            part = hidden[start : start + rows]
            tokens = torch.zeros((1, 1 if self._as_batch else len(part)), dtype=torch.long, device=self.model.engine.device)
            hook = self.modules[-1].register_forward_hook(_replacing(part[:, None] if self._as_batch else part[None]))
            try:
                with torch.inference_mode():
                    logits = self.model.load_network()(tokens, use_cache=False).logits
            finally:
                hook.remove()
            yield logits.flatten(0, 1).float()

    def speak_truly(self, hidden: torch.Tensor, logits: torch.Tensor) -> bool:
        """Return whether this vector [hidden] in place of the last layer's output gives the model's own probabilities: logits [vocabulary].

        Two copies are read, first as a batch, which costs a pass over one token. Some networks refuse that, so they are then read as one
        text.
        """
        for as_batch in (True, False) if self.modules else ():
            self._as_batch = as_batch
            try:
                answers = next(self.answers(torch.stack([hidden, hidden])))
            except (RuntimeError, TypeError, ValueError, AttributeError, IndexError):  # e.g. a layer that returns more than one vector
                continue
            if len(answers) == 2 and all(same_probabilities(answer, logits, self.model.dtype) for answer in answers):
                return True
        return False


def same_probabilities(left: torch.Tensor, right: torch.Tensor, dtype: str) -> bool:
    """Return whether two logits [vocabulary] give the same probabilities, within the precision of `dtype`."""
    if left.shape != right.shape:
        return False
    apart = (torch.softmax(left, 0) - torch.softmax(right, 0)).abs().max()
    return bool(apart <= (SAME if dtype in ("float32", "float64") else ROUGHLY_SAME))


def _vectors(output: Any) -> torch.Tensor | None:
    """Return one vector per position, [positions, hidden], or None for another kind of output."""
    return output[0] if isinstance(output, torch.Tensor) and output.dim() == 3 and len(output) == 1 else None


def _note(heard: LayerOutputs, index: int) -> Any:
    def hook(_module: Any, _inputs: Any, output: Any) -> None:
        vectors = _vectors(output[0] if isinstance(output, tuple) and output else output)
        if vectors is not None:
            heard.handed_on[index] = vectors

    return hook


def _note_input(heard: LayerOutputs) -> Any:
    def hook(_module: Any, inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
        heard.handed_in = _vectors(inputs[0] if inputs else named.get("hidden_states"))

    return hook


def _replacing(vectors: torch.Tensor) -> Any:
    def hook(_module: Any, _inputs: Any, output: Any) -> Any:
        return (vectors, *output[1:]) if isinstance(output, tuple) else vectors

    return hook
