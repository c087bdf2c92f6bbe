"""The same step under two settings: one pass of the model, one roll, two distributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.generation.generation import Generation
from core.record.step import Step, TokenDistribution
from core.sampling import dice, stages
from core.sampling.settings import SamplingSettings
from core.sampling.stages import sampling_probabilities
from core.sources.source import Forward


@dataclass(frozen=True, slots=True)
class TwoSettings:
    """first, second: the step as each settings would make it; they are not part of the run. Both have the same roll.

    moved: probability that is distributed otherwise, 0 to 1 (total variation). divergence: Jensen-Shannon divergence in bits, 0 to 1.
    exact: False if a server's short list makes both numbers estimates.
    """

    first: Step
    second: Step
    moved: float
    divergence: float
    exact: bool


def two_settings(run: Generation, seen: TokenDistribution, first: SamplingSettings, second: SamplingSettings) -> TwoSettings:
    """Return a step of the current path, or the next one, under two settings. The model's pass is shared; the run does not change.

    The roll is the one that this step had, with the seed of the run's settings for a step without dice. Raises what `next_distribution`
    raises, and BadSetting.
    """
    with run.turn:
        forward = run.forward_before(seen.index)
        attempt = seen.attempt if isinstance(seen, Step) else 0
        own_roll = seen.roll if isinstance(seen, Step) else None
        roll = dice.roll(run.settings.seed, seen.index, attempt) if own_roll is None else own_roll
        first_step, second_step = (_step(run, forward, seen, settings, roll, attempt) for settings in (first, second))
        p, q = (sampling_probabilities(forward.logits.values, asked, run.history(asked, seen.index)) for asked in (first, second))
    return TwoSettings(first_step, second_step, float(np.abs(p - q).sum()) / 2, jensen_shannon(p, q), forward.logits.top_logprobs is None)


def _step(run: Generation, forward: Forward, seen: TokenDistribution, settings: SamplingSettings, roll: float, attempt: int) -> Step:
    greedy, logits = settings.greedy, forward.logits
    text = run.history(settings, seen.index)
    observation = stages.observe(logits.values, settings, text, logits.listing(run.top_n), roll=None if greedy else roll, greedily=greedy)
    return Step(
        index=seen.index,
        position=seen.position,
        settings=settings,
        forward=forward.measured,
        vocabulary=run.vocabulary,
        **logits.fields(observation),
        text=run.vocabulary.token(observation.chosen).text,
        chosen_by="greedy" if greedy else "sampled",
        roll=None if greedy else roll,
        attempt=0 if greedy else attempt,
        before=run.path[seen.index - 1] if seen.index else run.prompt,
    )


def jensen_shannon(p: np.ndarray, q: np.ndarray) -> float:
    """Return the Jensen-Shannon divergence in bits of two distributions, float64 [vocabulary]: 0 if equal, 1 if they share no token.

    >>> jensen_shannon(np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.0, 1.0]))
    1.0
    """
    m = (p + q) / 2
    return float(sum((x[x > 0] * np.log2(x[x > 0] / m[x > 0])).sum() for x in (p, q)) / 2)
