"""What the page “Thinking aloud” must draw of an observation. A function has the name of its result."""

from __future__ import annotations

import math

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.agreement import same, written
from tests.browser.drawn import Drawn, plainly


def think(drawn: Drawn, kept: RecordedExperiment) -> None:
    same(drawn.marks("symbol", "share"), [thought.chance for _, thought in kept.observations if not math.isnan(thought.chance)])
    for side, style in (("one", "at once"), ("other", "step by step")):
        steps = [thought.step for way, thought in kept.observations if way.name == style]
        assert plainly("".join(drawn.texts(f".st-key-think_text_{side} span"))) == written(steps)


def think_set(drawn: Drawn, kept: RecordedExperiment) -> None:
    ways = {answer.style.name for answer in kept.observations}
    answers = [[answer.right for answer in kept.observations if answer.style.name == way] for way in ways]
    same(set(drawn.marks("rect", "share")), {sum(right) / len(right) for right in answers})


def thinking_budget(drawn: Drawn, kept: RecordedExperiment) -> None:
    points = [point for point in kept.observations if not point.waited]
    same(drawn.marks("symbol", "share"), [point.chance for point in points])


def thinking_budget_set(drawn: Drawn, kept: RecordedExperiment) -> None:
    longest = max(one.unforced.budget for one in kept.observations)
    budgets = {point.budget for one in kept.observations for point in one.points if not (point.is_own_end or point.waited)} | {longest}
    same(
        drawn.marks("symbol", "share"),
        [sum(one.at(budget).right for one in kept.observations) / len(kept.observations) for budget in budgets],
    )
