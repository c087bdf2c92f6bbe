"""What the page “Cache race” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from typing import Any

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import among, same
from tests.browser.drawn import Drawn


def race(drawn: Drawn, kept: RecordedExperiment) -> None:
    passes = drawn.rows_of("symbol", "raw", "over")
    assert len(passes) >= len(kept.observations)
    among(
        [raw for raw, over in passes if not over], [1000 * step.seconds for step in kept.observations]
    )  # slower ones stand at the upper edge
    same(drawn.marks("symbol", "total_positions"), [step.total_positions for step in last_of_each(kept)])


def last_of_each(kept: RecordedExperiment) -> list[Any]:
    """Return the last observation of each runner of a race."""
    return list({step.runner: step for step in kept.observations}.values())
