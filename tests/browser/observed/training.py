"""What the page “Training” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.shared.result_file import RecordedExperiment
from pages.ui.i18n import numbers
from tests.browser.agreement import among, of_type
from tests.browser.drawn import Drawn


def teach_step(drawn: Drawn, kept: RecordedExperiment) -> None:
    (step,) = kept.observations
    cells = [cell for row in drawn.rows() for cell in row]
    assert {numbers.duration(step.inference_seconds), numbers.size(step.weight_bytes), numbers.size(step.cache_bytes)} <= set(cells)


def newborn(drawn: Drawn, kept: RecordedExperiment) -> None:
    bits = [growth.bits for growth in of_type(kept, "ScratchTrainingStep")]
    shown = drawn.marks("symbol", "value")
    among(shown, bits)
    assert len(shown) >= min(len(bits), 20)
