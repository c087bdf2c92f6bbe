"""Compare two counterfactual branches that use common random numbers.

Both branches are ordinary branches of the run's tree. At every step both use the same settings and the same roll. All differences between
them therefore come from their different words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.engine.kv_cache.kv_cache import KVCache
from core.errors import BadToken, EmptyPrompt, InputError, RunFinished
from core.experiments.drift import Aligner, Alignment, TopProbabilities
from core.generation.generation import Generation
from core.message import Message
from core.record.step import Step
from core.sources.capabilities import Can
from core.sources.token_source import TokenSource

LONGEST_WORD = 200  # characters of a text that is forced at the start of a branch
MOST_STEPS = 1_000


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
        own = [self.root, *(node for side in self.sides for node in (*side.line, *side.follow))]
        return any(self.run.nodes[node].is_deleted for node in own)

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
        wanted, kept = self.run.settings, self.run.cache
        left, right = self.sides
        try:
            left_step, left_top = self._go_on(left, None)
            right_step, right_top = self._go_on(right, left_step)
        finally:
            self.run.settings = wanted
            self.run.cache = kept
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
            rolled = beside is not None and beside.chosen_by != "forced"
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


def continuation(model: TokenSource, before: str, text: str) -> list[int]:
    """Return the tokens of `text` as a continuation of `before`. Raises EmptyPrompt, BadToken, InputError."""
    if not isinstance(text, str) or not text:
        raise EmptyPrompt("The branch is empty. Write a word first.")
    if len(text) > LONGEST_WORD:
        raise BadToken("A branch begins with at most {longest_word} characters, not {count}.", longest_word=LONGEST_WORD, count=len(text))
    for anchor in (before, "\n", ""):  # if the last word would merge with this text, it is tokenized as on a new line
        base, joined = (_without_marks(model, model.encode(string)) if string else [] for string in (anchor, anchor + text))
        if len(joined) > len(base) and joined[: len(base)] == base:
            return joined[len(base) :]
    raise EmptyPrompt("The branch is empty. Write a word first.")


def _without_marks(model: TokenSource, token_ids: list[int]) -> list[int]:
    """Return the ids without special tokens, which a tokenizer adds around a text."""
    return [token_id for token_id in token_ids if not model.token(token_id).special]


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
    return next((index for index, step in enumerate(steps) if step.chosen_by != "forced"), len(steps))
