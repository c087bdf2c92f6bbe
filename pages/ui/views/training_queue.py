"""The notice of a training that waits for others."""

from __future__ import annotations

from core.experiments.shared.training_queue import Waiting
from pages.ui.i18n.translation import _


def waiting(result: Waiting) -> str:
    """Return the notice that other visitors' trainings come first."""
    return _("Another visitor's training runs now. Trainings before yours: {place}.").format(place=result.place)
