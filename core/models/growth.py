"""Training checkpoints' record of a bundled model, read: what it expected and wrote at some moments of its growing up.

`core/training/growth.py` writes it while the model learns. Nothing in it is computed again here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import BadRecording
from core.language import _
from core.models.hub import BUNDLED, bundled_names

FILE = "growth.json"
LARGEST = 4 * 1024 * 1024  # bytes

Count = Annotated[int, Field(ge=0, le=2**53)]
Text = Annotated[str, Field(max_length=2_000)]
Probability = Annotated[float, Field(ge=0.0, le=1.000001)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Beginning(_Part):
    """A prompt, and the likeliest tokens after it at one moment: (token id, probability), likeliest first."""

    prompt: Text
    top: Annotated[list[tuple[Count, Probability]], Field(min_length=1, max_length=100)]


class Moment(_Part):
    """The model after so many steps and tokens. loss, held_out_loss: nats per token.

    loss: on the lessons of that time; None before the first, and while it learned something else of them than the next token.
    held_out_loss: on text that it never learned from; None where nobody measured it.
    """

    step: Count
    tokens: Count
    loss: Annotated[float, Field(ge=0.0)] | None
    held_out_loss: Annotated[float, Field(ge=0.0)] | None = None
    prompts: Annotated[list[Beginning], Field(min_length=1, max_length=50)]
    sample: Text


class Growth(_Part):
    """The whole record; every moment has the same prompts, in the same order. top: how many tokens are listed."""

    format: Literal[1]
    top: Count
    moments: Annotated[list[Moment], Field(min_length=1, max_length=100)]

    @property
    def guesses_per_update(self) -> int:
        """How many guesses moved the weights together, on average over the whole training; 0 if nothing was learned yet."""
        last = self.moments[-1]
        return round(last.tokens / last.step) if last.step else 0

    @property
    def prompts(self) -> list[str]:
        """What was asked every time."""
        return [beginning.prompt for beginning in self.moments[-1].prompts]


def growth_of(name: str) -> Growth | None:
    """The growth record of a model that came with the app; None if it has none or did not come with it. Raises BadRecording."""
    path = BUNDLED / name / FILE
    return read_growth(path) if name in bundled_names() and path.is_file() else None


def read_growth(path: Path) -> Growth:
    """A growth record from its file. Raises BadRecording for anything else, in one sentence."""
    try:
        if path.stat().st_size > LARGEST:
            raise BadRecording(_("This growth record is too large to be one."))
        record = Growth.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise BadRecording(_("This growth record cannot be read.")) from error
    if any([beginning.prompt for beginning in moment.prompts] != record.prompts for moment in record.moments):
        raise BadRecording(_("This growth record asks different things at different moments."))
    return record
