"""Which attention heads mattered: each is switched off in turn, and the change of one token's log-probability is measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from core.engine.model import LanguageModel
from core.engine.network_layers import Hook, input_of
from core.engine.switched_off_heads import Head, HeadOutputs, checked_heads, head_outputs, switch_off
from core.errors import BadSetting
from core.inspection.attribution.passes import Passes, batches, checked, log_probability, other_token, reachable, text_and_target

VALUES = ("zero", "mean")


@dataclass(frozen=True, slots=True, eq=False)
class HeadAblation:
    """The measured effects of switching off heads. effects: float64 [layers, heads], nats; positive: the head spoke for the token.

    log_probability: of the target in the unchanged model, with `against` minus that of the other token.
    """

    effects: np.ndarray
    value: str
    log_probability: float


def head_ablation(
    model: LanguageModel, token_ids: Sequence[int] | np.ndarray, target_id: int, value: str = "zero", against: int | None = None
) -> HeadAblation:
    """Return log p(target) - log p(target without the head), for every head, switched off at every position of the text.

    value: what takes the place of the head's output: "zero", or "mean", its mean over the positions of this text.
    against: another token. Then log p(target) - log p(against) takes the place of log p(target).
    Raises ModelError with the reason if the heads cannot be separated, BadSetting, EmptyPrompt, BadToken, PromptTooLong, InputError,
    BrokenLogits, NoRoom.
    """
    ablator = Ablator(model, token_ids, target_id, value, against)
    effects = np.zeros((ablator.layers, ablator.heads))
    for some, measured in ablator.measure():
        for (layer, head), effect in zip(some, measured, strict=True):
            effects[layer, head] = effect
    return HeadAblation(effects, value, ablator.log_probability)


class Ablator:
    """Switches off heads of one text. layers, heads: their numbers. log_probability: see `HeadAblation`, nats."""

    def __init__(
        self, model: LanguageModel, token_ids: Sequence[int] | np.ndarray, target_id: int, value: str = "zero", against: int | None = None
    ) -> None:
        if value not in VALUES:
            raise BadSetting("{value} is not a value for a head that is switched off. Use zero or mean.", value=str(value)[:40])
        self._ids, self._target = text_and_target(model, token_ids, target_id)
        self._against = other_token(model, against, self._target)
        self._passes = Passes(model)
        with self._passes.turn():
            self._parts = head_outputs(self._passes.network, model.shape)
        self.layers, self.heads = len(self._parts), self._parts[0].heads
        means: list[torch.Tensor] = []
        hooks = [_note_mean(part, means) for part in self._parts] if value == "mean" else []
        self.logits = self._passes.logits(self._ids[None], hooks)
        self._means = means or [torch.zeros(part.heads, part.size) for part in self._parts]
        self.log_probability = reachable(self._score(self.logits)[0], model, self._target, self._against)

    def _score(self, logits: torch.Tensor) -> np.ndarray:
        return log_probability(logits, self._target, self._against)

    def measure(self) -> Iterator[tuple[list[Head], np.ndarray]]:
        """Yield some heads, each switched off alone, and their effects, batch after batch."""
        every = [(layer, head) for layer in range(self.layers) for head in range(self.heads)]
        for rows in batches(len(every), len(self._ids)):
            some = [every[row] for row in rows]
            logits = self._pass([[head] for head in some])
            yield some, self.log_probability - self._score(logits)

    def without(self, heads: Iterable[Head]) -> torch.Tensor:
        """Return the logits, float32 [vocabulary], with all these heads switched off. Raises InputError for a head that is not there."""
        return self._pass([checked_heads(heads, self.layers, self.heads)])[0]

    def _pass(self, rows: Sequence[Sequence[Head]]) -> torch.Tensor:
        """Return logits [rows, vocabulary]; each row has its own heads switched off."""
        off = torch.zeros((len(rows), self.layers, self.heads), dtype=torch.bool)
        for row, heads in enumerate(rows):
            for layer, head in heads:
                off[row, layer, head] = True
        device = self._passes.model.engine.device
        hooks = [
            switch_off(part, off[:, layer].to(device), mean)
            for layer, (part, mean) in enumerate(zip(self._parts, self._means, strict=True))
            if bool(off[:, layer].any())
        ]
        texts = np.repeat(self._ids[None], len(rows), 0)
        with self._passes.turn():
            return checked(self._passes.forward(hooks, input_ids=self._passes.tensor(texts)))


def _note_mean(part: HeadOutputs, means: list[torch.Tensor]) -> Hook:
    """Return the hook that notes each head's mean output over the positions of a text: [heads, size]."""

    def before(arguments: tuple[object, ...], named: dict[str, object]) -> None:
        means.append(input_of(arguments, named).reshape(-1, part.heads, part.size).mean(0))

    return Hook(part.projection, before=before)
