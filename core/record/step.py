"""Step record: token distribution before and after every sampling stage, the chosen token, computed and reused tokens of the pass.

A record stores small arrays from the real forward pass. Texts, candidates and stages become objects when they are read, so that recording
a step is cheap even for the smallest model.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache, partial
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from core.errors import BadToken
from core.message import Message, percent
from core.sampling.settings import SamplingSettings
from core.tokens.token_text import Token, known_id


class FrozenArrays:
    """Base of frozen, slotted dataclasses with arrays.

    All arrays are read-only after construction. A copy returns the record itself; a pickle holds its fields.
    """

    __slots__: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for name in _arrays(kind):
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self._pickled()), ()

    def _pickled(self) -> dict[str, Any]:
        """Return the fields by name, as stored in a pickle."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


@cache
def _arrays(kind: type[Any]) -> tuple[str, ...]:
    """Return the fields that are arrays, inherited ones included. Cached, because every step creates a record."""
    return tuple(field.name for field in fields(kind) if "ndarray" in str(field.type))


class Vocabulary(Protocol):
    """Looks up tokens for a record; a model and a recording both do."""

    def token(self, token_id: int) -> Token:
        """Return the token with this key, without context."""


@dataclass(frozen=True, slots=True)
class ForwardPass:
    """Measurements of one forward pass. computed_tokens + reused_tokens = tokens before the step.

    cache_bytes: bytes of these tokens' keys and values after the pass. server_seconds: the duration that an inference server reports, part
    of the `seconds` measured here; None for a local model. held_bytes: measured size of the allocated arrays, including their reserve; None
    on a server (whose cache_bytes are an assumption), or in an old recording. has_facts: False for a token of a saved answer, whose file
    has neither settings nor measurements.
    """

    computed_tokens: int
    reused_tokens: int
    cache_bytes: int
    seconds: float
    queue_seconds: float = 0.0
    server_seconds: float | None = None
    held_bytes: int | None = None
    has_facts: bool = True

    @property
    def counted(self) -> bool:
        """Whether the tokens of the pass were counted. Some servers do not report them."""
        return self.computed_tokens + self.reused_tokens > 0

    @property
    def measured(self) -> bool:
        """Whether the pass was measured. A saved answer of a server contains neither counts nor times."""
        return self.counted or self.seconds > 0


@dataclass(frozen=True, slots=True)
class Words:
    """A fixed set of tokens: the vocabulary of a record without its model. end_token_ids: those that end a text."""

    tokens: dict[int, Token]
    end_token_ids: frozenset[int] = frozenset()

    def token(self, token_id: int) -> Token:
        """Return the token of this id, without context. Raises BadToken for an id outside of the set."""
        if token_id not in self.tokens:
            raise BadToken("This record does not contain token id {number}.", number=token_id)
        return self.tokens[token_id]

    def __repr__(self) -> str:
        return f"Words({len(self.tokens)} tokens)"


@dataclass(frozen=True, slots=True, repr=False)
class Candidate:
    """A token with its probabilities at one step. key: its number in `TokenDistribution.token_ids`.

    logit: the model's own; from a server it is a log-probability, which differs by a constant.
    model_probability: softmax of the model's own logits. sampling_probability: after your settings (0 if excluded).
    removed_by: the stage that excluded it, or None. dice_start: where its segment begins on the 0-1 strip of the dice, or None.
    fact: what stands behind its model_probability, such as the counts of an n-gram model; "" if the source says nothing.
    """

    key: int
    text: str
    piece: str
    rank: int
    logit: float
    model_probability: float
    sampling_probability: float
    removed_by: str | None
    dice_start: float | None
    fact: str = ""

    @property
    def token_id(self) -> int | Any:
        """Id of the token; None if only its bytes are known."""
        return known_id(self.key)

    def __repr__(self) -> str:
        gone = f", removed by {self.removed_by}" if self.removed_by else ""
        return f"Candidate({self.token_id}, {self.piece!r}, {percent(self.model_probability)}, rank {self.rank}{gone})"


@dataclass(frozen=True, slots=True, repr=False)
class Stage:
    """The probabilities after one stage of sampling.

    kept: tokens that can still be chosen. entropy: bits. candidates: token id -> probability after this stage, of the listed tokens.
    rest: probability of all other tokens.
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
    """The next-token probabilities of one step, before a token is chosen.

    index: 0.. among generated tokens. position: tokens before it. Arrays have one row per stage and one column per listed token, the
    model's likeliest first. The first stage is "model", the last one has the probabilities that the dice use. `token_ids` has the tokens'
    keys: their ids, or numbers of the app's own for tokens of which only the bytes are known. NaN: the probability was not measured.

    top_logprobs_count: how many tokens an inference server listed, 0 for a local model with all tokens. stage_exact: per stage, whether its
    probabilities are exact nevertheless; see `core.record.unlisted_bounds`.
    """

    index: int
    position: int
    settings: SamplingSettings
    forward: ForwardPass
    vocabulary: Vocabulary
    token_ids: np.ndarray  # int64 [listed]
    ranks: np.ndarray  # int64 [listed], 1 = the model's likeliest, 0 = not measured
    logits: np.ndarray  # float64 [listed]
    probabilities: np.ndarray  # float64 [stages, listed]
    removed_at: np.ndarray  # int64 [listed], index of the stage that excluded the token, -1 = not excluded
    dice_starts: np.ndarray  # float64 [listed], NaN = not on the strip
    stage_names: tuple[str, ...]
    stage_settings: tuple[float | None, ...]
    stage_kept: tuple[int, ...]
    stage_entropies: tuple[float, ...]  # bits
    top_logprobs_count: int = 0
    stage_exact: tuple[bool, ...] = ()
    facts: tuple[str, ...] = ()  # of the listed tokens; () if the source says nothing
    _repr_html_: ClassVar[Callable[..., str]]  # added by `core.reports.methods`

    def __repr__(self) -> str:
        first = [
            f"{self._piece(column)!r} {percent(float(self.probabilities[0, column]))}" for column in range(min(3, len(self.token_ids)))
        ]
        return f"TokenDistribution({self.index}, {', '.join(first)}, ...)"

    def _pickled(self) -> dict[str, Any]:
        listed = {int(i): self.vocabulary.token(int(i)) for i in self.token_ids}
        return FrozenArrays._pickled(self) | {"vocabulary": Words(listed)}

    def _piece(self, column: int) -> str:
        return self.vocabulary.token(int(self.token_ids[column])).piece

    @property
    def exact(self) -> bool:
        """Whether all probabilities are exact; False if some are estimated from a server's short list."""
        return all(self.stage_exact)

    @property
    def is_open(self) -> bool:
        """Whether the size of the vocabulary is unknown, so that all unlisted tokens count as one."""
        return self.top_logprobs_count > 0 and self.stage_kept[0] <= len(self.token_ids) + 1

    @property
    def note(self) -> str:
        """A sentence that says which numbers are estimates and why; empty if none is."""
        return _note(self) if self.top_logprobs_count else ""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The listed tokens, the model's likeliest first."""
        return tuple(map(self.candidate, range(len(self.token_ids))))

    def candidate(self, column: int) -> Candidate:
        """Return the listed token of this column."""
        token = self.vocabulary.token(int(self.token_ids[column]))
        removed_at, start = int(self.removed_at[column]), float(self.dice_starts[column])
        return Candidate(
            key=token.key,
            text=token.text,
            piece=token.piece,
            rank=int(self.ranks[column]),
            logit=float(self.logits[column]),
            model_probability=float(self.probabilities[0, column]),
            sampling_probability=float(self.probabilities[-1, column]),
            removed_by=self.stage_names[removed_at] if removed_at >= 0 else None,
            dice_start=None if math.isnan(start) else start,
            fact=self.facts[column] if self.facts else "",
        )

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The sampling stages in order."""
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
    def moved_by(self) -> tuple[str, ...]:
        """The stages because of which greedy takes another token than the model's likeliest, () if it takes that one or if dice decide."""
        if not self.settings.greedy or self.stage_names[-1] != "greedy":
            return ()
        return () if int(self.ranks[int(self.probabilities[-1].argmax())]) <= 1 else self.stage_names[1:-1]

    @property
    def model_entropy(self) -> float:
        """Entropy of the model's probabilities in bits: 0 = certain, 1 = a fair coin, 3 = eight equal choices."""
        return self.stage_entropies[0]

    @property
    def sampling_entropy(self) -> float:
        """Entropy of the probabilities after your settings, in bits."""
        return self.stage_entropies[-1]

    @property
    def rest_model_probability(self) -> float:
        """Model's probability of all unlisted tokens together."""
        return self._rest(0)

    @property
    def rest_sampling_probability(self) -> float:
        """Probability after your settings of all unlisted tokens together."""
        return self._rest(-1)

    def _rest(self, row: int) -> float:
        """Return the probability of unlisted tokens: exactly 0 if the stage keeps no more than the listed ones, without rounding errors."""
        if np.isnan(self.probabilities[row]).all():
            return math.nan
        if self.stage_kept[row] <= int(np.count_nonzero(self.probabilities[row])):
            return 0.0
        return max(0.0, 1.0 - float(np.nansum(self.probabilities[row])))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Step(TokenDistribution):
    """One generated token: the probabilities it came from and how it was chosen.

    key, text: the token and what it adds to the readable text. chosen_by: "sampled", "greedy", "forced" by a person, "budget" if the
    budget for thoughts forced it, or "server" for the own choice of an inference server. roll: the number in [0, 1) that selected it, None
    unless sampled. attempt: 0 for the first roll at this step, 1 for the next, ...
    before: the step before it, or the prompt for the first step. A pickle does not hold it.
    """

    key: int
    text: str
    chosen_by: str
    roll: float | None
    attempt: int
    before: Step | str = ""
    to_image: ClassVar[Callable[..., None]]  # added by `core.reports.methods`

    def __repr__(self) -> str:
        return f"Step({self.index}, {self.piece!r}, {percent(self.model_probability)}, rank {self.rank}, {self.chosen_by})"

    @property
    def is_forced(self) -> bool:
        """Whether a person or the budget for thoughts chose the token, and neither dice nor a rule."""
        return self.chosen_by in ("forced", "budget")

    def _pickled(self) -> dict[str, Any]:
        return TokenDistribution._pickled(self) | {"before": ""}

    def sentence(self, most: int) -> tuple[str, list[Step]]:
        """Return the text up to this step: the prompt ("…" if more than `most` steps were written) and at most `most` steps."""
        path, before = [self], self.before
        while not isinstance(before, str) and len(path) < most:
            path.append(before)
            before = before.before
        return before if isinstance(before, str) else "…", path[::-1]

    @property
    def token_id(self) -> int | Any:
        """Id of the chosen token; None if only its bytes are known."""
        return known_id(self.key)

    @property
    def chosen(self) -> Candidate:
        """The chosen token as a candidate."""
        return self.candidate(self.chosen_column)

    @property
    def chosen_column(self) -> int:
        """Column of the chosen token among the listed ones."""
        return int(np.flatnonzero(self.token_ids == self.key)[0])

    @property
    def piece(self) -> str:
        """How the token is displayed, with visible whitespace and bytes."""
        return self.vocabulary.token(self.key).piece

    @property
    def raw(self) -> bytes:
        """Bytes of the token."""
        return self.vocabulary.token(self.key).raw

    @property
    def rank(self) -> int:
        """The token's rank by the model's probability; 1 = likeliest, 0 = not measured."""
        return int(self.ranks[self.chosen_column])

    @property
    def model_probability(self) -> float:
        """Model's probability of the chosen token."""
        return float(self.probabilities[0, self.chosen_column])

    @property
    def sampling_probability(self) -> float:
        """Probability of the chosen token after your settings; 0 for a forced token that was excluded."""
        return float(self.probabilities[-1, self.chosen_column])

    @property
    def surprise(self) -> float:
        """Surprise of the chosen token in bits: -log2 of its model_probability. NaN if that was not measured."""
        probability = self.model_probability
        return -math.log2(probability) if probability > 0 else math.nan if math.isnan(probability) else math.inf


def _note(distribution: TokenDistribution) -> str:
    """Return one or two sentences that say which numbers of a step are estimates; empty if none is."""
    listed = distribution.top_logprobs_count
    if distribution.is_open and all(distribution.stage_exact):
        return Message(
            "The server lists {listed} tokens at this step. All other tokens are one row and count as one token in the entropy, which is "
            "therefore a lower bound.",
            listed=listed,
        )
    doubtful = [name for name, sure in zip(distribution.stage_names, distribution.stage_exact, strict=True) if not sure]
    if not doubtful and listed >= distribution.stage_kept[0]:
        return ""
    if "repetition penalty" in doubtful:
        return Message(
            "The repetition penalty needs raw logits, which a server does not give. From this stage on, the numbers are estimates."
        )
    if not doubtful:
        return Message(
            "The server lists its {listed} likeliest tokens; all others count as equally likely. The "
            "probabilities are as the server gives them; entropies that include the others are upper bounds.",
            listed=listed,
        )
    names = doubtful[0] if len(doubtful) == 1 else f"{', '.join(doubtful[:-1])} and {doubtful[-1]}"
    return Message(
        "The server lists its {listed} likeliest tokens; all others count as equally likely. So the numbers after {names} are estimates.",
        listed=listed,
        names=names,
    )
