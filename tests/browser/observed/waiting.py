"""What the page “Waiting” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import among, of_type, same, written
from tests.browser.drawn import Drawn, plainly


def compare_stream(drawn: Drawn, kept: RecordedExperiment) -> None:
    (shown,) = drawn.texts(".streamed .text")
    shown = plainly(shown.partition("✂")[0])
    assert shown and written(kept.observations[-1].paths[0]).startswith(shown)


def waiting(drawn: Drawn, kept: RecordedExperiment) -> None:
    latest = {watched.policy: watched for watched in of_type(kept, "Watched")}.values()
    decoding = [1000 * part.seconds for watched in latest for part in watched.stretches if part.name == "decode"]
    shown = [stop - start for start, stop in drawn.rows_of("rect", "start", "stop")]
    among(decoding, shown)
    assert decoding and len(drawn.rows()) == 2


def waiting_curve(drawn: Drawn, kept: RecordedExperiment) -> None:
    same(drawn.marks("symbol", "wait"), [1000 * point.queue for point in of_type(kept, "LoadPoint")])
