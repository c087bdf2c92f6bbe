"""What the page “Sure or true?” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import same
from tests.browser.drawn import Drawn


def calibration(drawn: Drawn, kept: RecordedExperiment) -> None:
    bins = [part for seen in kept.observations if seen.counts for part in seen.bins()]
    same(drawn.marks("symbol", "observed"), [part.observed for part in bins])
