"""Compare two counterfactual branches that use common random numbers, and measure how far they drift apart.

Both branches are ordinary branches of the run's tree. At every step both use the same settings and the same roll. All differences between
them therefore come from their different words.

Drift: the tokens that both share, and the distance between their next-token probabilities. Probabilities are compared after the same words,
even if these are at different steps of the two texts. Compared at equal steps, two texts that differ by one inserted word would seem to
have nothing in common.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from statistics import median

import numpy as np
import torch

from core.engine.kv_cache.prefix_reuse import KVCache
from core.errors import BadToken, InputError, RunFinished
from core.experiments.shared.continuation import LONGEST_WORD
from core.generation.generation import Generation
from core.message import Message
from core.record.step import Step, TokenDistribution
from core.sources.capabilities import Can

STORED_WHOLE = 8_192  # up to this vocabulary size all probabilities of a step are stored; above it, only the MOST_STORED likeliest
MOST_STORED = 1_024
SHORTEST = 2  # equal tokens in a row that count as shared; a single shared comma would mean nothing
MOST_STEPS = 1_000


@dataclass(frozen=True, slots=True)
class Drift:
    """The Jensen-Shannon distance of two next-token distributions, from 0 (equal) to 1 (no token in common).

    Exact (low == high) if the whole vocabulary is known. If only the likeliest tokens are known, low and high are bounds.
    """

    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Return whether the distance is known exactly."""
        return self.low == self.high

    @property
    def middle(self) -> float:
        """Return the middle of the two bounds, the value that charts draw."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class TopProbabilities:
    """The stored probabilities of one step: token_ids int64 [stored], ascending, and their probabilities float32 [stored].

    others: total probability of all other tokens; most: upper bound for the probability of each of them.
    """

    token_ids: np.ndarray
    probabilities: np.ndarray
    others: float
    most: float

    @classmethod
    def of(cls, logits: torch.Tensor) -> TopProbabilities:
        """Return the probabilities of these logits [vocabulary]: all of them, or the MOST_STORED likeliest of a large vocabulary."""
        top = torch.softmax(logits.detach().cpu().double(), 0)
        if len(top) <= STORED_WHOLE:
            return cls(_all(len(top)), top.float().numpy(), 0.0, 0.0)
        best = torch.topk(top, MOST_STORED)
        token_ids, order = torch.sort(best.indices)
        return cls(token_ids.numpy(), best.values[order].float().numpy(), max(0.0, 1.0 - float(best.values.sum())), float(best.values[-1]))

    @classmethod
    def listed(cls, distribution: TokenDistribution) -> TopProbabilities:
        """Return the model's probabilities of the candidates that a record lists."""
        order = np.argsort(distribution.token_ids)
        probabilities = np.asarray(distribution.probabilities[0], dtype=np.float32)
        likeliest = probabilities[distribution.ranks == np.arange(1, len(probabilities) + 1)]  # those behind a gap follow the constraint
        ids = np.asarray(distribution.token_ids, dtype=np.int64)
        return cls(ids[order], probabilities[order], distribution.rest_model_probability, float(likeliest.min()))


@lru_cache(maxsize=8)
def _all(count: int) -> np.ndarray:
    """Return all token ids below `count`; cached, so that all steps share one array."""
    return np.arange(count)


@dataclass(frozen=True, slots=True)
class Aligned:
    """A place where both texts follow the same words. left, right: index of the next step of each; same: whether both choose one token."""

    left: int
    right: int
    drift: Drift
    same: bool


@dataclass(frozen=True, slots=True)
class Alignment:
    """The alignment of two texts. places: in text order, the fork first; shared: tokens in both, counted in rows of two or more.

    left, right: tokens of each text without the forced ones. behind_change: distance of the probabilities directly after the forced
    tokens, before anything else differs; None until both texts are that long.
    """

    places: tuple[Aligned, ...]
    shared: int
    left: int
    right: int
    behind_change: Drift | None

    @property
    def share(self) -> float:
        """Return the fraction of the shorter text that is shared, 0 to 1."""
        return self.shared / max(1, min(self.left, self.right))

    @property
    def distances(self) -> list[float]:
        """Return the distance of the probabilities at each place after the fork. At the fork itself they are equal."""
        return [aligned.drift.middle for aligned in self.places if aligned.left or aligned.right]

    @property
    def median(self) -> float | None:
        """Return the median of these distances, None without any."""
        return median(self.distances) if self.distances else None

    @property
    def widest(self) -> Aligned | None:
        """Return the place after the fork with the largest distance, None without any."""
        after_fork = [aligned for aligned in self.places if aligned.left or aligned.right]
        return max(after_fork, key=lambda aligned: aligned.drift.middle, default=None)


@dataclass(slots=True)
class Aligner:
    """Aligns two growing texts and caches each computed distance. left, right: token ids so far; left_odds, right_odds: one per step.

    forced: number of forced tokens of each text; they never count as shared.
    """

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    left_top: list[TopProbabilities] = field(default_factory=list)
    right_top: list[TopProbabilities] = field(default_factory=list)
    forced: tuple[int, int] = (0, 0)
    _known: dict[tuple[int, int], Drift] = field(default_factory=dict)
    _made: tuple[int, int, Alignment] | None = None

    def alignment(self) -> Alignment:
        """Return the alignment of both texts so far."""
        if self._made and self._made[:2] == (len(self.left), len(self.right)):
            return self._made[2]
        left_start, right_start = self.forced
        blocks = SequenceMatcher(None, self.left[left_start:], self.right[right_start:], autojunk=False).get_matching_blocks()
        shared = [(block.a + left_start, block.b + right_start, block.size) for block in blocks if block.size >= SHORTEST]
        places: dict[tuple[int, int], bool] = {(0, 0): False} if self.left and self.right else {}
        for a, b, size in shared:
            # The first token of a row follows different words in the two texts; from the second one on, the words before are equal.
            places |= {(a + step, b + step): True for step in range(1, size)}
            if a + size < len(self.left) and b + size < len(self.right):
                places[a + size, b + size] = False
        aligned = tuple(Aligned(a, b, self._drift(a, b), same) for (a, b), same in places.items())
        left_start, right_start = (
            max(1, left_start),
            max(1, right_start),
        )  # without forced tokens, the first token of each text is the change
        changed = self._drift(left_start, right_start) if left_start < len(self.left) and right_start < len(self.right) else None
        alignment = Alignment(
            aligned, sum(size for *_, size in shared), len(self.left[left_start:]), len(self.right[right_start:]), changed
        )
        self._made = (len(self.left), len(self.right), alignment)
        return alignment

    def _drift(self, a: int, b: int) -> Drift:
        drift = self._known.get((a, b))
        if drift is None:
            drift = self._known[a, b] = bounds(self.left_top[a], self.right_top[b])
        return drift


def bounds(left: TopProbabilities, right: TopProbabilities) -> Drift:
    """Return the Jensen-Shannon distance: the root of the divergence in bits (Lin 1991), exact if both sides are known completely.

    A token known on one side only has, on the other, at most the smallest known probability there. The lower bound takes these tokens as
    equal as that allows, and tokens unknown on both sides as equal. The upper bound takes all of them as different as possible.
    """
    left, right = (TopProbabilities(top.token_ids, top.probabilities.astype(np.float64), top.others, top.most) for top in (left, right))
    _, in_left, in_right = np.intersect1d(left.token_ids, right.token_ids, assume_unique=True, return_indices=True)
    low = high = float(_parts(left.probabilities[in_left], right.probabilities[in_right]).sum())
    for mine, theirs, shared in ((left, right, in_left), (right, left, in_right)):
        unshared = np.delete(mine.probabilities, shared)
        total = np.array([unshared.sum()])
        low += float(_parts(total, np.minimum(total, min(theirs.others, theirs.most * len(unshared)))).sum())
        furthest = np.maximum(
            _parts(unshared, np.zeros_like(unshared)), _parts(unshared, np.full_like(unshared, min(theirs.most, theirs.others)))
        )
        high += float(furthest.sum()) + theirs.others / 2
    return Drift(_root(low), _root(high))


def _parts(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return each token's term of the Jensen-Shannon divergence, in bits: the mean of p log2(p/m) and q log2(q/m) with m = (p + q) / 2."""
    m = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        each = [np.where(x > 0, x * np.log2(x / m), 0.0) for x in (p, q)]
    return (each[0] + each[1]) / 2


def _root(divergence: float) -> float:
    return math.sqrt(min(1.0, max(0.0, divergence)))


@dataclass(frozen=True, slots=True)
class Pair:
    """The two branches at one step. left, right: their steps, None once a branch has ended."""

    index: int
    left: Step | None
    right: Step | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one branch after the fork. log_probability: joint, of all its tokens (natural logarithm), forced ones included.

    text: of its tokens. finished: why it ended, or None.
    """

    text: str
    tokens: int
    log_probability: float
    finished: str | None


@dataclass(slots=True)
class _Side:
    """The state of one branch. forced: tokens still to be forced. follow: existing nodes still to be visited. line: its nodes so far."""

    forced: list[int]
    follow: list[int]
    line: list[int] = field(default_factory=list)
    cache: KVCache = field(default_factory=KVCache)
    finished: str | None = None


class Fork:
    """Two branches that leave a run at the same node. parts_at: index of the first step in which they differ.

    Create one with `at` (force other tokens at a step) or `between` (two existing branches). `step()` extends both by one step.
    """

    def __init__(self, run: Generation, parts_at: int, root: int, left: _Side, right: _Side) -> None:
        self.run = run
        self.parts_at = parts_at
        self.root = root  # the last node that both share
        self.sides = (left, right)
        self.pairs: list[Pair] = []
        self._aligner = Aligner()

    @classmethod
    def at(cls, run: Generation, step_index: int, left: Sequence[int] | None, right: Sequence[int]) -> Fork:
        """Fork the current path at this step: one branch begins with the tokens `left`, the other with `right`.

        left None: the existing branch, or at the end of the path a sampled one. Raises InputError, BadToken for unknown tokens or two
        branches that begin with the same tokens, RunFinished if the run has ended at this step.
        """
        path, line = run.path, run.line
        if isinstance(step_index, bool) or not isinstance(step_index, int) or not 0 <= step_index <= len(path):
            raise InputError("Step {number} does not exist. This branch has the steps 0 to {count}.", number=step_index, count=len(path))
        if run.finished and step_index == len(path):
            raise RunFinished("This run has ended ({finished}). Fork at an earlier token.", finished=Message(run.finished))
        ours, theirs = None if left is None else _checked(run, left), _checked(run, right)
        written = [step.key for step in path[step_index:]]
        begun = written if ours is None else ours
        if begun and begun[: len(theirs)] == theirs[: len(begun)]:
            raise BadToken("Both branches would begin with the same token. Choose another one for the second branch.")
        first = _Side([], line[step_index + 1 :]) if ours is None else _Side(ours, [])
        return cls(run, step_index, line[step_index], first, _Side(theirs, []))

    @classmethod
    def between(cls, run: Generation, left: int, right: int) -> Fork:
        """Return the fork of two existing branches, given by their end nodes.

        Raises InputError if one is a part of the other or missing.
        """
        left_line, right_line = _line(run, left), _line(run, right)
        shared = next((i for i, (a, b) in enumerate(zip(left_line, right_line, strict=False)) if a != b), None)
        if shared is None:
            raise InputError("These two branches do not differ: one is the beginning of the other.")
        return cls(run, shared - 1, left_line[shared - 1], _Side([], left_line[shared:]), _Side([], right_line[shared:]))

    @property
    def finished(self) -> bool:
        """Return whether both branches have ended or MOST_STEPS is reached."""
        return all(side.finished for side in self.sides) or len(self.pairs) >= MOST_STEPS

    @property
    def broken(self) -> bool:
        """Return whether a node of a branch was deleted from the tree."""
        node_ids = [self.root, *(node for side in self.sides for node in (*side.line, *side.follow))]
        return any(self.run.nodes[node].is_deleted for node in node_ids)

    def ends(self) -> tuple[int, int]:
        """Return the last node of each branch."""
        left, right = ((side.line or [self.root])[-1] for side in self.sides)
        return left, right

    def outcomes(self) -> tuple[Outcome, Outcome]:
        """Return the result of both branches so far."""
        left, right = (self._outcome(side) for side in self.sides)
        return left, right

    def _outcome(self, side: _Side) -> Outcome:
        steps = [step for step in (self.run.nodes[node].step for node in side.line) if step]
        return Outcome("".join(step.text for step in steps), len(steps), log_probability(steps), side.finished)

    def step(self) -> Pair:
        """Extend both branches by one step and return the pair; the run's current path is then the second branch.

        Raises RunFinished if both have ended.
        """
        with self.run.turn:  # a second click can arrive in another thread while this step is still computed
            return self._step()

    def _step(self) -> Pair:
        if self.finished:
            raise RunFinished("Both branches have ended. Choose another token to see another continuation.")
        wanted, cache = self.run.settings, self.run.cache
        left, right = self.sides
        try:
            left_step, left_top = self._go_on(left, None)
            right_step, right_top = self._go_on(right, left_step)
        finally:
            self.run.settings = wanted
            self.run.cache = cache
        aligner = self._aligner
        for step, top, tokens, seen in (
            (left_step, left_top, aligner.left, aligner.left_top),
            (right_step, right_top, aligner.right, aligner.right_top),
        ):
            if step is not None and top is not None:
                tokens.append(step.key)
                seen.append(top)
        pair = Pair(self.parts_at + len(self.pairs), left_step, right_step)
        self.pairs.append(pair)
        return pair

    def alignment(self) -> Alignment:
        """Return the alignment of both branches: their shared tokens and the distances of their next-token probabilities there.

        Steps are counted from the fork. Distances are exact if all probabilities are known (a local model with a small vocabulary), else
        they are given by two bounds.
        """
        self._aligner.forced = (_forced(self.pairs, "left"), _forced(self.pairs, "right"))
        return self._aligner.alignment()

    def _go_on(self, side: _Side, beside: Step | None) -> tuple[Step | None, TopProbabilities | None]:
        """Extend one branch by one step; return the step and its probabilities. beside: the other branch's step, whose settings and roll
        are used here too."""
        run = self.run
        if side.finished:
            return None, None
        run.switch((side.line or [self.root])[-1])
        if run.finished:
            side.finished = run.finished
            return None, None
        top = None
        if Can.NEW_TOKENS in run.can:
            run.cache = side.cache
            top = None if (logits := run.logits) is None else TopProbabilities.of(logits)
        if side.follow:
            run.switch(side.follow.pop(0))
        elif side.forced:
            run.force(side.forced.pop(0))
        else:
            rolled = beside is not None and not beside.is_forced
            if beside is not None and beside.settings != run.settings:
                run.settings = beside.settings
            run.step(beside.attempt if beside is not None and rolled else 0)
        side.line.append(run.here)
        side.finished = None if side.follow else run.finished
        return run.path[-1], top or TopProbabilities.listed(run.path[-1])


def side_by_side(fork: Fork, steps: int) -> Iterator[Pair]:
    """Extend both branches by at most `steps` steps; yield each pair."""
    for _each in range(max(0, min(steps, MOST_STEPS))):
        if fork.finished:
            return
        yield fork.step()


def log_probability(steps: Sequence[Step]) -> float:
    """Return the model's joint log-probability of these steps: the sum of the natural logarithms of their probabilities."""
    return -math.log(2) * sum(step.surprise for step in steps)


def _checked(run: Generation, token_ids: Sequence[int]) -> list[int]:
    ids = list(token_ids)
    if not ids or len(ids) > LONGEST_WORD:
        raise BadToken("A branch begins with 1 to {longest_word} tokens, not {count}.", longest_word=LONGEST_WORD, count=len(ids))
    for token_id in ids:
        if isinstance(token_id, bool) or not isinstance(token_id, int | np.integer):
            raise BadToken("A token is given by its id.")
        run.model.token(int(token_id))
    return [int(i) for i in ids]


def _line(run: Generation, node_id: int) -> list[int]:
    line = [node_id] if run.path_to(node_id) else [0]
    while (parent := run.nodes[line[-1]].parent) is not None:
        line.append(parent)
    return line[::-1]


def _forced(pairs: Sequence[Pair], side: str) -> int:
    """Return the number of forced tokens at the start of a branch."""
    steps = [step for pair in pairs if (step := getattr(pair, side))]
    return next((index for index, step in enumerate(steps) if not step.is_forced), len(steps))
