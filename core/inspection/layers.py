"""Hidden states per layer by forward hooks, and the network's own norm and head applied to them: listening to the layers.

Reading a layer with the model's own eyes means: take what the layer handed on, and let the rest of the network (its final norm, its head,
its soft caps and scalings) answer as if nothing were left to do. No architecture is written out here. The network itself runs, with its
layers standing aside, so whatever it does behind the last layer is done, by its own code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from core.engine.model import LanguageModel

FLOATS_AT_ONCE = 1 << 22  # logits computed in one go: 16 MB of float32, however many positions are asked for
SAME = 1e-4  # how close two ways to the same probability must come
ROUGHLY_SAME = 2e-2  # in half precision


class LayerOutputs:
    """What was heard during a pass. handed_on[i]: [positions, hidden] behind layer i; handed_in: the same before the first layer."""

    def __init__(self) -> None:
        self.handed_in: torch.Tensor | None = None
        self.handed_on: dict[int, torch.Tensor] = {}


class Layers:
    """The layers of a model, in the order in which they run. Whatever is done with them is done in a turn of the model's engine.

    `modules` is empty if the network has no list of layers; `handed_on` stays empty for layers that hand on something else than one vector
    per position.
    """

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        lists = [
            (name.count("."), list(module))
            for name, module in model.network.named_modules()
            if isinstance(module, torch.nn.ModuleList) and len(module) == model.layer_count
        ]
        self.modules: list[torch.nn.Module] = min(lists, key=lambda found: found[0])[1] if lists else []
        self._beside: tuple[None, ...] | None = None  # what a layer returns beside its vectors; None: it returns them bare

    @contextmanager
    def listening(self, last_only: bool = False) -> Iterator[LayerOutputs]:
        """Listen to all layers (`last_only`: to the last layer alone, the others cost nothing) while the block runs."""
        heard = LayerOutputs()
        hooks = []
        for index, layer in enumerate(self.modules):
            if not last_only or index == len(self.modules) - 1:
                hooks.append(layer.register_forward_hook(self._note(heard, index)))
        if self.modules and not last_only:
            hooks.append(self.modules[0].register_forward_pre_hook(_note_input(heard), with_kwargs=True))
        try:
            yield heard
        finally:
            for hook in hooks:
                hook.remove()

    def _note(self, heard: LayerOutputs, index: int) -> Any:
        def hook(_module: Any, _inputs: Any, output: Any) -> None:
            self._beside = (None,) * (len(output) - 1) if isinstance(output, tuple) else None
            vectors = _vectors(output[0] if isinstance(output, tuple) and output else output)
            if vectors is not None:
                heard.handed_on[index] = vectors

        return hook

    @contextmanager
    def _standing_aside(self, hidden: torch.Tensor) -> Iterator[None]:
        """While the block runs, every layer does nothing but hand on `hidden` [positions, hidden]."""

        def speak(*_inputs: Any, **_named: Any) -> Any:
            return hidden[None] if self._beside is None else (hidden[None], *self._beside)

        own = [layer.__dict__.get("forward") for layer in self.modules]
        for layer in self.modules:
            layer.__dict__["forward"] = speak
        try:
            yield
        finally:
            for layer, forward in zip(self.modules, own, strict=True):
                del layer.__dict__["forward"]
                if forward is not None:
                    layer.__dict__["forward"] = forward

    def answers(self, hidden: torch.Tensor) -> Iterator[torch.Tensor]:
        """What the network says if each of these [positions, hidden] comes out of its last layer: float32 logits [some, vocabulary].

        In order. Never more than FLOATS_AT_ONCE logits lie in memory at the same time.
        """
        rows = max(1, min(FLOATS_AT_ONCE // self.model.vocabulary_size, self.model.context_length))
        for start in range(0, len(hidden), rows):
            part = hidden[start : start + rows]
            stand_in = torch.zeros((1, len(part)), dtype=torch.long, device=self.model.engine.device)
            with torch.inference_mode(), self._standing_aside(part):
                logits = self.model.network(stand_in, use_cache=False).logits[0].float()
            yield logits

    def speak_truly(self, hidden: torch.Tensor, logits: torch.Tensor) -> bool:
        """Whether this vector [hidden], said in the last layer's place, gives the odds that the model itself gave: logits [vocabulary]."""
        try:
            said = next(self.answers(hidden[None]))
        except (RuntimeError, TypeError, ValueError, AttributeError, IndexError):  # layers that hand on more than can be heard
            return False
        return same_odds(said[-1], logits, self.model.dtype)


def same_odds(one: torch.Tensor, other: torch.Tensor, dtype: str) -> bool:
    """Whether two logits [vocabulary] are the same odds, as far as the precision goes in which they were computed."""
    if one.shape != other.shape:
        return False
    apart = (torch.softmax(one, 0) - torch.softmax(other, 0)).abs().max()
    return bool(apart <= (SAME if dtype in ("float32", "float64") else ROUGHLY_SAME))


def _vectors(output: Any) -> torch.Tensor | None:
    """One vector per position, [positions, hidden], or None if this is something else."""
    return output[0] if isinstance(output, torch.Tensor) and output.dim() == 3 and len(output) == 1 else None


def _note_input(heard: LayerOutputs) -> Any:
    def hook(_module: Any, inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
        heard.handed_in = _vectors(inputs[0] if inputs else named.get("hidden_states"))

    return hook
