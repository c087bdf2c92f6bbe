"""What the page “Teach it” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

import pytest

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import of_type
from tests.browser.drawn import Drawn


def teach(drawn: Drawn, kept: RecordedExperiment) -> None:
    last = of_type(kept, "Probe")[-1]
    now = drawn.pairs("rect", "label", "now")
    odds = [candidate for look in (last.distribution, last.known) if look is not None for candidate in look.candidates]
    favourites = {one.piece: one.model_probability for one in odds if one.model_probability > 0.05}
    assert {piece: now.get(piece) for piece in favourites} == pytest.approx(favourites, rel=1e-4)
