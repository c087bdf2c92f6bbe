"""Score a text that no bundled model has read with several models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.inspection.scoring import score_text
from core.sources.ngram.ngram import HELD_OUT
from core.sources.token_source import TokenSource

LENGTH = 1_200  # characters


@dataclass(frozen=True, slots=True)
class Unread:
    """A model's score of a text. tokens: scored ones. perplexity: 2 to the mean surprise of its own tokens. bits: the sum of surprise."""

    name: str
    tokens: int
    perplexity: float
    bits: float
    characters: int

    @property
    def bits_per_character(self) -> float:
        """Sum of surprise by the length of the text."""
        return self.bits / self.characters


def unread_text() -> str:
    """Return stories that no bundled model and no n-gram model read, about LENGTH characters."""
    return HELD_OUT.read_text("utf-8")[:LENGTH].rpartition(".")[0].replace("\n\n", " ") + "."


def unread(models: Sequence[TokenSource], text: str = "") -> Iterator[Unread]:
    """Yield the score of each model. text: by default that of `unread_text`. Raises what `score_text` raises."""
    text = text or unread_text()
    for model in models:
        scored = score_text(model, text)
        yield Unread(model.name, scored.scored_count, scored.perplexity, scored.total_bits, len(text))
