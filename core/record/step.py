"""Step record: token distribution before and after every sampling stage, the token chosen, what the pass computed and reused.

A record keeps small arrays, made once from the real forward pass. Texts, candidates and stages become objects only when someone looks,
so that recording a step stays cheap beside the smallest model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from core.errors import BadToken
from core.language import N_, _
from core.record import rich
from core.record.frozen import FrozenArrays, percent
from core.settings import SamplingSettings
from core.tokens.tokens import Token


class Vocabulary(Protocol):
    """What a record needs to write its tokens: a model has it, and so has a recording."""

    def token(self, token_id: int) -> Token:
        """The token of this id, as it stands alone."""


@dataclass(frozen=True, slots=True)
class ForwardPass:
    """What one forward pass did. computed_tokens + reused_tokens = tokens before the step.

    cache_bytes: what the keys and values of these tokens take after the pass. server_seconds: what an inference server says it took, out of
    the `seconds` measured here; None where the model runs here. held_bytes: the size of the arrays that hold them, measured, with the room
    set aside for tokens to come; None where they lie on a server (whose cache_bytes are an assumption), or in a recording of before.
    """

    computed_tokens: int
    reused_tokens: int
    cache_bytes: int
    seconds: float
    queue_seconds: float = 0.0
    server_seconds: float | None = None
    held_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """How these tokens are written, and no others: all that a record needs of its model once it has left it."""

    tokens: dict[int, Token]

    def token(self, token_id: int) -> Token:
        """The token of this id, as it stands alone. Raises BadToken for one that is not among them."""
        if token_id not in self.tokens:
            raise BadToken(_("This record does not hold token number {number}.").format(number=token_id))
        return self.tokens[token_id]

    def __repr__(self) -> str:
        return f"Words({len(self.tokens)} tokens)"


@dataclass(frozen=True, slots=True, repr=False)
class Candidate:
    """A token the model considered.

    logit: the model's own number for it; a server tells only log-probabilities, which are logits less a number common to all.
    model_probability: softmax of the model's own logits. sampling_probability: what the dice use, after every setting (0 if removed).
    removed_by: the stage that removed it, or None. dice_start: where its segment begins on the 0-1 strip of the dice, or None.
    """

    token_id: int
    text: str
    piece: str
    rank: int
    logit: float
    model_probability: float
    sampling_probability: float
    removed_by: str | None
    dice_start: float | None

    def __repr__(self) -> str:
        gone = f", removed by {self.removed_by}" if self.removed_by else ""
        return f"Candidate({self.token_id}, {self.piece!r}, {percent(self.model_probability)}, rank {self.rank}{gone})"


@dataclass(frozen=True, slots=True, repr=False)
class Stage:
    """The odds after one stage of sampling.

    kept: tokens that can still be picked. entropy: bits. candidates: token id -> probability after this stage, of the listed ones.
    rest: probability of all that is not listed.
    """

    name: str
    setting: float | None
    kept: int
    entropy: float
    candidates: dict[int, float]
    rest: float

    def __repr__(self) -> str:
        setting = "" if self.setting is None else f" {self.setting:g}"
        return f"Stage({self.name}{setting}, {self.kept:,} kept, {self.entropy:.2f} bits)"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class TokenDistribution(FrozenArrays):
    """Everything known about the next token before the dice are thrown.

    index: 0.. among generated tokens. position: tokens before it. Arrays have one row per stage and one column per listed token, in the
    model's order of preference; the first stage is "model", the last one is what the dice use.

    top_logprobs_count: how many tokens an inference server listed, 0 if the model runs here and everything is known. stage_exact: per
    stage, whether its probabilities are certain all the same; see `core.record.top_logprobs`.
    """

    index: int
    position: int
    settings: SamplingSettings
    forward: ForwardPass
    vocabulary: Vocabulary
    token_ids: np.ndarray  # int64 [listed]
    ranks: np.ndarray  # int64 [listed], 1 = the model's favourite
    logits: np.ndarray  # float64 [listed]
    probabilities: np.ndarray  # float64 [stages, listed]
    removed_at: np.ndarray  # int64 [listed], index of the stage that removed the token, -1 = still in
    dice_starts: np.ndarray  # float64 [listed], NaN = not on the strip
    stage_names: tuple[str, ...]
    stage_settings: tuple[float | None, ...]
    stage_kept: tuple[int, ...]
    stage_entropies: tuple[float, ...]  # bits
    top_logprobs_count: int = 0
    stage_exact: tuple[bool, ...] = ()

    def __repr__(self) -> str:
        first = [
            f"{self._piece(column)!r} {percent(float(self.probabilities[0, column]))}" for column in range(min(3, len(self.token_ids)))
        ]
        return f"TokenDistribution({self.index}, {', '.join(first)}, ...)"

    def _repr_html_(self) -> str:
        """In a notebook: the bars."""
        return rich.framed(f"What comes next? Token {self.index + 1}", rich.bars(self))

    def _pickled(self) -> dict[str, Any]:
        listed = {int(i): self.vocabulary.token(int(i)) for i in self.token_ids}
        return FrozenArrays._pickled(self) | {"vocabulary": Words(listed)}

    def _piece(self, column: int) -> str:
        return self.vocabulary.token(int(self.token_ids[column])).piece

    @property
    def exact(self) -> bool:
        """Whether all probabilities are the model's own; False where a server's short list left something to be estimated."""
        return all(self.stage_exact)

    @property
    def note(self) -> str:
        """Which numbers are estimates and why, in a sentence; empty if none is."""
        return _note(self) if self.top_logprobs_count else ""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The listed tokens, the model's favourite first."""
        return tuple(self._candidate(column) for column in range(len(self.token_ids)))

    def _candidate(self, column: int) -> Candidate:
        token = self.vocabulary.token(int(self.token_ids[column]))
        removed_at, start = int(self.removed_at[column]), float(self.dice_starts[column])
        return Candidate(
            token_id=token.token_id,
            text=token.text,
            piece=token.piece,
            rank=int(self.ranks[column]),
            logit=float(self.logits[column]),
            model_probability=float(self.probabilities[0, column]),
            sampling_probability=float(self.probabilities[-1, column]),
            removed_by=self.stage_names[removed_at] if removed_at >= 0 else None,
            dice_start=None if math.isnan(start) else start,
        )

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The sampling stages in the order in which they acted."""
        ids = [int(i) for i in self.token_ids]
        return tuple(
            Stage(
                name=name,
                setting=self.stage_settings[row],
                kept=self.stage_kept[row],
                entropy=self.stage_entropies[row],
                candidates=dict(zip(ids, map(float, self.probabilities[row]), strict=True)),
                rest=self._rest(row),
            )
            for row, name in enumerate(self.stage_names)
        )

    @property
    def model_entropy(self) -> float:
        """How unsure the model is, in bits: 0 = certain, 1 = a fair coin, 3 = eight equal choices."""
        return self.stage_entropies[0]

    @property
    def sampling_entropy(self) -> float:
        """The entropy of what the dice use, in bits."""
        return self.stage_entropies[-1]

    @property
    def rest_model_probability(self) -> float:
        """What the model gives to all tokens that are not listed."""
        return self._rest(0)

    @property
    def rest_sampling_probability(self) -> float:
        """What the dice give to all tokens that are not listed."""
        return self._rest(-1)

    def _rest(self, row: int) -> float:
        """All that is not listed. A stage that keeps no more than what is listed leaves exactly nothing, whatever the rounding."""
        if self.stage_kept[row] <= int(np.count_nonzero(self.probabilities[row])):
            return 0.0
        return max(0.0, 1.0 - float(self.probabilities[row].sum()))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Step(TokenDistribution):
    """One token, written: the odds it came from and how it was picked.

    token_id, text: the token and what it adds to the readable text. chosen_by: "sampled", "greedy" or "forced".
    roll: the number in [0, 1) that picked it, None if greedy or forced. attempt: 0 for the first roll at this step, 1 for the next one, ...
    """

    token_id: int
    text: str
    chosen_by: str
    roll: float | None
    attempt: int

    def __repr__(self) -> str:
        return f"Step({self.index}, {self.piece!r}, {percent(self.model_probability)}, rank {self.rank}, {self.chosen_by})"

    def _repr_html_(self) -> str:
        """In a notebook: the bars, what was taken, and how."""
        how = self.chosen_by if self.roll is None else f"rolled {self.roll:.4f}"
        return rich.framed(f"Token {self.index + 1}: {self.piece} · {how}", rich.bars(self))

    @property
    def chosen(self) -> Candidate:
        """The token that was taken, as a candidate among the others."""
        return self._candidate(self.chosen_column)

    @property
    def chosen_column(self) -> int:
        """Which of the listed tokens was taken."""
        return int(np.flatnonzero(self.token_ids == self.token_id)[0])

    @property
    def piece(self) -> str:
        """How the token is written, whitespace and bytes made visible."""
        return self.vocabulary.token(self.token_id).piece

    @property
    def raw(self) -> bytes:
        """The token's bytes."""
        return self.vocabulary.token(self.token_id).raw

    @property
    def rank(self) -> int:
        """The token's place in the model's order of preference; 1 = its favourite."""
        return int(self.ranks[self.chosen_column])

    @property
    def model_probability(self) -> float:
        """What the model gave to the token that was taken."""
        return float(self.probabilities[0, self.chosen_column])

    @property
    def sampling_probability(self) -> float:
        """What the dice gave to the token that was taken; 0 if it was forced from among the removed."""
        return float(self.probabilities[-1, self.chosen_column])

    @property
    def surprise(self) -> float:
        """How surprising the token was to the model, in bits: -log2 of its model_probability."""
        probability = self.model_probability
        return -math.log2(probability) if probability > 0 else math.inf


def _note(distribution: TokenDistribution) -> str:
    """One sentence or two on which numbers of a step are estimates; empty if none is."""
    listed = distribution.top_logprobs_count
    doubtful = [name for name, sure in zip(distribution.stage_names, distribution.stage_exact, strict=True) if not sure]
    if not doubtful and listed >= distribution.stage_kept[0]:
        return ""
    if "repetition penalty" in doubtful:
        return N_("The repetition penalty works on raw logits, which a server keeps to itself: from there on the numbers are estimates.")
    if not doubtful:
        return N_(
            "The server lists its {listed} likeliest tokens; all others count as equally likely. The probabilities are exact, entropies "
            "that count the others are upper bounds."
        ).format(listed=f"{listed:,}")
    names = doubtful[0] if len(doubtful) == 1 else f"{', '.join(doubtful[:-1])} and {doubtful[-1]}"
    return N_(
        "The server lists its {listed} likeliest tokens; all others count as equally likely. That makes the numbers after {names} "
        "estimates."
    ).format(listed=f"{listed:,}", names=names)
