"""What the page “Memory” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.shared.result_file import RecordedExperiment
from pages.ui.i18n import numbers
from tests.browser.agreement import of_type
from tests.browser.drawn import Drawn


def memory(drawn: Drawn, kept: RecordedExperiment) -> None:
    told = drawn.texts("span")
    assert {numbers.percent(answer.probability) for answer in of_type(kept, "Answer")} <= set(told)
    assert len(told) > len(kept.observations) - 4, "a word for every token that was read"


def memory_ways(drawn: Drawn, kept: RecordedExperiment) -> None:
    rows = drawn.rows()
    assert [row[1] for row in rows] == [str(outcome.answer.pages) for outcome in kept.observations]
    assert [row[-1] for row in rows] == [outcome.answer.said for outcome in kept.observations]


def quantization_notepad(drawn: Drawn, kept: RecordedExperiment) -> None:
    rows = drawn.rows()[-2:]
    assert [(row[0], row[1]) for row in rows] == [(str(one.bits), numbers.size(one.bytes)) for one in kept.observations]
