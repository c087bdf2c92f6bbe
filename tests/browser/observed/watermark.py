"""What the page “Is it marked?” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

import math

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import among, of_type, written
from tests.browser.drawn import Drawn, plainly


def watermark(drawn: Drawn, kept: RecordedExperiment) -> None:
    tokens = of_type(kept, "MarkedToken")
    for side in ("marked", "unmarked"):
        text = written(token for token in tokens if token.side == side)
        assert plainly("".join(drawn.texts(f".st-key-watermark_{side} .token"))) == text
    attacks = [min(15.0, -math.log10(text.p_value)) for text in of_type(kept, "Measured") if text.kind == "attacked"]
    powers = drawn.marks("symbol", "power")
    among(attacks, powers)
    assert len(powers) > len(tokens) and {kind for (kind,) in drawn.rows_of("rect", "side")} == {"marked", "unmarked", "human"}
