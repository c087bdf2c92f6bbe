"""What the page “Pupil and teacher” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import of_type, same
from tests.browser.drawn import Drawn, plainly


def pupil(drawn: Drawn, kept: RecordedExperiment) -> None:
    tokens = of_type(kept, "JudgedToken")
    same(drawn.marks("rect", "up")[: len(tokens)], [one.writer.surprise for one in tokens])
    same(drawn.marks("rect", "down")[: len(tokens)], [one.judge.surprise for one in tokens])


def pupil_cascade(drawn: Drawn, kept: RecordedExperiment) -> None:
    for run in range(3):
        text = "".join(token.text for token in of_type(kept, "CascadeToken") if token.run == run)
        assert plainly("".join(drawn.texts(f".st-key-pupil_cascade_{run} .token"))).startswith(plainly(text))
    assert len(drawn.rows()) == 3


def pupil_school(drawn: Drawn, kept: RecordedExperiment) -> None:
    reports = {report.name: report for report in kept.observations}.values()
    assert [row[2] for row in drawn.rows()] == [f"{report.right} of {report.asked}" for report in reports]
