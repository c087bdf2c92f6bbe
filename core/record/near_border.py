"""Choices that would fall otherwise if the log-probabilities were a little different, as those of a server with a 16-bit cache are."""

from __future__ import annotations

import math

from core.record.step import Candidate, Step

ROUNDING = 1e-6  # of a place on the strip


def is_close(step: Step, error: float) -> bool:
    """Return whether another token could have been chosen if every log-probability were up to `error` nats off."""
    if neighbour(step, error) is not None:
        return True
    if error <= 0 or step.roll is None:
        return False
    before, after = _sides(step, error)
    return before or after


def neighbour(step: Step, error: float) -> Candidate | None:
    """Return the listed token that could have been chosen if every log-probability were up to `error` nats off; None if none is so near.

    For a roll: a border of the strip at c moves by at most 2 e c (1 - c), where e is the error after the temperature, or by e c if the
    server did not list all tokens, because its list is then not normalised. Two tokens whose log-probabilities differ by less than 2 e
    can change places. For greedy: the second token is as near as that.
    """
    if error <= 0:
        return None
    if step.roll is None:
        return _second(step, error) if step.chosen_by == "greedy" else None
    strip = sorted(
        (candidate for candidate in step.candidates if candidate.dice_start is not None), key=lambda candidate: candidate.dice_start or 0.0
    )
    index = next((number for number, candidate in enumerate(strip) if candidate.key == step.key), None)
    if index is None:
        return None
    taken, (before, after) = strip[index], _sides(step, error)
    for near, other in ((before, strip[index - 1] if index else None), (after, strip[index + 1] if index + 1 < len(strip) else None)):
        if other is not None and _touch(taken, other) and (near or _equal(taken, other, 2 * _spread(step, error))):
            return other
    return None


def _touch(candidate: Candidate, other: Candidate) -> bool:
    """Return whether no unlisted token is between the segments of these two."""
    first, second = sorted((candidate, other), key=lambda one: one.dice_start or 0.0)
    return abs((first.dice_start or 0.0) + first.sampling_probability - (second.dice_start or 0.0)) < ROUNDING


def _equal(candidate: Candidate, other: Candidate, error: float) -> bool:
    """Return whether the log-probabilities of these two differ by less than the error."""
    return abs(math.log(candidate.sampling_probability) - math.log(other.sampling_probability)) < error


def _spread(step: Step, error: float) -> float:
    """Return the error of a log-probability after the temperature, at most 100."""
    return min(100.0, error / max(step.settings.temperature, 1e-3))


def _sides(step: Step, error: float) -> tuple[bool, bool]:
    """Return whether the roll is so near to the start, and to the end, of the chosen token's segment that this border could pass it."""
    start, roll = step.chosen.dice_start, step.roll
    if start is None or roll is None:
        return False, False
    end, spread = start + step.sampling_probability, _spread(step, error)
    complete = not 0 < step.top_logprobs_count < step.stage_kept[0]

    def reach(border: float) -> float:
        return spread * border * max(2 * (1 - border), 0.0 if complete else 1.0)

    return start > 0 and roll - start < reach(start), end < 1 and end - roll < reach(end)


def _second(step: Step, error: float) -> Candidate | None:
    before = step.probabilities[-2]  # the last stage leaves the chosen token alone
    order = before.argsort()[::-1]
    if len(order) < 2 or before[order[1]] <= 0:
        return None
    return step.candidates[int(order[1])] if math.log(before[order[0]] / before[order[1]]) < 2 * error else None
