"""The observation of one sampling step as arrays, and how its token is selected."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import BadSetting, BrokenLogits
from core.message import Message

if TYPE_CHECKING:
    import torch

MOST_CANDIDATES = 1_000  # tokens of a step, without the chosen one
UNLIKELY_FIRST = frozenset({"constraint", "logit bias", "watermark"})  # stages after which unlikely tokens can be the ones that are chosen
GREEN, RED = Message("green list"), Message("red list")  # what a watermark says of a token
Processor = Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"]
ActiveStage = tuple[str, Any, Any]  # name, setting, and a Processor or a `core.sampling.samplers.contract.Sampler`


@dataclass(frozen=True, slots=True)
class Observation:
    """One observed step as small arrays on the host; see `core.record.step.TokenDistribution`. chosen is -1 if no token was selected."""

    token_ids: np.ndarray
    ranks: np.ndarray
    logits: np.ndarray
    probabilities: np.ndarray
    removed_at: np.ndarray
    dice_starts: np.ndarray
    stage_names: tuple[str, ...]
    stage_settings: tuple[float | None, ...]
    stage_kept: tuple[int, ...]
    stage_entropies: tuple[float, ...]
    chosen: int


@dataclass(frozen=True, slots=True)
class Selection:
    """How the token is selected: by this roll, forced, greedily, or (none of them) not at all."""

    roll: float | None = None
    forced: int | None = None
    greedily: bool = False

    @property
    def any(self) -> bool:
        """Whether a token is selected."""
        return self.roll is not None or self.forced is not None or self.greedily


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores after a stage, float [1, vocabulary]; -inf for excluded tokens."""

    name: str
    setting: float | None
    scores: torch.Tensor


def also_listed(stage_names: Iterable[str], top_n: int) -> int:
    """Return how many of the likeliest tokens after the last stage are listed beside the model's `top_n` likeliest ones."""
    return 0 if UNLIKELY_FIRST.isdisjoint(stage_names) else min(top_n, MOST_CANDIDATES - top_n)


def broken() -> BrokenLogits:
    """Return the error for NaN logits."""
    return BrokenLogits("The model returned NaN logits, so there are no probabilities. Try another model or precision.")


def nothing_left(stage: str) -> BadSetting:
    """Return the error for settings that exclude every token; stage: the name of the one that excluded the last."""
    return BadSetting("The settings leave no token to choose: {stage} excludes the last one. Weaken or remove it.", stage=stage)
