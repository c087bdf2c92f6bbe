"""Impossible input of runs, scores and looks inside, which many pages use."""

from __future__ import annotations

from core import Generation
from core.experiments.candidates.best_of_n import write_together
from core.inspection.embeddings import neighbours
from core.inspection.inside import inspect_step
from core.inspection.named_answers import named_answers
from core.inspection.scoring import score_text
from tests.core.experiments.impossible import TEXT, Settings

NO_COUNT = [None, "5", 2.5]
SETTINGS: Settings = {
    "stride": (lambda m, v: score_text(m, TEXT, stride=v), [0, -1, 64, 1.5, "8", True]),
    "tokens to write": (lambda m, v: Generation(m, TEXT).stream(v), [-1, 1.5, "3", True]),
    "listed tokens of a run": (lambda m, v: Generation(m, TEXT, top_n=v), NO_COUNT),
    "listed tokens of tries": (lambda m, v: write_together(m, TEXT, count=2, steps=2, top_n=v), NO_COUNT),
    "listed tokens of a score": (lambda m, v: score_text(m, TEXT, v), NO_COUNT),
    "listed tokens of a step": (lambda m, v: inspect_step(m, [5, 6], v), NO_COUNT),
    "neighbours": (lambda m, v: neighbours(m, 5, v), NO_COUNT),
    "named answers": (lambda m, v: named_answers(m, [1], v), [[], [""], ["x" * 81], ["a"] * 13]),
    "attempt": (lambda m, v: Generation(m, TEXT).step(v), [-1, 2**32, 1.5, "x", None, True]),
    "copies that stop a run": (lambda m, v: Generation(m, TEXT, stop_on_loop=v), [1, -1, 101, 2.5, "3", None, True]),
    "texts that stop a run": (lambda m, v: Generation(m, TEXT, stop=v), [[""], ["x"] * 100, [3], ["x" * 999]]),
    "tokens that stop a run": (lambda m, v: Generation(m, TEXT, most_new_tokens=v), [-1, 0.5]),
    "budget of thoughts": (lambda m, v: Generation(m, TEXT, thinking_budget=v), [-1, 1.5, "3", 10**12]),
    "end of thoughts": (lambda m, v: Generation(m, TEXT, thinking_budget=3, thinking_end=v), ["x" * 201, 7]),
}
