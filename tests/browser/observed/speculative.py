"""What the page “Guess and check” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import of_type
from tests.browser.drawn import Drawn, plainly


def speculative(drawn: Drawn, kept: RecordedExperiment) -> None:
    rounds = of_type(kept, "SpeculativeRound")
    assert len(drawn.texts(".tv-drafts .round")) == len(rounds)
    guesses = [guess.text for one in rounds for guess in one.drafted if guess.verdict == "accepted"]
    assert plainly("".join(drawn.texts(".round .accepted"))) == plainly("".join(guesses))
    assert drawn.marks("symbol", "measured")
