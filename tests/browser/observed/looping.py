"""What the page “Why does it loop?” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import same
from tests.browser.drawn import Drawn


def looping(drawn: Drawn, kept: RecordedExperiment) -> None:
    same(drawn.marks("symbol", "share"), [share for shares in kept.observations[-1].shares for share in shares])


def looping_runs(drawn: Drawn, kept: RecordedExperiment) -> None:
    newest = {(seen.model, seen.temperature): seen.loops / seen.runs for seen in kept.observations}
    same(drawn.marks("symbol", "share"), newest.values())
