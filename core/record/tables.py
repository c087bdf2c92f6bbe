"""Step records as pandas tables, one function per chart. The tables hold only values of the record."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from core.record.step import Step, TokenDistribution
from core.record.step_rows import label_of

REST = "everything else"
NOT_IN_FILE = "not in this file"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would compute
SLIVER = 1e-6  # a narrower gap on the strip is a rounding error, not a token
MOST_SINGLE = 24  # tokens with a segment of their own; later ones would be too narrow to see


@dataclass(frozen=True, slots=True)
class DiceSegment:
    """A drawn part of the dice strip from `start` to `end`: one token, or with key -1 several neighbours that were not chosen."""

    key: int
    label: str
    start: float
    end: float
    chosen: bool = False


def csv_text(table: pd.DataFrame) -> str:
    """Return a table as CSV (RFC 4180) that spreadsheets open as it is.

    It begins with a byte order mark, so that they read it as UTF-8. A text that begins with = + - @ or a tab gets an apostrophe, so that
    they do not compute it.
    """
    safe = table.copy()
    for name in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[name]):
            safe[name] = [f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell for cell in safe[name]]
    return "\ufeff" + safe.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")


def dice_segments(distribution: TokenDistribution) -> list[tuple[int, str, float, float, float, bool]]:
    """Return the 0-1 strip of the dice: a segment per listed token that can be chosen, likeliest first, and per gap of unlisted tokens.

    A segment is key (-1 for unlisted tokens), displayed token, start, end, probability, chosen.
    """
    if distribution.is_open and np.isnan(distribution.dice_starts).all():  # a server chose the token, so there are no dice
        return []
    taken = distribution.key if isinstance(distribution, Step) else None
    rows: list[tuple[int, str, float, float, float, bool]] = []
    reached = 0.0
    for column in np.argsort(distribution.dice_starts, kind="stable")[
        : np.count_nonzero(~np.isnan(distribution.dice_starts))
    ]:  # NaN comes last
        key, start, share = (
            int(distribution.token_ids[column]),
            float(distribution.dice_starts[column]),
            float(distribution.probabilities[-1, column]),
        )
        if start - reached > SLIVER:
            rows.append((-1, REST, reached, start, start - reached, False))
        reached = min(1.0, start + share)
        rows.append((key, distribution.vocabulary.token(key).piece, start, reached, share, key == taken))
    if 1.0 - reached > SLIVER and distribution.rest_sampling_probability > 0:
        rows.append((-1, REST, reached, 1.0, 1.0 - reached, False))
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


def stages_table(distribution: TokenDistribution) -> pd.DataFrame:
    """Return one row per stage and listed token. Columns: stage, setting, kept, entropy (bits), token_id (its key), piece, probability."""
    listed = [distribution.vocabulary.token(int(i)).piece for i in distribution.token_ids]
    rows = [
        (stage.name, stage.setting, stage.kept, stage.entropy, key, token, probability)
        for stage in distribution.stages
        for (key, probability), token in zip([*stage.candidates.items(), (-1, stage.rest)], [*listed, REST], strict=True)
    ]
    return pd.DataFrame(rows, columns=["stage", "setting", "kept", "entropy", "token_id", "piece", "probability"])


def steps_table(path: Sequence[Step]) -> pd.DataFrame:
    """Return one row per step. Probabilities 0-1, entropies and surprise in bits, cache in bytes (in use; held), time in seconds.

    Values that a server did not report, or that a saved answer does not contain, are missing.
    """
    done = [s.forward for s in path]
    columns: dict[str, list[Any]] = {
        "index": [s.index for s in path],
        "position": [s.position if s.forward.has_facts else None for s in path],
        "token_id": [s.token_id for s in path],
        "piece": [s.piece for s in path],
        "text": [s.text for s in path],
        "model_probability": [s.model_probability for s in path],
        "sampling_probability": [s.sampling_probability for s in path],
        "rank": [s.rank or None for s in path],
        "chosen_by": [s.chosen_by for s in path],
        "roll": [s.roll for s in path],
        "model_entropy": [s.model_entropy for s in path],
        "sampling_entropy": [s.sampling_entropy for s in path],
        "surprise": [s.surprise for s in path],
        "computed_tokens": [d.computed_tokens if d.counted else None for d in done],
        "reused_tokens": [d.reused_tokens if d.counted else None for d in done],
        "cache_bytes": [d.cache_bytes if d.counted else None for d in done],
        "held_bytes": [d.held_bytes for d in done],
        "seconds": [d.seconds if d.measured else None for d in done],
        "settings": [repr(s.settings) if s.forward.has_facts else NOT_IN_FILE for s in path],
    }
    whole_numbers = ("position", "token_id", "rank", "computed_tokens", "reused_tokens", "cache_bytes", "held_bytes")
    missing = [name for name in whole_numbers if name == "held_bytes" or any(value is None for value in columns[name])]
    return pd.DataFrame(columns).astype({"roll": "float64", "seconds": "float64", **dict.fromkeys(missing, "Int64")})


def candidates_table(path: Sequence[Step]) -> pd.DataFrame:
    """Return one row per step and listed token, the model's likeliest first. Probabilities 0-1; `chosen` marks the token of the step.

    A column `fact` is there if the source says what stands behind its probabilities.
    """
    rows = [
        (
            step.index,
            candidate.token_id,
            candidate.piece,
            candidate.rank or None,
            candidate.logit,
            candidate.model_probability,
            candidate.sampling_probability,
            candidate.removed_by or "",
            candidate.key == step.key,
            candidate.fact,
        )
        for step in path
        for candidate in step.candidates
    ]
    names = ["index", "token_id", "piece", "rank", "logit", "model_probability", "sampling_probability", "excluded_by", "chosen", "fact"]
    table = pd.DataFrame(rows, columns=names).astype({"token_id": "Int64", "rank": "Int64"})
    return table if any(step.facts for step in path) else table.drop(columns="fact")
