"""Training batches: told stories of the world, real simple stories, lessons and older prose, in fixed shares of tokens.

A batch is a function of the seed and the step, so a resumed run reads what it would have read. The world never repeats a story. The real
simple stories are read at most `PASSES` times, then told stories and lessons get their part.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from random import Random

import torch
from transformers import PreTrainedTokenizerFast

from core.training import lessons
from core.training.corpus import Corpus, Piece
from core.training.world.registers import document

IGNORED = -100
PASSES = 4
_LONGEST = 1750  # characters of one piece of prose: about 512 tokens
# Mean length of a document of each source in tokens, to turn shares of tokens into shares of documents.
_LENGTHS = {"told": 180, "simple": 260, "lessons": 45, "older": 380}


@dataclass(frozen=True, slots=True)
class Batch:
    """ids and targets [rows, length]; mask [rows, 1, length, length], True where a position may attend; tokens counts the targets."""

    ids: torch.Tensor
    targets: torch.Tensor
    mask: torch.Tensor
    tokens: int


@dataclass(frozen=True, slots=True)
class Shares:
    """Share of the tokens by source; they add up to 1."""

    told: float = 0.66
    simple: float = 0.11
    lessons: float = 0.11
    older: float = 0.12

    def without_simple(self) -> Shares:
        """The shares when the simple stories have been read often enough: told stories get three quarters of theirs, lessons the rest."""
        return Shares(self.told + 0.75 * self.simple, 0.0, self.lessons + 0.25 * self.simple, self.older)


class Mixture:
    """Batches of token rows from all sources."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast, corpus: Corpus, shares: Shares, seed: int = 0) -> None:
        self.tokenizer, self.corpus, self.shares, self.seed = tokenizer, corpus, shares, seed
        self._older = corpus.pieces["tale"] + corpus.pieces["novel"]
        self._sums = {"simple": _sums(corpus.pieces["simple"]), "older": _sums(self._older)}
        characters = sum(len(piece.text) for piece in corpus.pieces["simple"])
        # About four characters a token: after so many tokens in all, the simple stories have been read PASSES times.
        self.simple_until = PASSES * characters / 4 / shares.simple if shares.simple else 0.0

    def text(self, rng: Random, source: str) -> Piece:
        """One document of this source."""
        if source == "told":
            return Piece(document(rng), whole=True)
        if source == "lessons":
            return Piece(lessons.document(rng), whole=True)
        pieces = self.corpus.pieces["simple"] if source == "simple" else self._older
        return _part(rng, rng.choices(pieces, cum_weights=self._sums[source])[0])

    def batch(self, step: int, rows: int, length: int, tokens_before: int) -> Batch:
        """The rows of one step. `tokens_before` says how much the run has read: it decides when the simple stories end."""
        rng = Random(f"mixture/{self.seed}/{step}")
        shares = self.shares if tokens_before < self.simple_until else self.shares.without_simple()
        wanted = {"told": shares.told, "simple": shares.simple, "lessons": shares.lessons, "older": shares.older}
        if not self._older:
            wanted = {"told": 0.85, "lessons": 0.15}
        packed: list[list[list[int]]] = []
        for _ in range(rows):
            row: list[list[int]] = []
            while sum(map(len, row)) < length:
                source = rng.choices(list(wanted), [share / _LENGTHS[name] for name, share in wanted.items()])[0]
                piece = self.text(rng, source)
                ids = self.tokenizer.encode(piece.text, verbose=False)[: length + 1]
                whole = piece.whole and len(ids) <= length
                row.append([*ids, self.tokenizer.eos_token_id] if whole else ids)
            packed.append(row)
        return pack(packed, length, self.tokenizer.eos_token_id)


def pack(rows: list[list[list[int]]], length: int, filler: int) -> Batch:
    """Put the documents of each row one after another. A position attends to its own document only."""
    ids = torch.full((len(rows), length), filler)
    targets = torch.full((len(rows), length), IGNORED)
    segments = torch.zeros(len(rows), length, dtype=torch.long)
    for row, documents in enumerate(rows):
        start = 0
        for number, tokens in enumerate(documents, start=1):
            size = min(len(tokens), length - start)
            ids[row, start : start + size] = torch.tensor(tokens[:size])
            following = tokens[1 : size + 1]
            targets[row, start : start + len(following)] = torch.tensor(following)
            segments[row, start : start + size] = number
            start += size
    position = torch.arange(length)
    mask = (segments[:, :, None] == segments[:, None, :]) & (position[:, None] >= position[None, :])
    return Batch(ids, targets, mask[:, None].contiguous(), int((targets != IGNORED).sum()))


def _sums(pieces: list[Piece]) -> list[int]:
    return list(accumulate(len(piece.text) for piece in pieces))


def _part(rng: Random, piece: Piece) -> Piece:
    """The piece from its beginning or, if it is long, from the start of one of its sentences."""
    if len(piece.text) <= _LONGEST:
        return piece
    start = 0 if rng.random() < 0.5 else piece.text.find(". ", rng.randrange(len(piece.text) - _LONGEST)) + 2
    return Piece(piece.text[max(0, start) :][:_LONGEST], whole=False)


def tokenizer_texts(corpus: Corpus, characters: int = 12_000_000, seed: int = 1) -> list[str]:
    """Texts in the shares of the mixture, to train the tokenizer on."""
    mixture = Mixture.__new__(Mixture)
    mixture.corpus, mixture._older = corpus, corpus.pieces["tale"] + corpus.pieces["novel"]
    mixture._sums = {"simple": _sums(corpus.pieces["simple"]), "older": _sums(mixture._older)}
    rng, texts, total = Random(f"tokenizer/{seed}"), [], 0
    shares = {"told": 0.55, "simple": 0.2, "lessons": 0.12, "older": 0.13} if mixture._older else {"told": 0.85, "lessons": 0.15}
    sources = {name: share / _LENGTHS[name] for name, share in shares.items()}
    while total < characters:
        texts.append(mixture.text(rng, rng.choices(list(sources), list(sources.values()))[0]).text)
        total += len(texts[-1])
    return texts
