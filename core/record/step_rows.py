"""The rows that every drawing of a step shows: likely candidates with their probabilities before and after the settings, and the rest.

The charts, the stage, pictures, the offline page and notebooks draw these rows. A row has no language: each drawing writes its own texts.
The tint of a written token and what a constraint did to the step are computed here too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from core.record.step import Candidate, Step, TokenDistribution


MOST_DOUBT = 6.0  # bits of entropy at which the tint is full
PALEST, DEEPEST = 0.04, 0.38  # shares of the colour behind text
STAGE = "constraint"
FEWEST = 5  # candidates that keep a row even if unlikely ones are folded
WORTH_A_ROW = 0.01  # an excluded candidate is unlikely below this model's probability
SLIVER = 1e-6  # a narrower gap on the strip is a rounding error, not a token
MOST_SINGLE = 24  # tokens with a segment of their own; later ones would be too narrow to see
EVERYTHING_ELSE = "everything else"
REST = -1  # key of the row for all tokens without a row of their own
Kind = Literal["open", "removed", "rest"]
Unlikely = Literal["shown", "folded", "skipped"]


def tint_depth(step: Step, shows: str = "likely") -> float:
    """Return the share of the colour behind a token: `PALEST` to `DEEPEST`, 0 without a tint.

    shows: "likely" for the model's probability of the token, "unsure" for the entropy before it, "none". Not measured is `PALEST`.
    """
    if shows == "none":
        return 0.0
    share = measured(step.model_probability) if shows == "likely" else min(1.0, measured(step.model_entropy) / MOST_DOUBT)
    return PALEST + (DEEPEST - PALEST) * share


@dataclass(frozen=True, slots=True)
class Constrained:
    """excluded: probability, just before the constraint, of the tokens that it does not allow; at_least: the true one may be larger.

    allowed: number of tokens that it allows. wanted: the model's likeliest token if the constraint does not allow it, else None.
    """

    excluded: float
    at_least: bool
    allowed: int
    wanted: Candidate | None


def constrained(distribution: TokenDistribution) -> Constrained | None:
    """Return what the constraint did to this step, None without one."""
    if STAGE not in distribution.stage_names:
        return None
    row = distribution.stage_names.index(STAGE)
    before, after = distribution.probabilities[row - 1], distribution.probabilities[row]
    allowed = after > 0
    if allowed.any():  # the kept tokens were all scaled by the same factor
        best = int(after.argmax())
        excluded, at_least = 1.0 - float(before[best] / after[best]), False
    else:
        excluded, at_least = float(before.sum()), True
    wanted = distribution.candidate(0) if int(distribution.removed_at[0]) == row else None
    return Constrained(min(1.0, max(0.0, excluded)), at_least, distribution.stage_kept[row], wanted)


@dataclass(frozen=True, slots=True)
class StepRow:
    """One bar of a step. model, final: probability before and after the settings, NaN if not measured.

    piece: the displayed token, "" for the rest. excluded_by: the stages that excluded it, () if none did.
    segment: its start and end on the 0-1 strip of the dice, None if it is not on the strip. candidate: None for the rest.
    """

    key: int
    piece: str
    model: float
    final: float
    chosen: bool = False
    excluded_by: tuple[str, ...] = ()
    segment: tuple[float, float] | None = None
    candidate: Candidate | None = None

    @property
    def kind(self) -> Kind:
        """What its pale bar stands for: a token that can be chosen, an excluded one, or all tokens without a row."""
        return "rest" if self.candidate is None else "removed" if self.excluded_by else "open"

    @property
    def label(self) -> str:
        """The displayed token without its leading space."""
        return label_of(self.piece)

    @property
    def excluded(self) -> bool:
        """Whether nothing of its probability is left after the settings."""
        return self.final == 0 and self.model != 0

    @property
    def lengths(self) -> tuple[float, float]:
        """Lengths of both bars from 0 to 1: 0 for a probability that was not measured."""
        return measured(self.model), measured(self.final)


@dataclass(frozen=True, slots=True)
class StepRows:
    """The candidates with a row, the row of all other tokens, and how many unlikely candidates were folded into it."""

    listed: tuple[StepRow, ...]
    rest: StepRow
    folded: int

    @property
    def all(self) -> tuple[StepRow, ...]:
        """The candidates and the rest."""
        return (*self.listed, self.rest)


def step_rows(distribution: TokenDistribution | Step, count: int, unlikely: Unlikely = "shown") -> StepRows:
    """Return at most `count` candidates, the model's likeliest first, and the rest. Under a constraint the allowed tokens come first.

    A chosen token with a higher rank takes the last row. unlikely: excluded candidates below `WORTH_A_ROW` are "shown"; "folded" into the
    rest at the end of the list, but not the first `FEWEST` rows; or "skipped", so that later candidates take their rows.
    """
    columns = _Columns(distribution)
    ordered = range(len(columns.model))
    listed = sorted(ordered, key=columns.allowed_first) if STAGE in distribution.stage_names else list(ordered)
    if unlikely == "skipped":
        listed = [column for column in listed if not columns.is_unlikely(column)]
    listed = listed[:count]
    shown = _folded(listed, columns) if unlikely == "folded" else listed
    if columns.chosen >= 0 and columns.chosen not in listed:
        shown = [*shown[: count - 1], columns.chosen]
    return StepRows(tuple([_row(distribution, columns, column) for column in shown]), _rest(distribution, shown), len(listed) - len(shown))


def label_of(piece: str) -> str:
    """Return a displayed token as a label: without its leading space.

    >>> label_of("␣fox"), label_of("␣")
    ('fox', '␣')
    """
    return piece.removeprefix("␣") or piece


def measured(probability: float) -> float:
    """Return a probability, 0 if it was not measured."""
    return 0.0 if math.isnan(probability) else probability


class _Columns:
    """The listed tokens of a step by column, as plain numbers. Only a token with a row becomes a `Candidate`, because that reads its text.

    removed: index of the stage that excluded the token, -1 without one. chosen: column of the chosen token, -1 without one.
    """

    def __init__(self, distribution: TokenDistribution) -> None:
        self.model: list[float] = distribution.probabilities[0].tolist()
        self.final: list[float] = distribution.probabilities[-1].tolist()
        self.removed: list[int] = distribution.removed_at.tolist()
        self.chosen: int = getattr(distribution, "chosen_column", -1)

    def allowed_first(self, column: int) -> tuple[bool, float]:
        """Return by what the tokens are ordered under a constraint."""
        return self.removed[column] >= 0, -measured(self.final[column])

    def is_unlikely(self, column: int) -> bool:
        """Return whether this token is excluded, unlikely, and not the chosen one."""
        return self.removed[column] >= 0 and measured(self.model[column]) < WORTH_A_ROW and column != self.chosen


def _folded(listed: list[int], columns: _Columns) -> list[int]:
    """Return the columns without the unlikely ones at the end; all of them if that saves no row."""
    unfolded = len(listed)
    while unfolded > FEWEST and columns.is_unlikely(listed[unfolded - 1]):
        unfolded -= 1
    return listed[:unfolded] if len(listed) - unfolded > 1 else listed


def _row(distribution: TokenDistribution, columns: _Columns, column: int) -> StepRow:
    candidate = distribution.candidate(column)
    start, share = candidate.dice_start, candidate.sampling_probability
    return StepRow(
        key=candidate.key,
        piece=candidate.piece,
        model=candidate.model_probability,
        final=share,
        chosen=column == columns.chosen,
        excluded_by=_stages(distribution, candidate, columns),
        segment=None if start is None or not share > 0 else (start, min(1.0, start + share)),
        candidate=candidate,
    )


def _stages(distribution: TokenDistribution, candidate: Candidate, columns: _Columns) -> tuple[str, ...]:
    """Return the stages that excluded a candidate. Greedy excludes a likelier token because of the stages before it."""
    if candidate.removed_by == "greedy" and (moved := distribution.moved_by):
        taken = next(column for column, share in enumerate(columns.final) if share)
        if candidate.rank < int(distribution.ranks[taken]):
            return (*moved, "greedy")
    return () if candidate.removed_by is None else (candidate.removed_by,)


def _rest(distribution: TokenDistribution, shown: list[int]) -> StepRow:
    """Return the row of all tokens that are not shown. Both probabilities are NaN if the source measured no unlisted tokens."""
    hidden = np.ones(len(distribution.token_ids), dtype=bool)
    hidden[shown] = False
    model = distribution.rest_model_probability + float(np.nansum(distribution.probabilities[0, hidden]))
    final = measured(distribution.rest_sampling_probability) + float(np.nansum(distribution.probabilities[-1, hidden]))
    return StepRow(REST, "", model, math.nan if math.isnan(model) else final)


@dataclass(frozen=True, slots=True)
class DiceSegment:
    """A drawn part of the dice strip from `start` to `end`: one token, or with key -1 several neighbours that were not chosen."""

    key: int
    label: str
    start: float
    end: float
    chosen: bool = False


def dice_segments(distribution: TokenDistribution) -> list[tuple[int, str, float, float, float, bool]]:
    """Return the 0-1 strip of the dice: a segment per listed token that can be chosen, likeliest first, and per gap of unlisted tokens.

    A segment is key (-1 for unlisted tokens), displayed token, start, end, probability, chosen.
    """
    if distribution.is_open and np.isnan(distribution.dice_starts).all():  # a server chose the token, so there are no dice
        return []
    taken: int | None = getattr(distribution, "key", None)
    rows: list[tuple[int, str, float, float, float, bool]] = []
    reached = 0.0
    can_be_chosen = np.count_nonzero(~np.isnan(distribution.dice_starts))
    for column in np.argsort(distribution.dice_starts, kind="stable")[:can_be_chosen]:  # NaN comes last
        key, start = int(distribution.token_ids[column]), float(distribution.dice_starts[column])
        share = float(distribution.probabilities[-1, column])
        if start - reached > SLIVER:
            rows.append((REST, EVERYTHING_ELSE, reached, start, start - reached, False))
        reached = min(1.0, start + share)
        rows.append((key, distribution.vocabulary.token(key).piece, start, reached, share, key == taken))
    if 1.0 - reached > SLIVER and distribution.rest_sampling_probability > 0:
        rows.append((REST, EVERYTHING_ELSE, reached, 1.0, 1.0 - reached, False))
    return rows


def bundled_segments(distribution: TokenDistribution, unlikely: str) -> list[DiceSegment]:
    """Return the drawn segments: the largest tokens and the chosen one on their own, the others bundled under the label `unlikely`."""
    drawn: list[DiceSegment] = []
    singles = 0
    for key, token, start, end, _share, chosen in dice_segments(distribution):
        if key >= 0 and (chosen or singles < MOST_SINGLE):
            singles += not chosen
            drawn.append(DiceSegment(key, label_of(token), start, end, chosen))
        elif drawn and drawn[-1].key < 0:
            drawn[-1] = DiceSegment(-1, unlikely, drawn[-1].start, end)
        else:
            drawn.append(DiceSegment(-1, unlikely, start, end))
    return drawn
