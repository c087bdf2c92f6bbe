"""What a sampling step observes: the text so far that its stages may know, its probabilities as arrays, and how its token is selected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from core.message import Message
from core.sampling.settings import LAST_N, SamplingSettings
from core.tokens.token_text import Token

if TYPE_CHECKING:
    import torch

MOST_CANDIDATES = 1_000  # tokens of a step, without the chosen one
UNLIKELY_FIRST = frozenset({"constraint", "logit bias", "watermark"})  # stages after which unlikely tokens can be the ones that are chosen
GREEN, RED = Message("green list"), Message("red list")  # what a watermark says of a token
Processor = Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"]
ActiveStage = tuple[str, Any, Any]  # name, setting, and a Processor or a `core.sampling.samplers.contract.Sampler`


class Tokens(Protocol):
    """Looks up tokens, as a model does."""

    def token(self, token_id: int) -> Token:
        """Return the token of this id, without context."""


@dataclass(frozen=True, slots=True)
class History:
    """The tokens so far.

    ids: int64 [position], prompt and text. prompt_length: how many of them are the prompt. raw_of: returns the bytes of a token id.
    mu: mirostat's limit in bits; None if the caller does not keep it from token to token. vocabulary: the model, for a constraint.
    constrained_from: the token with which the constraint begins, counted from the start of the prompt; None for the first generated one.
    """

    ids: np.ndarray
    prompt_length: int
    raw_of: Callable[[int], bytes]
    mu: float | None = None
    vocabulary: Any = None
    constrained_from: int | None = None

    @classmethod
    def of(
        cls,
        model: Tokens,
        ids: Sequence[int] | np.ndarray,
        prompt_length: int,
        mu: float | None = None,
        constrained_from: int | None = None,
    ) -> History:
        """Return the history of a text of this model."""
        return cls(np.asarray(ids, dtype=np.int64), prompt_length, lambda token_id: model.token(token_id).raw, mu, model, constrained_from)

    @property
    def constrained_ids(self) -> np.ndarray:
        """The tokens that a constraint covers, int64 [n]."""
        return self.ids[self.prompt_length if self.constrained_from is None else self.constrained_from :]

    @property
    def index(self) -> int:
        """The number of generated tokens, which is the index of the next step."""
        return len(self.ids) - self.prompt_length


def last_n(settings: SamplingSettings) -> int:
    """Return how many last tokens of prompt and text the penalties and DRY read; 0 if the order has no such number."""
    return settings.repeat_last_n or (LAST_N.get(settings.order, 0) if isinstance(settings.order, str) else 0)


def window(history: History, settings: SamplingSettings, generated_only: bool = False) -> np.ndarray:
    """Return the token ids that a penalty or DRY reads, int64: the last ones if their number is set, else the whole or generated text."""
    count = last_n(settings)
    if count:
        return history.ids[-count:]
    return history.ids[history.prompt_length :] if generated_only else history.ids


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


def also_listed(stage_names: Iterable[str], top_n: int) -> int:
    """Return how many of the likeliest tokens after the last stage are listed beside the model's `top_n` likeliest ones."""
    return 0 if UNLIKELY_FIRST.isdisjoint(stage_names) else min(top_n, MOST_CANDIDATES - top_n)
