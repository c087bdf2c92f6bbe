"""The watermark by transformers' processors: a green list (Kirchenbauer et al. 2023) or a tournament (Dathathri et al. 2024, SynthID).

What both do at a step follows from the key and the text alone, so a branch, a step back and a replay are marked alike. They are computed
on the CPU whatever the model's device is, because random numbers differ between devices, and a score needs the same ones.
With greedy there is no tournament: nothing is sampled. (transformers takes the winner, which is as random as a sampled token.)
"""

from __future__ import annotations

import math
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
import torch

from core.device import to_device
from core.message import Message
from core.sampling.observation import GREEN, RED, History, Processor
from core.sampling.samplers.contract import Sampler
from core.sampling.settings import SamplingSettings

ROUNDS = 30  # of the tournament, one key and one g-value for each; SynthID's own number
REMEMBERED = 1024  # contexts; in a repeated one the tournament is left out, as in transformers
MULTIPLIER = 6364136223846793005  # of the hash: `accumulate_hash`
_guard = Lock()  # a green list is drawn with a generator that threads share


class Watermark(Sampler):
    """Adds to the logits of the green list, or replaces the probabilities by those after a tournament."""

    stage = "watermark"

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        return lambda _ids, scores: _marked(self.settings, scores, mark_at(self.settings, history, scores.shape[-1]))

    def setting_at(self, history: History, setting: float) -> float:
        """Return what is added to the logits of the green list, or the number of rounds."""
        return self.settings.watermark_delta if self.settings.watermark == "green" else float(ROUNDS)


def mark_at(settings: SamplingSettings, history: History, size: int) -> np.ndarray | None:
    """Return which next tokens are on the green list, bool [size], or their g-values, float32 [rounds, size]; None at a step without."""
    if settings.watermark == "synthid":
        return _g_values(settings, history, size)
    if len(history.ids) < settings.watermark_context:
        return None
    return green_list(settings.watermark_key, settings.watermark_gamma, size, int(history.ids[-1]))


def facts_of(settings: SamplingSettings, history: History, size: int, token_ids: np.ndarray) -> tuple[str, ...]:
    """Return for each of these tokens whether it is on the green list, or its g-values; () for a step without a mark.

    settings: with a watermark. size: of the vocabulary.
    """
    mark = mark_at(settings, history, size) if len(history.ids) and "watermark" in settings.active_stages else None
    if mark is None:
        return ()
    if settings.watermark == "green":
        return tuple(GREEN if is_green else RED for is_green in mark[token_ids])
    sums = mark[:, token_ids].sum(0).astype(int).tolist()
    return tuple(Message("g-values: {count} of {total}", count=count, total=len(mark)) for count in sums)


def _marked(settings: SamplingSettings, scores: torch.Tensor, mark: np.ndarray | None) -> torch.Tensor:
    """Return scores [1, vocabulary] with the mark. A token whose probability falls to zero in the tournament is excluded."""
    if mark is None:
        return scores
    if settings.watermark == "green":
        return scores + settings.watermark_delta * to_device(mark, scores.device)[None].to(scores.dtype)
    if scores.device.type == "cpu":
        return torch.from_numpy(_after_rounds(scores[0].numpy(), mark))[None]
    process = tournament(settings.watermark_key, settings.watermark_context)
    after: torch.Tensor = process.update_scores(scores, to_device(mark, scores.device).T[None])
    return after.masked_fill(after <= torch.finfo(after.dtype).min, -math.inf)


@lru_cache(maxsize=256)
def green_list(key: int, gamma: float, size: int, before: int) -> np.ndarray:
    """Return which tokens are on the green list after the token `before`, bool [size]. Do not change the array."""
    with _guard:
        lifted = _lists(key, gamma, size)(torch.tensor([[before]]), torch.zeros(1, size))
    green: np.ndarray = lifted[0].numpy() > 0
    return green


@lru_cache(maxsize=16)
def _lists(key: int, gamma: float, size: int) -> Any:
    return configuration(SamplingSettings(watermark="green", watermark_key=key, watermark_gamma=gamma)).construct_processor(size, "cpu")


def configuration(settings: SamplingSettings) -> Any:
    """Return the watermark as a configuration of transformers: `generate(watermarking_config=...)`. SynthID's keys follow from ours."""
    from transformers.generation import SynthIDTextWatermarkingConfig, WatermarkingConfig  # slow to import

    if settings.watermark == "synthid":
        keys = np.random.Generator(np.random.Philox(settings.watermark_key)).integers(1, 2**31, ROUNDS).tolist()
        return SynthIDTextWatermarkingConfig(settings.watermark_context + 1, keys, context_history_size=REMEMBERED)
    return WatermarkingConfig(
        settings.watermark_gamma, settings.watermark_delta, settings.watermark_key, context_width=settings.watermark_context
    )


@lru_cache(maxsize=16)
def tournament(key: int, context: int) -> Any:
    """Return transformers' processor for this key. Only its methods without state are called."""
    return configuration(SamplingSettings(watermark="synthid", watermark_key=key, watermark_context=context)).construct_processor(0, "cpu")


def _g_values(settings: SamplingSettings, history: History, size: int) -> np.ndarray | None:
    """Return the g-values of all next tokens, float32 [rounds, size]; None if the tournament is left out after a repeated context.

    The context are the last generated tokens, and zeros before the first of them, as in transformers.
    """
    width = settings.watermark_context
    written = np.concatenate([np.zeros(width, np.int64), history.ids[history.prompt_length :]])
    contexts = np.lib.stride_tricks.sliding_window_view(written, width)[-REMEMBERED - 1 :]
    if (contexts[:-1] == contexts[-1]).all(1).any():
        return None
    return _drawn(settings.watermark_key, tuple(contexts[-1].tolist()), size)


@lru_cache(maxsize=8)
def _drawn(key: int, context: tuple[int, ...], size: int) -> np.ndarray:
    """Compute what `compute_ngram_keys` and `sample_g_values` do. NumPy has one thread: torch's wait for each other beside other work."""
    process, multiplier = tournament(key, len(context)), np.int64(MULTIPLIER)
    before = process.accumulate_hash(torch.ones(1, dtype=torch.long), torch.tensor([context])).numpy()
    hashes = (before + np.arange(size)) * multiplier + 1
    keys = (hashes + process.keys.numpy()[:, None]) * multiplier + 1
    table: np.ndarray = process.sampling_table.numpy()
    return table.astype(np.float32)[keys & (len(table) - 1)]


def _after_rounds(scores: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Compute what `update_scores` does, for float32 scores [vocabulary] and g-values [rounds, vocabulary]."""
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    for value in values:
        shares *= 1 + value - np.float32((value * shares).sum())
    with np.errstate(divide="ignore", invalid="ignore"):  # a loser can fall below zero by rounding
        logs: np.ndarray = np.log(shares)
    return np.where(np.isfinite(logs), logs, np.float32(-math.inf))
