"""What the page “Fewer bits” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.shared.result_file import RecordedExperiment
from pages.ui.i18n import numbers
from tests.browser.agreement import same
from tests.browser.drawn import Drawn


def quantization(drawn: Drawn, kept: RecordedExperiment) -> None:
    full, *rows = [row for row in drawn.rows() if "\u00a0MB" in row[1]]
    assert [row[0] for row in rows] == [str(one.bits) for one in kept.observations]
    assert [row[1] for row in (full, *rows)] == [
        numbers.size(kept.observations[0].full_bytes),
        *(numbers.size(one.bytes) for one in kept.observations),
    ]
    same(drawn.marks("rect", "full")[:8], kept.observations[0].full_probabilities[:8])


def quantization_parts(drawn: Drawn, kept: RecordedExperiment) -> None:
    same(drawn.marks("rect", "damage"), [part.mean_kl for part in kept.observations])
