"""Calibration: of all tokens that got a probability of 70 %, did seven of ten follow? Every probability at every place of a text counts.

The text is its own label. At each place every token of the vocabulary has a probability, and one token follows (full calibration: Liu and
others 2024, arXiv 2406.11345). Each temperature of a list is counted from the same logits, so that none needs a pass of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from core.engine.model import LanguageModel
from core.errors import InputError
from core.experiments.shared.claim import Observations
from core.experiments.shared.confidence_interval import wilson
from core.inspection.named_answers import named_answers
from core.inspection.scoring import read_logits
from core.sources.capabilities import Can, require
from core.sources.ngram.ngram import HELD_OUT
from core.sources.token_source import TokenSource

TEMPERATURES = tuple(round(step / 10, 1) for step in range(5, 21))
EDGES = (0.0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of the bins; a value on an edge is in the bin above
LOWEST = 3  # bins below 10 %, which are one bin of ten in the distance
DIE, FACES = "I rolled a die and got a", tuple(f" {face}." for face in range(1, 7))
SMALL = EDGES[1]


@dataclass(frozen=True, slots=True)
class Bin:
    """The probabilities between two edges. count: how many. predicted: their mean. observed: the fraction whose token followed.

    low, high: the interval of 95 % for it (Wilson 1927). It takes the places of a text as independent, which they are not quite.
    """

    start: float
    end: float
    count: int
    predicted: float
    observed: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """A model's probabilities along texts. places: tokens that were predicted. done, total: tokens read so far, of this model's texts.

    counts, sums, hits: of each temperature of TEMPERATURES and each bin of EDGES, how many probabilities are in it, their sum, and how many
    of their tokens followed; empty until all is read. die: the probabilities of six faces after DIE; empty if the source cannot say it.
    """

    model: str
    places: int
    done: int
    total: int
    counts: tuple[tuple[int, ...], ...] = ()
    sums: tuple[tuple[float, ...], ...] = ()
    hits: tuple[tuple[int, ...], ...] = ()
    die: tuple[float, ...] = ()

    def bins(self, temperature: float = 1.0) -> list[Bin]:
        """Return the bins that have probabilities, at a temperature of TEMPERATURES."""
        row = TEMPERATURES.index(temperature)
        counted = zip(EDGES, EDGES[1:], self.counts[row], self.sums[row], self.hits[row], strict=False)
        return [Bin(start, end, n, total / n, hits / n, *wilson(hits, n)) for start, end, n, total, hits in counted if n]

    def distance(self, temperature: float = 1.0) -> float:
        """Return the Full-ECE over ten bins of 10 %: of the 100 % at a place, how much its bins are above or below what came true."""
        row = TEMPERATURES.index(temperature)
        apart = np.array(self.sums[row]) - np.array(self.hits[row])
        return float(np.abs([apart[:LOWEST].sum(), *apart[LOWEST:]]).sum()) / self.places

    def best(self) -> float:
        """Return the temperature of TEMPERATURES with the smallest distance."""
        return min(TEMPERATURES, key=self.distance)


def unread_stories() -> list[str]:
    """Return the stories that no bundled model and no n-gram model read."""
    return HELD_OUT.read_text("utf-8").strip().split("\n\n")


def calibrations(models: Sequence[TokenSource], texts: Sequence[str]) -> Iterator[Calibration]:
    """Read the texts with each model; yield after every part. Each text is read on its own.

    Raises ModelError for a source that does not give all probabilities, InputError for texts of one token, and what `score_text` raises.
    """
    for model in models:
        require(model, Can.ALL_TOKENS, Can.TOKEN_IDS)
    for model in models:
        tally, total = _Tally(), sum(len(model.encode(text)) for text in texts)
        result = Calibration(model.name, 0, 0, total)
        for text in texts:
            before = result.done
            for read, _count in read_logits(model, text, tally.take):
                result = replace(result, done=before + read, places=tally.places)
                yield result
        if not tally.places:
            raise InputError("A single token cannot be scored, because no token comes before it. Write a little more.")
        die = named_answers(model, model.encode(DIE), FACES) if isinstance(model, LanguageModel) else []
        counts, hits = (tuple(tuple(map(int, row)) for row in table) for table in (tally.counts, tally.hits))
        sums = tuple(tuple(round(max(0.0, float(value)), 6) for value in row) for row in tally.sums)
        yield replace(result, done=total, counts=counts, sums=sums, hits=hits, die=tuple(face.probability for face in die))


class _Tally:
    """Counts probabilities. counts, sums, hits: float64 [temperatures, bins]."""

    def __init__(self) -> None:
        self.places = 0
        self.counts, self.sums, self.hits = (np.zeros((len(TEMPERATURES), len(EDGES) - 1)) for _each in range(3))

    def take(self, ids: np.ndarray, logits: torch.Tensor) -> None:
        """Count all probabilities before these tokens, of logits [tokens, vocabulary]."""
        columns = torch.from_numpy(ids).to(logits.device)[:, None]
        self.places += len(ids)
        for row, temperature in enumerate(TEMPERATURES):
            chances = (logits / temperature).softmax(-1)
            large = chances[chances >= SMALL]  # most are smaller; these alone are sorted into bins
            self._add(self.counts[row], large, torch.ones_like(large))
            self._add(self.sums[row], large, large)
            self._add(self.hits[row], followed := chances.gather(1, columns)[:, 0], torch.ones_like(followed))
            self.counts[row, 0] += chances.numel() - len(large)
            self.sums[row, 0] += len(ids) - float(large.double().sum())

    @staticmethod
    def _add(into: np.ndarray, chances: torch.Tensor, weights: torch.Tensor) -> None:
        edges = torch.tensor(EDGES[1:-1], device=chances.device, dtype=chances.dtype)
        bin_index = torch.bucketize(chances.contiguous(), edges, right=True)
        into += torch.bincount(bin_index, weights.double(), len(into)).cpu().numpy()


def teacher_is_calibrated(observations: Observations) -> bool:
    """Return whether the teacher is nearer to the diagonal than its pupil, each at a temperature near 1, and worse at 2."""
    teacher, pupil = (part for part in observations if part.counts)
    near = all(abs(part.best() - 1.0) < 0.15 and part.distance(2.0) > 4 * part.distance(1.0) for part in (teacher, pupil))
    return near and teacher.distance(1.0) < pupil.distance(1.0)
