"""What the page “Compare” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import written
from tests.browser.drawn import Drawn, plainly


def compare(drawn: Drawn, kept: RecordedExperiment) -> None:
    for number, path in enumerate(kept.observations[-1].paths):
        assert plainly("".join(drawn.texts(f".st-key-compare_text_{number} span"))) == written(path)


def compare_sweep(drawn: Drawn, kept: RecordedExperiment) -> None:
    for number, result in enumerate(kept.observations):
        assert plainly("".join(drawn.texts(f".st-key-compare_line_{number} .tv-tinted span"))) == written(result.path)
