"""Guessing game: compare the audience's guesses with the next-token probabilities, and score them by the chosen token.

A guess is right if it is the chosen token, even if another token was likelier. It scores the token's surprise in bits, -log2 of the model's
probability: a token with probability 1/8 scores three points. The points are divided among all different guesses, so that more guesses are
no advantage. The model's likeliest token plays as a single guess.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.errors import InputError, ViewerError
from core.record.step import Step, TokenDistribution
from core.sources.capabilities import Can
from core.tokens.token_text import Token

if TYPE_CHECKING:
    from core.generation.generation import Generation

MOST = 6  # guesses at a time
LONGEST = 40  # characters of one
JOINERS = "\u200c\u200d"  # invisible, but parts of words and of emoji


@dataclass(frozen=True, slots=True)
class Guess:
    """One guessed word. said: the guess.

    token_id, piece: the token that the word begins with here; None and "" if the model cannot write it. whole: whether this token is the
    whole word. probability: the model's, None if unknown (a recording or a server lists only the likeliest tokens). rank: 1 = likeliest;
    None if unknown.
    """

    said: str
    token_id: int | None
    piece: str
    whole: bool
    probability: float | None
    rank: int | None


@dataclass(frozen=True, slots=True)
class Round:
    """One finished round. guesses; favourite: id of the likeliest token; came: id of the chosen token; surprise: of it, bits."""

    guesses: tuple[Guess, ...]
    favourite: int
    came: int
    surprise: float  # bits

    @property
    def hit(self) -> bool:
        """Return whether the chosen token was guessed."""
        return any(guess.token_id == self.came for guess in self.guesses)

    @property
    def points(self) -> float:
        """Return the audience's points: the surprise in bits, divided by the number of different guesses; 0 if no guess was right."""
        different = {guess.token_id for guess in self.guesses}
        return self.surprise / len(different) if self.hit else 0.0

    @property
    def favourite_points(self) -> float:
        """Return the points of the model's likeliest token."""
        return self.surprise if self.came == self.favourite else 0.0


def cleaned(guesses: Sequence[str]) -> list[str]:
    """Return the guesses without extra spaces and repetitions.

    Raises InputError for no guess, more than MOST guesses, or more than LONGEST characters.
    """
    words: list[str] = []
    for text in guesses:
        word = " ".join("".join(c if c.isprintable() or c in JOINERS else " " for c in str(text)).split())
        if len(word) > LONGEST:
            raise InputError("A guess has at most {longest} characters.", longest=LONGEST)
        if word.strip(JOINERS) and word not in words:
            words.append(word)
    if not words:
        raise InputError("The guess is empty. Type a word and press Enter.")
    if len(words) > MOST:
        raise InputError("At most six guesses are allowed at a time, not {count}.", count=len(words))
    return words


def judge(run: Generation, guesses: Sequence[str]) -> list[Guess]:
    """Return the guesses with their next-token probabilities; nothing is sampled.

    Raises InputError, and what `next_distribution` raises.
    """
    words, seen = cleaned(guesses), run.next_distribution()
    if not run.can >= {Can.NEW_TOKENS, Can.TOKEN_IDS}:
        return [_listed(word, seen) for word in words]
    logits = run.logits
    shares = None if logits is None else _softmax(np.asarray(logits.detach().cpu(), dtype=np.float64))
    return [_written(word, run.model, seen, shares) for word in words]


def finish(guesses: Sequence[Guess], step: Step) -> Round:
    """Return the round, scored with the chosen token of this step."""
    favourite = int(step.token_ids[int(np.argmin(step.ranks))])
    return Round(
        tuple(_matched(guess, step) for guess in guesses), favourite, step.key, step.surprise if math.isfinite(step.surprise) else 0.0
    )


def _matched(guess: Guess, step: Step) -> Guess:
    """Return the guess with the chosen token, if word and token differ only in capital letters."""
    same = _bare(step.piece) in (_bare(guess.said), _bare(guess.piece))
    if guess.token_id == step.key or not same:
        return guess
    return replace(guess, token_id=step.key, piece=step.piece, probability=step.model_probability, rank=step.rank)


def _bare(text: str) -> str:
    return text.removeprefix("␣").casefold()


def _softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max())
    shares: np.ndarray = powers / powers.sum()
    return shares


def _written(word: str, model: object, distribution: TokenDistribution, shares: np.ndarray | None) -> Guess:
    """Return the likeliest way to begin this word here: with a space before it or without."""
    begun: dict[int, tuple[Token, bool]] = {}
    for form in (f" {word}", word):
        try:
            tokens = [token for token in model.tokenize(form) if not token.special and token.raw.strip()]  # type: ignore[attr-defined]
        except ViewerError:
            continue
        if tokens:
            begun.setdefault(tokens[0].key, (tokens[0], len(tokens) == 1))
    ways = [_known(word, token, is_whole, distribution, shares) for token, is_whole in begun.values()]
    return max(ways, key=lambda guess: guess.probability or 0.0, default=Guess(word, None, "", False, None, None))


def _known(word: str, token: Token, is_whole: bool, distribution: TokenDistribution, shares: np.ndarray | None) -> Guess:
    if shares is None:
        listed = next((c for c in distribution.candidates if c.key == token.key), None)
        probability_and_rank = (None, None) if listed is None else (listed.model_probability, listed.rank)
        return Guess(word, token.key, token.piece, is_whole, *probability_and_rank)
    share = float(shares[token.key])
    return Guess(word, token.key, token.piece, is_whole, share, 1 + int(np.count_nonzero(shares > share)))


def _listed(word: str, distribution: TokenDistribution) -> Guess:
    """Return the guess for a recorded step: the candidate that equals this word, or the longest candidate that it begins with."""
    wanted, best = word.casefold(), None
    for candidate in distribution.candidates:
        text = distribution.vocabulary.token(candidate.key).raw.decode("utf-8", "replace").strip().casefold()
        if text and wanted.startswith(text) and (best is None or len(text) > best[0]):
            best = (len(text), candidate)
    if best is None:
        return Guess(word, None, "", False, None, None)
    length, token = best
    return Guess(word, token.key, token.piece, length == len(wanted), token.model_probability, token.rank)
