"""Batches of packed lessons, each a function of its step alone.

Step 1,234 is the same batch in every run, whatever came before: a run resumes exactly, and needs no saved reader. Documents are packed
into rows and see only themselves (a block-diagonal mask), so that a lesson is learned as it will be asked: alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import torch
from transformers import PreTrainedTokenizerFast

from core.training.corpus import Corpus
from core.training.lessons import document

IGNORED = -100
_FITS = 12


@dataclass(frozen=True, slots=True)
class Batch:
    """ids, targets, prose, patchwork [rows, length]; mask [rows, 1, length, length], True where a position may look.

    tokens counts the targets. prose: True where a document is real prose and no lesson. patchwork: True where its sentences are from many
    stories (`Corpus.draw_patchwork`).
    """

    ids: torch.Tensor
    targets: torch.Tensor
    mask: torch.Tensor
    prose: torch.Tensor
    patchwork: torch.Tensor
    tokens: int

    def part(self, worker: int, workers: int) -> Batch:
        """The rows that one of several workers learns from."""
        ids, targets, mask, prose, patchwork = (whole[worker::workers] for whole in self._tensors())
        return Batch(ids, targets, mask, prose, patchwork, int((targets != IGNORED).sum()))

    def to(self, device: torch.device) -> Batch:
        """The batch on that device."""
        ids, targets, mask, prose, patchwork = (whole.to(device) for whole in self._tensors())
        return Batch(ids, targets, mask, prose, patchwork, self.tokens)

    def _tensors(self) -> tuple[torch.Tensor, ...]:
        return self.ids, self.targets, self.mask, self.prose, self.patchwork


class Lessons:
    """Makes batches of lessons and of real prose.

    `prose_share` is measured in tokens; in the first `early_steps` steps the lessons have the shares for a young model. `patchwork` is the
    share of the documents of prose that are put together.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerFast,
        corpus: Corpus | None,
        prose_share: float = 0.5,
        early_steps: int = 0,
        seed: int = 0,
        patchwork: float = 0.0,
    ) -> None:
        self.tokenizer, self.corpus, self.prose_share, self.early_steps, self.seed = tokenizer, corpus, prose_share, early_steps, seed
        self.patchwork = patchwork

    def batch(self, step: int, rows: int, length: int, exam: bool = False) -> Batch:
        """The batch of this step; with `exam`, of held-out lessons and of the prose that the corpus keeps for the examination."""
        rng = Random(f"{self.seed}/{step}/{exam}")
        packed: list[list[tuple[list[int], str]]] = [[] for _ in range(rows)]
        room = [length + 1] * rows
        prose = taken = misses = 0
        while max(room) > 2:
            # Whichever is behind its share comes next, so that the shares hold in tokens and not only in documents.
            wanted = self._has_prose(exam) and prose < self.prose_share * taken
            ids, kind = self._prose(rng, length, exam) if wanted else (self._lesson(rng, step, exam), "lesson")
            fitting = [row for row in range(rows) if room[row] >= len(ids)]
            if not fitting and misses < _FITS:
                misses += 1
                continue
            # When nothing fits any more the rows are filled up with cut documents: text is endless here, room is not.
            row = fitting[0] if fitting else max(range(rows), key=room.__getitem__)
            ids = ids[: room[row]]
            packed[row].append((ids, kind))
            room[row] -= len(ids)
            taken += len(ids)
            prose += len(ids) if wanted else 0
        return _tensors(packed, length, self.tokenizer.eos_token_id)

    def _has_prose(self, exam: bool) -> bool:
        return self.corpus is not None and bool(self.corpus.held_out if exam else self.corpus)

    def _prose(self, rng: Random, length: int, exam: bool) -> tuple[list[int], str]:
        assert self.corpus
        patchwork = not exam and self.patchwork > 0 and rng.random() < self.patchwork
        piece = self.corpus.draw_held_out(rng) if exam else self.corpus.draw_patchwork(rng) if patchwork else self.corpus.draw(rng)
        ids = self.tokenizer.encode(piece.text, verbose=False)[: length + 1]
        whole = piece.whole and len(ids) <= length
        return [*ids, self.tokenizer.eos_token_id] if whole else ids, "patchwork" if patchwork else "prose"

    def _lesson(self, rng: Random, step: int, exam: bool) -> list[int]:
        return [*self.tokenizer.encode(document(rng, exam, early=step < self.early_steps), verbose=False), self.tokenizer.eos_token_id]


def _tensors(packed: list[list[tuple[list[int], str]]], length: int, filler: int) -> Batch:
    ids = torch.full((len(packed), length), filler)
    targets = torch.full((len(packed), length), IGNORED)
    segments = torch.zeros(len(packed), length, dtype=torch.long)
    prose, patchwork = (torch.zeros(len(packed), length, dtype=torch.bool) for _ in range(2))
    for row, documents in enumerate(packed):
        at = 0
        for number, (document_ids, kind) in enumerate(documents, start=1):
            size = min(len(document_ids), length - at)
            ids[row, at : at + size] = torch.tensor(document_ids[:size])
            answers = document_ids[1 : size + 1]
            targets[row, at : at + len(answers)] = torch.tensor(answers)
            segments[row, at : at + size] = number
            prose[row, at : at + size] = kind != "lesson"
            patchwork[row, at : at + size] = kind == "patchwork"
            at += size
    position = torch.arange(length)
    mask = (segments[:, :, None] == segments[:, None, :]) & (position[:, None] >= position[None, :])
    return Batch(ids, targets, mask[:, None].contiguous(), prose, patchwork, int((targets != IGNORED).sum()))
