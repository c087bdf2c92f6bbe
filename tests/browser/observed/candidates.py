"""What the page “Several tries” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import among, written
from tests.browser.drawn import Drawn, plainly


def candidates(drawn: Drawn, kept: RecordedExperiment) -> None:
    tries = {written(one.path) for one in kept.observations[-1].tries}
    shown = [f".st-key-candidates_text_{number} .tv-tinted span" for number in range(min(4, len(tries)))]
    assert {plainly("".join(drawn.texts(words))) for words in shown} <= tries
    assert len(drawn.texts(".tree .row .words")) >= len(tries)


def candidates_beam(drawn: Drawn, kept: RecordedExperiment) -> None:
    written = [note.replace("ln", "").replace("−", "-") for note in drawn.texts(".tree .row .note") if note.startswith("ln")]
    notes = [float(note.partition("·")[0]) for note in written]
    among(notes, {round(beam.log_probability, 2) for step in kept.observations for beam in step.considered})
    path = plainly("".join(drawn.texts(".tree .row.path .words")))
    assert len(notes) > 5 and plainly(kept.observations[-1].answers[0].text) in path
