"""Observations of a visitor's fine-tuning, and the copy that is trained."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from core.experiments.teach import Probe
from core.finetuning.finetune import FineTuning, TrainingPlan, TrainingStep


@dataclass(slots=True)
class Lesson:
    """A fine-tuning. text: training text. beginning: prompt for the probabilities. known: prompt of a text that the model knew before.

    tuning: the copy, None until it is made. seen: looks and steps, oldest first.

    picked: index of the look that is shown, None for the newest. used: names under which the copy was added to the visitor's models.
    """

    model: Any
    text: str
    beginning: str
    plan: TrainingPlan
    known: str = ""
    tuning: FineTuning | None = None
    seen: list[Probe | TrainingStep] = field(default_factory=list)
    picked: int | None = None
    used: set[str] = field(default_factory=set)

    @property
    def looks(self) -> list[Probe]:
        """The looks, oldest first. The later of two looks at the same step replaces the earlier."""
        return list({probe.index: probe for probe in self.seen if isinstance(probe, Probe)}.values())

    @property
    def steps(self) -> list[TrainingStep]:
        """The steps, oldest first."""
        return [step for step in self.seen if isinstance(step, TrainingStep)]

    @property
    def shown(self) -> Probe | None:
        """The look that is shown."""
        looks = self.looks
        return next((probe for probe in looks if probe.index == self.picked), looks[-1] if looks else None)
