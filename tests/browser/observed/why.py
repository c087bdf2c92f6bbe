"""What the page “Why this token?” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

import math

import pytest

from core.experiments.shared.result_file import RecordedExperiment
from pages.why.why_words import strongest
from tests.browser.agreement import same
from tests.browser.drawn import Drawn, plainly


def why_words(drawn: Drawn, kept: RecordedExperiment) -> None:
    seen = kept.observations[-1]
    known = {part.effect / math.log(2) for part in strongest(seen)}
    same(set(drawn.marks("rect", "effect")), known)
    assert plainly("".join(drawn.texts(".token"))) == plainly("".join((*seen.texts, seen.target)))


def why_two(drawn: Drawn, kept: RecordedExperiment) -> None:
    why_words(drawn, kept)
    shown = plainly("".join(drawn.texts("p")))
    assert plainly(f"For “{kept.observations[-1].target.strip('␣')}” speak most") in shown


def why_heads(drawn: Drawn, kept: RecordedExperiment) -> None:
    effects = [effect / math.log(2) for row in kept.observations[-1].effects for effect in row]
    same(drawn.marks("rect", "effect"), effects)


def why_without(drawn: Drawn, kept: RecordedExperiment) -> None:
    seen = kept.observations[-1]
    same(set(drawn.marks("rect", "rounded")), set(seen.changed))
    assert plainly(seen.usual_text) in plainly("".join(drawn.texts("p"))) and plainly(seen.changed_text) in plainly(
        "".join(drawn.texts("p"))
    )


def why_fact(drawn: Drawn, kept: RecordedExperiment) -> None:
    same(set(drawn.marks("rect", "effect")), {share for row in kept.observations[-1].recovered for share in row})


def why_sum(drawn: Drawn, kept: RecordedExperiment) -> None:
    seen = kept.observations[-1]
    same(drawn.marks("rect", "effect"), [part.value for part in seen.parts])
    assert seen.sum == pytest.approx(seen.logit, abs=1e-4)


def why_steer(drawn: Drawn, kept: RecordedExperiment) -> None:
    seen = kept.observations[-1]
    for number, text in enumerate((seen.usual, seen.steered)):
        assert plainly("".join(drawn.texts(f".st-key-why_steer_text_{number} p"))) == plainly(seen.prompt + text)
