"""What the page “Same prompt, other number” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

import math

import pytest

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import of_type, same
from tests.browser.drawn import Drawn, plainly


def same_prompt(drawn: Drawn, kept: RecordedExperiment) -> None:
    (comparison,) = of_type(kept, "Comparison")
    same(drawn.marks("rect", "difference_nats"), [value for value in comparison.difference.differences.tolist() if math.isfinite(value)])
    for run in comparison.runs:
        for side, tokens in enumerate((run.first, run.second)):
            assert plainly("".join(drawn.texts(f".st-key-same_prompt_run_{run.greedy}_{side} .token"))) == plainly("".join(tokens))


def same_prompt_noise(drawn: Drawn, kept: RecordedExperiment) -> None:
    repeats = of_type(kept, "Comparison")
    assert f"Computed {len(repeats)} times again, no log-probability" in " ".join(drawn.texts("p"))
    assert {repeat.difference.largest for repeat in repeats} == {0.0}


def same_prompt_table(drawn: Drawn, kept: RecordedExperiment) -> None:
    rows, compared = drawn.rows()[-14:], of_type(kept, "Comparison")
    assert [float(row[1]) for row in rows] == pytest.approx([way.difference.largest for way in compared], rel=0.05)
    assert [int(row[3]) for row in rows] == [len(way.difference.changed) for way in compared]
