"""The score of a watermark: whether a text was written with this key.

The null hypothesis is that the text was written without the key. Then a token is on the green list with probability `watermark_gamma`, and
the p-value is the exact binomial one. In a tournament each g-value is 0 or 1 with probability 1/2, and their weighted mean, in which the
first rounds count most (Dathathri et al. 2024), is nearly normal. One key has one set of lists, and frequent pairs of words are in many
texts: the promise "1 in 1,000" holds over all keys, not for the texts of one key.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import Protocol

import numpy as np
import torch
from torch.distributions import Binomial

from core.checked_number import shown, whole_number
from core.errors import BadSetting, InputError
from core.message import Message
from core.sampling.samplers.watermark import ROUNDS, green_list, tournament
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can, require
from core.sources.token_source import TokenSource

MOST_SCORED = 100_000  # tokens
MARKED_BELOW, SURELY_MARKED_BELOW = 1e-3, 1e-6  # p-values below which a text is called marked
WEIGHTS = np.linspace(10, 1, ROUNDS) / np.linspace(10, 1, ROUNDS).sum()  # of the rounds of a tournament, as in SynthID's weighted mean


class Scored(Protocol):
    """A text with a score. See `Score` for its fields."""

    @property
    def z(self) -> float: ...

    @property
    def p_value(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a text. counted: tokens that `greens` counts. green: how many of them are green, or the sum of weighted mean g-values.

    z: standard deviations above what chance gives. p_value: probability that chance gives as many or more.
    """

    z: float
    p_value: float
    counted: int
    green: float


def score(model: TokenSource, token_ids: Sequence[int], settings: SamplingSettings) -> Score:
    """Return the score of a text for the watermark in the settings. Give the text without its prompt and start token.

    Raises BadSetting without a watermark or for ids outside the vocabulary, InputError if no n-gram can be counted.
    """
    return tally(greens(model, token_ids, settings), settings)


def greens(model: TokenSource, token_ids: Sequence[int], settings: SamplingSettings) -> list[float | None]:
    """Return for each token whether it is on the green list, 1 or 0, or its weighted mean g-value; None if it is not counted.

    The first tokens and repeated ones are not counted. A tournament counts each context once, as transformers' detector does. A green list
    counts each pair of tokens once, for any `watermark_context`, because the list follows from the token before alone. transformers'
    detector counts each n-gram of context + 1 tokens once, so from a context of 2 on it can count one pair many times. Raises BadSetting.
    """
    require(model, Can.TOKEN_IDS)
    if not SamplingSettings.checked(settings).watermark:
        raise BadSetting("The settings have no watermark, so there is no key to score with.")
    ids, width = _checked(token_ids, model.vocabulary_size), settings.watermark_context
    early: list[float | None] = [None] * min(width, len(ids))
    if len(ids) <= width:
        return early
    if settings.watermark == "synthid":
        process, text = tournament(settings.watermark_key, width), torch.from_numpy(ids)[None]
        means, fresh = process.compute_g_values(text)[0].numpy() @ WEIGHTS, process.compute_context_repetition_mask(text)[0].tolist()
        return early + [mean if is_fresh else None for mean, is_fresh in zip(means.tolist(), fresh, strict=True)]
    pairs = [*pairwise(ids[width - 1 :].tolist())]
    first = {pair: index for index, pair in reversed([*enumerate(pairs)])}
    lists = (green_list(settings.watermark_key, settings.watermark_gamma, model.vocabulary_size, before) for before, _token in pairs)
    return early + [
        float(green[pair[1]]) if first[pair] == index else None for index, (pair, green) in enumerate(zip(pairs, lists, strict=True))
    ]


def tally(hits: Sequence[float | None], settings: SamplingSettings) -> Score:
    """Return the score of the tokens of a text, given as `greens` returns them. Raises InputError if none is counted."""
    counted = [green for green in hits if green is not None]
    if not counted:
        needed = settings.watermark_context + 1
        raise InputError("The text has {count} tokens. A score needs at least {needed}.", count=len(hits), needed=needed)
    is_list, total, green = settings.watermark == "green", len(counted), math.fsum(counted)
    chance = settings.watermark_gamma if is_list else 0.5
    deviation = math.sqrt(total * chance * (1 - chance) * (1 if is_list else float(WEIGHTS @ WEIGHTS)))
    z = (green - chance * total) / deviation
    return Score(z, binomial_tail(int(green), total, chance) if is_list else NormalDist().cdf(-z), total, int(green) if is_list else green)


def binomial_tail(least: int, total: int, chance: float) -> float:
    """Return the probability of at least `least` successes in `total` trials.

    >>> round(binomial_tail(2, 2, 0.25), 4), binomial_tail(0, 5, 0.5)
    (0.0625, 1.0)
    """
    terms = Binomial(total, torch.tensor(chance, dtype=torch.float64)).log_prob(torch.arange(least, total + 1, dtype=torch.float64))
    return min(1.0, float(terms.exp().sum())) if least > 0 else 1.0


def _checked(token_ids: Sequence[int], size: int) -> np.ndarray:
    """Return the ids, int64. Raises BadSetting."""
    if not isinstance(token_ids, Sequence | np.ndarray) or len(token_ids) > MOST_SCORED:
        raise BadSetting("A score takes at most {most} token ids, not {shown}.", most=MOST_SCORED, shown=shown(token_ids))
    return np.array([whole_number(token_id, Message("A token id"), 0, size - 1) for token_id in token_ids], np.int64)


def written_ids(model: TokenSource, text: str) -> list[int]:
    """Return the token ids of a text without the special tokens. Raises what `tokenize` raises."""
    return [token.token_id for token in model.tokenize(text) if not token.special]


def p_value(scored: Scored, null: NormalDist | None) -> float:
    """Return the probability of this z or more under `null`; without it that of the score, by chance alone."""
    return NormalDist(-null.mean, null.stdev).cdf(-scored.z) if null else scored.p_value
