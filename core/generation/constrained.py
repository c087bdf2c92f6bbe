"""Where a constraint begins on a path of the tree, and whether the text fulfils it. Both follow from the record of each branch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.errors import BadSetting
from core.record.step import Step
from core.sampling.constraint.compiled import compiled
from core.sampling.history import History
from core.settings import SamplingSettings


def constrained_from(path: Sequence[Step], prompt_length: int, settings: SamplingSettings) -> int:
    """Return the index of the first token that the constraint covers, counted from the start of the prompt.

    These are the last steps that were made with this constraint. A constraint that was changed begins with the next token.
    """
    count = 0
    if settings.constraint:
        for step in reversed(path):
            if step.settings.constraint != settings.constraint:
                break
            count += 1
    return prompt_length + len(path) - count


def is_fulfilled(history: Callable[[], History], settings: SamplingSettings) -> bool:
    """Return whether the text is complete under its constraint; False without one, or for one that cannot be used."""
    if not settings.constraint:
        return False
    text = history()
    try:
        return compiled(text.vocabulary, settings.constraint).after(text.constrained_ids).complete
    except BadSetting:
        return False
