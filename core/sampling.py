"""From logits to a token: transformers' own processors, watched one by one, and dice that can be thrown again.

The processors and their order are those of `GenerationMixin._get_logits_processor` (transformers 5). Ours is only the watching: after each
of them the distribution is measured. On a CPU, tokens that a cut-off removed are not carried any further, since no later stage can bring
them back; that changes no number and saves most of the time. On a GPU everything stays on the device until one small copy at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from transformers.generation.logits_process import (
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)

from core import measured_on_cpu, measured_on_gpu
from core.errors import BadToken, BrokenLogits
from core.settings import SamplingSettings

Processor = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen at one step, as small arrays on the host; see `core.step.Odds` for their meaning. chosen is -1 before the roll."""

    token_ids: np.ndarray
    ranks: np.ndarray
    logits: np.ndarray
    probabilities: np.ndarray
    removed_at: np.ndarray
    dice_starts: np.ndarray
    stage_names: tuple[str, ...]
    stage_settings: tuple[float | None, ...]
    stage_kept: tuple[int, ...]
    stage_entropies: tuple[float, ...]
    chosen: int


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores after a stage: [1, kept] with the ids of what is kept, or [1, vocabulary] while nothing was left behind (ids None)."""

    name: str
    setting: float | None
    scores: torch.Tensor
    ids: torch.Tensor | None


@dataclass(frozen=True, slots=True)
class Pick:
    """How the token is to be picked: by this roll, by force, greedily, or (none of them) not at all."""

    roll: float | None = None
    forced: int | None = None
    greedily: bool = False

    @property
    def any(self) -> bool:
        """Whether one is picked."""
        return self.roll is not None or self.forced is not None or self.greedily


def roll(seed: int, step_index: int, attempt: int = 0) -> float:
    """The number in [0, 1) thrown at this step. It depends on these three alone: not on the device, the model or what was thrown before."""
    return float(np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, step_index, attempt]))).random())


def processors(settings: SamplingSettings) -> Iterator[tuple[str, float, Processor]]:
    """The active stages with their names and settings, in transformers' order. Greedy keeps the penalty and drops the warpers."""
    if settings.repetition_penalty != 1.0:
        yield "repetition penalty", settings.repetition_penalty, RepetitionPenaltyLogitsProcessor(settings.repetition_penalty)
    if settings.greedy:
        return
    if settings.temperature != 1.0:
        yield "temperature", settings.temperature, TemperatureLogitsWarper(settings.temperature)
    if settings.top_k > 0:
        yield "top-k", settings.top_k, TopKLogitsWarper(settings.top_k)
    if settings.top_p < 1.0:
        yield "top-p", settings.top_p, TopPLogitsWarper(settings.top_p)
    if settings.min_p > 0.0:
        yield "min-p", settings.min_p, MinPLogitsWarper(settings.min_p)
    if settings.typical_p < 1.0:
        yield "typical-p", settings.typical_p, TypicalLogitsWarper(settings.typical_p)


CUTS = frozenset({"top-k", "top-p", "min-p", "typical-p"})


def _watch(logits: torch.Tensor, settings: SamplingSettings, previous_ids: np.ndarray) -> list[Scores]:
    """The scores after every active stage, the model's own first."""
    scores, ids = logits[None], None
    on_cpu = logits.device.type == "cpu"
    seen = [Scores("model", None, scores, None)]
    for name, setting, process in processors(settings):
        kept = measured_on_cpu.nucleus(scores, setting) if on_cpu and name == "top-p" else None
        if kept is None:
            before = torch.from_numpy(previous_ids)[None].to(logits.device) if name == "repetition penalty" else scores
            scores = process(before, scores)
            if on_cpu and name in CUTS:
                kept = torch.from_numpy(np.flatnonzero(scores[0].numpy() > -math.inf))
        if kept is not None:
            if len(kept) == 0:  # nothing compares with NaN
                raise _broken()
            ids = kept if ids is None else ids[kept]
            scores = scores[:, kept]
        seen.append(Scores(name, setting, scores, ids))
    return seen


@torch.inference_mode()
def observe(
    logits: torch.Tensor,
    settings: SamplingSettings,
    previous_ids: np.ndarray,
    top_n: int,
    *,
    roll: float | None = None,
    forced: int | None = None,
    greedily: bool = False,
) -> Observation:
    """Watch the odds pass through every stage, and pick a token: by the roll, by force, greedily, or (given none of them) not at all.

    logits: float32 [vocabulary], the model's own. previous_ids: int64 [position], all tokens so far (the repetition penalty needs them).
    The dice go by inverse cumulative probability, largest first: the pick is the first token whose cumulative probability exceeds the roll.
    Raises BrokenLogits if the model answered with NaN, BadToken if the forced id is not in the vocabulary.
    """
    if logits.device.type == "mps":  # float64 does not exist there
        logits = logits.cpu()
    if forced is not None and not 0 <= forced < len(logits):
        raise BadToken(f"There is no token number {forced}: this model knows the numbers 0 to {len(logits) - 1}.")
    pick = Pick(roll, forced, greedily)
    seen = _watch(logits, settings, previous_ids)
    measure = measured_on_cpu.measure if logits.device.type == "cpu" else measured_on_gpu.measure
    table = measure(seen, pick, settings.greedy, top_n)
    return _unpack(table, min(top_n, len(logits)) + pick.any, seen, settings, pick.any)


def _unpack(table: np.ndarray, listed: int, seen: list[Scores], settings: SamplingSettings, picked: bool) -> Observation:
    """Make an observation, in the model's order of preference, of what was measured.

    In the table, one behind the other: the listed ids, the chosen one last if one was picked; where each begins on the strip of the dice;
    their scores at every stage; every stage's log-sum-exp, entropy in nats and count of what it kept; how many tokens are likelier than
    the last listed one.
    """
    count = len(seen)
    ids, starts, rest = table[:listed], table[listed : 2 * listed], table[2 * listed :]
    scores, (sums, entropies, kept), better = rest[: count * listed], rest[count * listed : -1].reshape(3, count), rest[-1]
    if np.isnan(sums).any() or np.isnan(entropies).any():
        raise _broken()
    scores = scores.reshape(count, listed)
    names = [stage.name for stage in seen]
    stage_settings = [stage.setting for stage in seen]
    probabilities = np.exp(scores - sums[:, None])
    alive = scores > -math.inf
    kept_counts, bits = kept.astype(np.int64).tolist(), (entropies / math.log(2)).tolist()
    if settings.greedy:
        only = ~np.isnan(starts)
        names, stage_settings = [*names, "greedy"], [*stage_settings, None]
        probabilities = np.vstack([probabilities, only.astype(float)])
        alive = np.vstack([alive, only])
        kept_counts, bits = [*kept_counts, 1], [*bits, 0.0]

    token_ids = ids.astype(np.int64)
    favourites = listed - picked
    order = np.lexsort((token_ids[:favourites], -scores[0, :favourites]))  # equal odds: lower id first
    ranks = np.arange(1, favourites + 1)
    chosen = int(token_ids[-1]) if picked else -1
    if picked and chosen not in token_ids[:favourites]:
        order, ranks = np.append(order, favourites), np.append(ranks, max(int(better), favourites) + 1)
    dead = ~alive[:, order]
    removed_at = np.where(dead.any(0), dead.argmax(0), -1)
    starts = np.where(alive[-1], starts, math.nan)
    return Observation(
        token_ids=token_ids[order],
        ranks=ranks,
        logits=scores[0, order],
        probabilities=probabilities[:, order],
        removed_at=removed_at,
        dice_starts=starts[order],
        stage_names=tuple(names),
        stage_settings=tuple(stage_settings),
        stage_kept=tuple(kept_counts),
        stage_entropies=tuple(bits),
        chosen=chosen,
    )


def _broken() -> BrokenLogits:
    return BrokenLogits(
        "The model answered with numbers that are not numbers (NaN): there are no odds to show. Try another model or precision."
    )
