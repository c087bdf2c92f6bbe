"""Impossible input of the page think."""

from __future__ import annotations

from core.experiments.shared.prompting_styles import DIRECT
from core.experiments.think.thinking import Question, count, sums, think
from core.experiments.think.thinking_budget import budget_curve, budget_set
from tests.core.experiments.impossible import COUNTS, Prompts, Settings

SETTINGS: Settings = {
    "answer": (lambda m, v: think(m, Question("x", v), DIRECT), ["", "  ", "9" * 41, "\n"]),
    "sums": (lambda m, v: sums(v), [0, -1, 201, True, 2.5, "3"]),
    "distance of budgets": (lambda m, v: budget_curve(m, Question("x", "5"), step=v), COUNTS),
    "questions": (lambda m, v: count(m, [Question("x", "5")] * v), [0, 201]),
    "questions of budgets": (lambda m, v: budget_set(m, v), [[]]),
}
PROMPTS: Prompts = {
    "thinking": lambda m, text: think(m, Question(text, "5"), DIRECT),
    "budget for thinking": lambda m, text: budget_curve(m, Question(text, "5")),
}
