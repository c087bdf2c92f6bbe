"""What the page “Receipt” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.cost import answers
from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.drawn import Drawn


def cost_two(drawn: Drawn, kept: RecordedExperiment) -> None:
    passes = [row[1] for row in drawn.rows() if "Forward passes" in row[0]]
    counts = [answers(kept.observations, side)[0][-1].receipt.new_tokens for side in (0, 1)]
    assert [text.startswith(str(count)) for text, count in zip(passes, counts, strict=True)] == [True, True]
