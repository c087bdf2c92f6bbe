"""Step records as pandas tables, one function per chart. The tables hold only values of the record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from core.record.step import Step, TokenDistribution
from core.record.step_rows import EVERYTHING_ELSE

NOT_IN_FILE = "not in this file"


def stages_table(distribution: TokenDistribution) -> pd.DataFrame:
    """Return one row per stage and listed token. Columns: stage, setting, kept, entropy (bits), token_id (its key), piece, probability."""
    listed = [distribution.vocabulary.token(int(i)).piece for i in distribution.token_ids]
    rows = [
        (stage.name, stage.setting, stage.kept, stage.entropy, key, token, probability)
        for stage in distribution.stages
        for (key, probability), token in zip([*stage.candidates.items(), (-1, stage.rest)], [*listed, EVERYTHING_ELSE], strict=True)
    ]
    return pd.DataFrame(rows, columns=["stage", "setting", "kept", "entropy", "token_id", "piece", "probability"])


def steps_table(path: Sequence[Step]) -> pd.DataFrame:
    """Return one row per step. Probabilities 0-1, entropies and surprise in bits, cache in bytes (in use; held), time in seconds.

    Values that a server did not report, or that a saved answer does not contain, are missing.
    """
    passes = [s.forward for s in path]
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
        "computed_tokens": [d.computed_tokens if d.counted else None for d in passes],
        "reused_tokens": [d.reused_tokens if d.counted else None for d in passes],
        "cache_bytes": [d.cache_bytes if d.counted else None for d in passes],
        "held_bytes": [d.held_bytes for d in passes],
        "seconds": [d.seconds if d.measured else None for d in passes],
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
