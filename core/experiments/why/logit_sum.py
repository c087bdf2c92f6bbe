"""Take a token's logit apart: what the embedding, each layer's attention and feed-forward, and each head add to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.engine.model import LanguageModel
from core.inspection.attribution.logit_parts import LogitPart, logit_parts


@dataclass(frozen=True, slots=True)
class LogitSum:
    """A logit as a sum. texts: the tokens of the text as they are shown; target: the token. parts: the summands in order of the network;
    heads: the same with one summand per attention head. logit: the network's own. against: another token, whose logit was
    subtracted from it.
    """

    texts: tuple[str, ...]
    target: str
    parts: tuple[LogitPart, ...]
    heads: tuple[LogitPart, ...]
    logit: float
    against: str = ""

    @property
    def sum(self) -> float:
        """The sum of the parts."""
        return sum(part.value for part in self.parts)


def logit_sum(
    model: LanguageModel,
    token_ids: Sequence[int] | np.ndarray,
    target_id: int,
    texts: Sequence[str] | None = None,
    against: int | None = None,
) -> Iterator[LogitSum]:
    """Yield the target's logit as a sum, once. Raises what `logit_parts` raises."""
    ids = [int(i) for i in token_ids]
    layers, heads = (logit_parts(model, ids, target_id, by_heads, against) for by_heads in (False, True))
    pieces, other = tuple(texts or (model.token(i).text for i in ids)), "" if against is None else model.piece(against)
    yield LogitSum(pieces, model.piece(target_id), layers.parts, heads.parts, layers.logit, other)
