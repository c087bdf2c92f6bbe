"""Rehearsal texts against catastrophic forgetting: texts like the old training data, trained together with the new text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.models.hub import BUNDLED, bundled_names

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

LESSONS = BUNDLED / "storyteller" / "rehearsal.txt"  # one lesson of the bundled models a line
WRITTEN = 48  # tokens of a text that a model writes for itself


def rehearsal_texts(model: LanguageModel, count: int = 64, seed: int = 0) -> list[str]:
    """Return texts like those the model learned from: lessons of the bundled models, or what any other model writes by itself.

    If the training text is not available, the model's own samples replace it (pseudo-rehearsal, Robins 1995).
    """
    if model.name in bundled_names():
        return LESSONS.read_text("utf-8").splitlines()[:count]
    from core.generation.generation import generated
    from core.sampling.settings import SamplingSettings

    texts = []
    for number in range(min(count, 8)):
        run = generated(model, model.token(first_token(model)).text or " ", SamplingSettings(top_p=0.95, seed=seed + number), WRITTEN)
        texts.append(" ".join(run.text.split()))
    return [text for text in texts if any(letter.isalnum() for letter in text)]


def first_token(model: LanguageModel) -> int:
    """Return the first token for a sample: this model's token of the letter "A"."""
    return model.encode("A")[-1]
