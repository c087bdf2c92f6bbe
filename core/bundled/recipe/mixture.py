"""Training batches: told stories of the world, real simple stories, lessons and older prose, in fixed shares of tokens.

A batch is a function of the seed and the step, so a resumed run reads what it would have read. The world never repeats a story. The real
simple stories are read at most `PASSES` times, then told stories and lessons get their part.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import accumulate
from random import Random

import torch
from transformers import PreTrainedTokenizerFast

from core.bundled.recipe import lessons
from core.bundled.recipe.corpus import Corpus, Piece
from core.bundled.recipe.world.registers import document

IGNORED = -100
PASSES = 4
_LONGEST = 1750  # characters of one piece of prose: about 512 tokens
# Mean length of a document of each source in tokens, to turn shares of tokens into shares of documents.
_LENGTHS = {"told": 180, "simple": 260, "lessons": 45, "older": 100}


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


class Sources:
    """Documents of the world, the lessons and a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.pieces = corpus.pieces
        self._sums = {kind: list(accumulate(len(piece.text) for piece in pieces)) for kind, pieces in corpus.pieces.items()}

    def draw(self, rng: Random, shares: dict[str, float]) -> Piece:
        """One document, from a source drawn by the shares of tokens. Without older prose there are told stories and lessons alone."""
        if not self.pieces["older"]:
            shares = {"told": 0.85, "lessons": 0.15}
        source = rng.choices(list(shares), [share / _LENGTHS[name] for name, share in shares.items()])[0]
        if source in self.pieces:
            return _part(rng, rng.choices(self.pieces[source], cum_weights=self._sums[source])[0])
        return Piece(document(rng) if source == "told" else lessons.document(rng), whole=True)


class Mixture:
    """Batches of token rows from all sources."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast, corpus: Corpus, shares: Shares, seed: int = 0) -> None:
        self.tokenizer, self.sources, self.shares, self.seed = tokenizer, Sources(corpus), shares, seed
        tokens = sum(len(piece.text) / 4 for piece in corpus.pieces["simple"])  # about four characters a token
        # After so many tokens in all, the simple stories have been read PASSES times.
        self.simple_until = PASSES * tokens / shares.simple if shares.simple else 0.0

    def batch(self, step: int, rows: int, length: int, tokens_before: int) -> Batch:
        """The rows of one step. `tokens_before` says how much the run has read: it decides when the simple stories end."""
        rng = Random(f"mixture/{self.seed}/{step}")
        shares = asdict(self.shares if tokens_before < self.simple_until else self.shares.without_simple())
        packed: list[list[list[int]]] = []
        for _ in range(rows):
            row: list[list[int]] = []
            while sum(map(len, row)) < length:
                piece = self.sources.draw(rng, shares)
                ids = self.tokenizer.encode(piece.text, verbose=False)[: length + 1]
                complete = piece.whole and len(ids) <= length
                row.append([*ids, self.tokenizer.eos_token_id] if complete else ids)
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


def _part(rng: Random, piece: Piece) -> Piece:
    """The piece from its beginning or, if it is long, from the start of one of its sentences."""
    if len(piece.text) <= _LONGEST:
        return piece
    start = 0 if rng.random() < 0.5 else piece.text.find(". ", rng.randrange(len(piece.text) - _LONGEST)) + 2
    return Piece(piece.text[max(0, start) :][:_LONGEST], whole=False)


def tokenizer_texts(corpus: Corpus, characters: int = 12_000_000, seed: int = 1) -> list[str]:
    """Texts in the shares of the mixture, to train the tokenizer on."""
    sources, rng, texts, total = Sources(corpus), Random(f"tokenizer/{seed}"), [], 0
    shares = {"told": 0.55, "simple": 0.2, "lessons": 0.12, "older": 0.13}
    while total < characters:
        texts.append(sources.draw(rng, shares).text)
        total += len(texts[-1])
    return texts
