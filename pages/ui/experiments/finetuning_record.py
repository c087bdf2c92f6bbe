"""What was seen of a visitor's fine-tuning, and the copy on its way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from core.experiments.teach import Look
from core.finetuning.finetune import FineTuning, TrainingPlan, TrainingStep


@dataclass(slots=True)
class Lesson:
    """text, beginning, plan: what is taught and asked. known: the beginning of something that it knew before.

    tuning: the copy, None until it is made. seen: looks and steps, oldest first.

    picked: the moment that is looked at, None for the newest. used: the names under which it was put into the visitor's list.
    """

    model: Any
    text: str
    beginning: str
    plan: TrainingPlan
    known: str = ""
    tuning: FineTuning | None = None
    seen: list[Any] = field(default_factory=list)
    picked: int | None = None
    used: set[str] = field(default_factory=set)

    @property
    def looks(self) -> list[Look]:
        """What it expected, oldest moment first; of a moment looked at twice the later look."""
        return list({look.index: look for look in self.seen if isinstance(look, Look)}.values())

    @property
    def steps(self) -> list[TrainingStep]:
        """The steps, oldest first."""
        return [step for step in self.seen if isinstance(step, TrainingStep)]

    @property
    def shown(self) -> Look | None:
        """The moment that is looked at."""
        looks = self.looks
        return next((look for look in looks if look.index == self.picked), looks[-1] if looks else None)
