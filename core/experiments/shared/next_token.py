"""Write one more token of a text that must not end."""

from __future__ import annotations

from core.generation.generation import Generation
from core.record.step import Step


def next_token(run: Generation) -> Step | None:
    """Extend the run by one token and return the step; an end token is replaced by the likeliest other one. None if memory is full."""
    step = next(run.stream(1), None)
    if step is None:
        return None
    if run.finished != "end of text":
        return step
    others = [candidate.token_id for candidate in step.candidates if candidate.token_id not in run.model.end_token_ids]
    if not others:
        return step
    run.go_to(step.index - 1)
    return run.force(others[0])
