"""A saved answer of a server as a scored text: the probabilities are the file's own, and no model reads it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from core.generation.generation import Generation
from core.inspection.inside import Guess
from core.inspection.scoring import ScoredText, ScoredToken
from core.record.step import Step
from core.tokens.token_text import Token, known_id

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class ScoredAnswer(ScoredText):
    """A scored text whose tokens are steps of a record. In `tokens`, token_id is the key of the token."""

    steps: tuple[Step, ...] = ()

    def _token(self, position: int) -> ScoredToken:
        token, index = self.written[position], position - len(self.written) + len(self.steps)
        if index < 0 or math.isnan(self.steps[index].model_probability):
            return ScoredToken(position, token.key, token.text, token.piece, None, None, None, None, ())
        step = self.steps[index]
        listed = [candidate for candidate in step.candidates if not math.isnan(candidate.model_probability)]
        return ScoredToken(
            position=position,
            token_id=token.key,
            text=token.text,
            piece=token.piece,
            probability=step.model_probability,
            rank=step.rank,
            surprise=step.surprise,
            entropy=step.model_entropy,
            candidates=tuple(
                Guess(candidate.key, candidate.text, candidate.piece, candidate.rank, candidate.logit, candidate.model_probability)
                for candidate in listed
            ),
        )

    def table(self) -> pd.DataFrame:
        """Return the table of a scored text. Tokens without an id have none."""
        table = super().table()
        return table.assign(token_id=table.token_id.map(known_id).astype("Int64"))


def scored_answer(run: Generation) -> ScoredAnswer:
    """Return the tokens of this run up to its current node with the probabilities that it recorded."""
    path = run.path
    steps = [Token(step.key, step.text, step.piece, step.raw) for step in path]
    written = (*run.prompt_tokens, *steps)
    prompt = np.full(len(run.prompt_tokens), math.nan)
    with np.errstate(divide="ignore"):
        log_probabilities = np.concatenate([prompt, np.log(np.array([step.model_probability for step in path], dtype=np.float64))])
    nothing = np.zeros((len(written), 0))
    return ScoredAnswer(
        model=cast(Any, run).model,
        text=run.text,
        written=written,
        log_probabilities=log_probabilities,
        ranks=np.array([0] * len(prompt) + [step.rank for step in path], dtype=np.int64),
        entropies=np.concatenate([prompt, np.array([step.model_entropy for step in path], dtype=np.float64)]),
        top_ids=nothing.astype(np.int64),
        top_log_probabilities=nothing,
        window=max(1, len(written)),
        stride=max(1, len(written)),
        log_sums=np.zeros(len(written)),
        steps=tuple(path),
    )
