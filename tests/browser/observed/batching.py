"""What the page “Many requests” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import among, of_type
from tests.browser.drawn import Drawn, plainly


def batching(drawn: Drawn, kept: RecordedExperiment) -> None:
    readers = len(kept.about[0])
    texts = [""] * 2 * readers
    for served in of_type(kept, "Served"):
        for one in served.iteration.progress:
            texts[served.side * readers + one.request_id] += one.text or ""
    shown = [plainly(text) for text in drawn.texts(".side .told .text")]
    assert [plainly(whole).endswith(tail) for whole, tail in zip(texts, shown, strict=True)] == [True] * 2 * readers
    assert len(drawn.texts(".side .name.done")) == 2 * readers and drawn.rows()


def batching_curve(drawn: Drawn, kept: RecordedExperiment) -> None:
    among(drawn.marks("symbol", "rate"), [point.tokens_per_second for point in kept.observations])
    assert set(drawn.marks("symbol", "size")) == {point.size for point in kept.observations}
