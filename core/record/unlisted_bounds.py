"""Top log-probabilities of an inference server, and which numbers of a step are exact although some tokens are not listed.

The unlisted probability (1 minus the listed one) is spread evenly over all unlisted tokens, so that stages, charts and dice get a whole
vocabulary. That is an estimate. Known are only the sum and that no unlisted token is likelier than the last listed one. From these two
`exact_stages` decides which numbers are the same however the probability is spread.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch

ROUNDING = 1e-6  # accuracy of a sum of float32 probabilities
TOLERANCE = 1e-5  # probabilities with a smaller relative difference count as equal
LEAST_REST = 1e-9  # smallest probability of all unlisted tokens, so that each is possible

Stages = tuple[tuple[str, float | None], ...]  # name and setting


@dataclass(frozen=True, slots=True, eq=False)
class TopLogprobs:
    """The likeliest tokens, as listed by a server.

    ids: int64 [listed]; logprobs: float64 [listed], the model's own, largest first. extra: one more token, requested by id, and its
    log-probability; its rank is unknown.
    """

    ids: np.ndarray
    logprobs: np.ndarray
    vocabulary_size: int
    extra: tuple[int, float] | None = None
    _followed: dict[Stages, tuple[tuple[bool, ...], _Bounds]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, token_id: int) -> bool:
        return bool((self.ids == token_id).any()) or (self.extra is not None and self.extra[0] == token_id)

    @property
    def rest(self) -> float:
        """Probability of all unlisted tokens together."""
        return 0.0 if len(self) >= self.vocabulary_size else max(0.0, 1.0 - float(np.exp(self.logprobs).sum()))

    def logits(self) -> torch.Tensor:
        """Return log-probabilities float32 [vocabulary]: the listed ones, and the remaining probability spread evenly."""
        import torch

        rest, others = self.rest, self.vocabulary_size - len(self)
        if self.extra is not None:
            rest, others = rest - math.exp(self.extra[1]), others - 1
        share = math.log(max(rest, LEAST_REST) / others) if others > 0 else -math.inf
        spread = np.full(self.vocabulary_size, min(share, float(self.logprobs[-1])), dtype=np.float32)
        spread[self.ids] = self.logprobs
        if self.extra is not None:
            spread[self.extra[0]] = self.extra[1]
        return torch.from_numpy(spread)

    def exact_stages(self, stages: Iterable[tuple[str, float | None]]) -> tuple[bool, ...]:
        """Return for every stage (name and setting, "model" first) whether the listed tokens' probabilities after it are exact."""
        return self._follow(tuple(stages))[0]

    def certain_pick(self, stages: Iterable[tuple[str, float | None]], roll: float) -> bool:
        """Return whether this roll selects the same listed token however the unlisted probability is spread.

        This can be certain even if the probabilities are only bounded.
        """
        return self._follow(tuple(stages))[1].picks_one(roll)

    def fields(self, observed: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of a record, given those of the observation: which stages are exact, and ranks no deeper than the list."""
        exact = self.exact_stages(zip(observed["stage_names"], observed["stage_settings"], strict=True))
        ranks = np.minimum(observed["ranks"], len(self) + 1)  # the true rank of a forced, unlisted token is unknown
        return observed | {"ranks": ranks, "top_logprobs_count": len(self), "stage_exact": exact}

    def column(self, key: int) -> int:
        """Return the index of the token with this key among the logits."""
        return key

    def key(self, column: int) -> int:
        """Return the key of the token at this index of the logits."""
        return column

    def listing(self, count: int) -> int:
        """Return how many tokens a record lists if `count` are wanted."""
        return min(count, len(self))

    def _follow(self, stages: Stages) -> tuple[tuple[bool, ...], _Bounds]:
        """Return for each stage whether it is exact, and the bounds after all stages. Cached, because a step asks several times."""
        followed = self._followed.get(stages)
        if followed is None:
            bounds = _Bounds(self)
            followed = self._followed[stages] = (tuple(bounds.after(name, setting) for name, setting in stages), bounds)
        return followed


class _Bounds:
    """Bounds of the unlisted tokens' weight after each stage, relative to the likeliest token's weight.

    low, high: bounds of the sum. single: upper bound of one token. lost: nothing is known any more.
    guessed: a stage excluded an unknown part of the unlisted tokens, so only bounds are known.
    """

    def __init__(self, listed: TopLogprobs) -> None:
        self.unlisted = listed.vocabulary_size - len(listed)
        self.top = float(listed.logprobs[0])
        self.logs = listed.logprobs - self.top
        self.weights = np.exp(self.logs)
        self.vocabulary_size = listed.vocabulary_size
        self.lost = self.guessed = False
        scale = math.exp(-self.top)
        self.low, self.high = (max(0.0, listed.rest - ROUNDING) * scale, (listed.rest + ROUNDING) * scale) if self.unlisted else (0.0, 0.0)
        # No unlisted token outweighs the last listed one. If that one is impossible (minus infinity), so are all unlisted ones.
        self.high = min(self.high, self.unlisted * float(self.weights[-1]))
        self.low, self.single = min(self.low, self.high), min(float(self.weights[-1]), self.high)

    def after(self, name: str, setting: float | None) -> bool:
        """Apply a stage; return whether the probabilities after it are exact."""
        value = 0.0 if setting is None else float(setting)
        if name == "repetition penalty":  # it needs raw logits, and log-probabilities differ from them by an unknown constant
            self.lost = True
        elif name == "temperature":
            self._temper(1.0 / value)
        elif name == "greedy":
            self.guessed, self.low, self.high, self.single = False, 0.0, 0.0, 0.0
        elif name != "model" and self.high > 0 and not self.lost:
            {"top-k": self._top_k, "top-p": self._top_p, "min-p": self._min_p}.get(name, self._lose)(value)
        total = float(self.weights.sum()) + self.low
        return not self.lost and not self.guessed and self.high - self.low <= TOLERANCE * total

    def picks_one(self, roll: float) -> bool:
        """Return whether the roll selects the same listed token for the smallest and the largest unlisted weight."""
        if self.lost:
            return False
        reached = np.cumsum(self.weights)
        first, last = (int(np.searchsorted(reached, roll * (reached[-1] + rest), "right")) for rest in (self.low, self.high))
        return first == last < len(reached)

    def _temper(self, power: float) -> None:
        """Raise weights to the power of 1/T. The unlisted sum is then extreme if spread evenly or if concentrated on few tokens."""
        self.weights = np.exp(power * self.logs)
        if self.high <= 0:
            return
        ends = []
        for rest in (max(self.low, 1e-300), self.high):
            single = min(self.single, rest)
            even = min(rest / self.unlisted, single)
            ends += [_raised(even, power, rest / even), _raised(single, power, rest / single)]
        self.low, self.high = (min(ends) if self.low > 0 else 0.0), max(ends)
        self.single = min(_raised(self.single, power, 1.0), self.high)

    def _top_k(self, value: float) -> None:
        count = int(value)
        if count >= self.vocabulary_size:
            return
        last = float(self.weights[min(count, len(self.weights)) - 1])
        self.weights = self.weights[self.weights >= last]
        self._cut(count <= len(self.weights) and last > self.single)

    def _top_p(self, value: float) -> None:
        inside = np.cumsum(self.weights)
        least, most = inside / (inside[-1] + self.high), inside / (inside[-1] + self.low)
        if most[-1] < value:
            self._cut(False)
            return
        count = int((least < value).sum()) + 1
        following = self.weights[count] if count < len(self.weights) else self.single
        certain = least[-1] >= value and count == int((most < value).sum()) + 1
        if certain and self.weights[count - 1] > following:  # among equal weights, the order of sorting decides which are kept
            self.weights = self.weights[:count]
            self._cut(True)
        else:
            self.lost = True

    def _min_p(self, value: float) -> None:
        threshold = value * float(self.weights[0])
        self.weights = self.weights[self.weights >= threshold]
        self._cut(self.single < threshold)

    def _cut(self, all_of_it: bool) -> None:
        """Exclude all unlisted tokens, or an unknown part of them."""
        self.guessed, self.low = not all_of_it, 0.0
        if all_of_it:
            self.high = self.single = 0.0

    def _lose(self, value: float) -> None:
        self.lost = True


def _raised(weight: float, power: float, count: float) -> float:
    """Return count x weight ** power, without overflow."""
    return math.exp(min(700.0, power * math.log(weight) + math.log(count))) if weight > 0 else 0.0
