"""Choices that would fall otherwise if the log-probabilities were a little different, as those of a server with a 16-bit cache are."""

from __future__ import annotations

import math

from core.record.step import Candidate, Step


def neighbour(step: Step, error: float) -> Candidate | None:
    """Return the token that could have been chosen if every log-probability were up to `error` nats off, None if none is so near.

    For a roll: a border of the strip at c moves by at most 2 e c (1 - c), where e is the error after the temperature. For greedy: the
    log-probability of the second token is less than twice the error below that of the first.
    """
    if error <= 0:
        return None
    if step.roll is None:
        return _second(step, error) if step.chosen_by == "greedy" else None
    reach = 2 * error / max(step.settings.temperature, 1e-3)
    strip = sorted((one for one in step.candidates if one.dice_start is not None), key=lambda one: one.dice_start or 0.0)
    place = next((number for number, one in enumerate(strip) if one.key == step.key), None)
    if place is None:
        return None
    start = strip[place].dice_start or 0.0
    end = start + strip[place].sampling_probability
    if place and step.roll - start < reach * start * (1 - start):
        return strip[place - 1]
    near_end = place + 1 < len(strip) and end - step.roll < reach * end * (1 - end)
    return strip[place + 1] if near_end else None


def _second(step: Step, error: float) -> Candidate | None:
    before = step.probabilities[-2]  # the last stage leaves the chosen token alone
    order = before.argsort()[::-1]
    if len(order) < 2 or before[order[1]] <= 0:
        return None
    return step.candidates[int(order[1])] if math.log(before[order[0]] / before[order[1]]) < 2 * error else None
