"""What a stage may know about the text before the next token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from core.sampling.settings import LAST_N, SamplingSettings
from core.tokens.tokens import Token


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
