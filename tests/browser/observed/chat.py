"""What the page “Chat” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.shared.result_file import RecordedExperiment
from pages.ui.i18n import numbers
from tests.browser.drawn import Drawn, plainly


def watch_template(drawn: Drawn, kept: RecordedExperiment) -> None:
    seen, told = kept.observations[-1], " ".join(drawn.texts("p"))
    assert "No fault was found." in told and numbers.bits(seen.end_bits) in told
    assert plainly("".join(drawn.texts(".token"))) == plainly("".join(seen.pieces))
