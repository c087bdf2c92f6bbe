"""Write the same prompt in several columns with the same rolls; only model and settings differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.errors import BadSetting
from core.experiments.shared.result_file import StoredStep
from core.generation.generation import Generation
from core.message import Message
from core.record.step import Step
from core.sampling.settings import SamplingSettings

MOST_COLUMNS = 4
MOST_STEPS = 400


@dataclass(frozen=True, slots=True)
class Column:
    """A model and its settings."""

    model: LanguageModel
    settings: SamplingSettings


@dataclass(frozen=True, slots=True)
class ComparisonStep:
    """All columns after one more step. paths: steps of each. parts_at: for each, the first step that differs from the first column's (None
    if none does; always None for the first). finished: why each ended, or None.
    """

    paths: tuple[tuple[StoredStep, ...], ...]
    parts_at: tuple[int | None, ...]
    finished: tuple[str | None, ...]


def side_by_side(columns: Sequence[Column], prompt: str, steps: int = 40, top_n: int = 12) -> Iterator[ComparisonStep]:
    """Generate all columns, one token each in turn, with the same rolls; yield after every round. Only model and settings differ.

    Tokenizers can differ, so columns are compared by their text. If the models do not fit into memory together, the columns of the loaded
    model are completed before another model is loaded.
    Raises EmptyPrompt, PromptTooLong, BadSetting.
    """
    if not 1 <= len(columns) <= MOST_COLUMNS:
        raise BadSetting("Compare 1 to {most} columns, not {count}.", most=MOST_COLUMNS, count=len(columns))
    steps = whole_number(steps, Message("The length"), 1, MOST_STEPS)
    runs = [Generation(column.model, prompt, column.settings, top_n=top_n) for column in columns]
    try:
        while writing := [run for run in runs if run.finished is None and len(run.path) < steps]:
            # In turns, two models that do not fit into memory together would be loaded again for every token.
            here = [run for run in writing if not run.model.unloaded]
            for run in here or [run for run in writing if run.model is writing[0].model]:
                next(run.stream(1), None)
            paths = tuple(tuple(run.path) for run in runs)
            parts = tuple(None if i == 0 else parting_text(paths[0], path) for i, path in enumerate(paths))
            yield ComparisonStep(paths, parts, tuple(run.finished for run in runs))
    finally:
        for run in runs:
            run.release()


def parting_text(base: Sequence[Step], other: Sequence[Step]) -> int | None:
    """Return the index of the first step of `other` whose text differs from `base`; None if one text is the start of the other."""
    text = "".join(step.text for step in base)
    so_far = ""
    for index, step in enumerate(other):
        so_far += step.text
        if not (text.startswith(so_far) or so_far.startswith(text)):
            return index
    return None
