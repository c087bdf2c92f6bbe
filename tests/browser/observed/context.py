"""What the page “Context” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import same
from tests.browser.drawn import Drawn, plainly


def context(drawn: Drawn, kept: RecordedExperiment) -> None:
    points = {point.length: point for point in kept.observations}.values()
    same(drawn.marks("symbol", "median"), [1000 * spread.median for point in points for spread in (point.prefill, point.decode)])


def context_end(drawn: Drawn, kept: RecordedExperiment) -> None:
    end = kept.observations[0]
    told = " ".join(drawn.texts(":scope > *"))
    assert plainly(end.text) in plainly(told) and str(end.read) in told and str(end.offered) in told
