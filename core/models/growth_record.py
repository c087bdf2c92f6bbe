"""Read the growth record of a bundled model: its probabilities and samples at several checkpoints of its training.

`core/bundled/recipe/growth.py` writes the record during the training. Nothing in it is computed again here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import BadRecording
from core.models.hub import BUNDLED, bundled_names

FILE = "growth.json"
LARGEST = 4 * 1024 * 1024  # bytes

Count = Annotated[int, Field(ge=0, le=2**53)]
Text = Annotated[str, Field(max_length=2_000)]
Probability = Annotated[float, Field(ge=0.0, le=1.000001)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Beginning(_Part):
    """A prompt, and the likeliest tokens after it at one checkpoint: (token id, probability), likeliest first."""

    prompt: Text
    top: Annotated[list[tuple[Count, Probability]], Field(min_length=1, max_length=100)]


class Moment(_Part):
    """A checkpoint of the model after `step` steps and `tokens` tokens. loss, held_out_loss: nats per token.

    loss: on the lessons at that time; None before the first step, and while the training goal was not the next token.
    held_out_loss: on text outside the training data; None if not measured.
    """

    step: Count
    tokens: Count
    loss: Annotated[float, Field(ge=0.0)] | None
    held_out_loss: Annotated[float, Field(ge=0.0)] | None = None
    prompts: Annotated[list[Beginning], Field(min_length=1, max_length=50)]
    sample: Text


class GrowthRecord(_Part):
    """The whole record. Every moment has the same prompts in the same order. top: number of listed tokens."""

    format: Literal[1]
    top: Count
    moments: Annotated[list[Moment], Field(min_length=1, max_length=100)]

    @property
    def guesses_per_update(self) -> int:
        """Return the mean number of tokens per training step; 0 before the first step."""
        last = self.moments[-1]
        return round(last.tokens / last.step) if last.step else 0

    @property
    def prompts(self) -> list[str]:
        """Return the prompts of every checkpoint."""
        return [beginning.prompt for beginning in self.moments[-1].prompts]


def growth_of(name: str) -> GrowthRecord | None:
    """Return the growth record of a bundled model; None without a record or for other models. Raises BadRecording."""
    path = BUNDLED / name / FILE
    return read_growth(path) if name in bundled_names() and path.is_file() else None


def read_growth(path: Path) -> GrowthRecord:
    """Return the growth record in a file. Raises BadRecording, with one sentence, for an invalid file."""
    try:
        if path.stat().st_size > LARGEST:
            raise BadRecording("This growth record is too large.")
        record = GrowthRecord.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise BadRecording("This growth record cannot be read.") from error
    if any([beginning.prompt for beginning in moment.prompts] != record.prompts for moment in record.moments):
        raise BadRecording("This growth record has different prompts at different moments.")
    return record
