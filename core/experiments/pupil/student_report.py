"""Compare a small model with the large model that taught it: known facts, perplexity of an unseen text, agreement of the probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.experiments.pupil.two_models import both_here, same_tokens
from core.experiments.shared.claim import Observations
from core.experiments.shared.prompt_tokens import prompt_ids
from core.experiments.shared.questions import facts
from core.inspection.scoring import log_odds, score_text
from core.message import Message

MOST_FACTS = 400
MOST_TOKENS = 128  # of the text
AT_ONCE = 10  # facts between two reports


@dataclass(frozen=True, slots=True)
class StudentReport:
    """The report of one model so far. asked: number of facts; right: facts for which every token of the answer is the likeliest one.

    perplexity: of the text. kept: fraction of the text's places with the teacher's likeliest token; kl: mean Kullback-Leibler divergence
    from the teacher's probabilities, nats. Both are NaN for the teacher and for a model with another tokenizer.
    """

    name: str
    parameters: int
    right: int
    asked: int
    perplexity: float
    kept: float
    kl: float


def student_reports(
    models: Sequence[LanguageModel], teacher: LanguageModel, text: str, count: int = 60, seed: int = 0
) -> Iterator[StudentReport]:
    """Examine each of these models; yield its report after every AT_ONCE facts. count: facts, sampled with `seed` from the lessons.

    The facts are asked in the words of the lessons; the text should not be part of a lesson. Raises EmptyPrompt, PromptTooLong,
    BadSetting, ModelError for a model on a server, BrokenLogits, NoRoom.
    """
    both_here(teacher, *models)
    count = whole_number(count, Message("The number of facts"), 1, MOST_FACTS)
    items = [(before, answer) for _each, before, answer in facts.held_out_facts(plain=True)]
    asked = Random(seed).sample(items, min(count, len(items)))
    for model in models:
        perplexity, kept, kl = _along(model, teacher, text)
        report = StudentReport(model.name, model.parameter_count, 0, 0, perplexity, kept, kl)
        yield report
        for done, (before, answer) in enumerate(asked, start=1):
            report = replace(report, right=report.right + knows(model, before, answer), asked=done)
            if done % AT_ONCE == 0 or done == len(asked):
                yield report


def knows(model: LanguageModel, before: str, answer: str) -> bool:
    """Return whether every token of the answer is the model's likeliest one at its place."""
    scored = score_text(model, f"{before} {answer}", top_n=1)
    return bool((scored.ranks[len(model.tokenize(before)) :] == 1).all())


def _along(model: LanguageModel, teacher: LanguageModel, text: str) -> tuple[float, float, float]:
    """Return perplexity, fraction of equal likeliest tokens and mean divergence along the text."""
    ids = np.array(prompt_ids(model, text)[: min(MOST_TOKENS, model.context_length, teacher.context_length)], dtype=np.int64)
    logs = log_odds(model, ids)
    given = logs[np.arange(len(ids) - 1), ids[1:]]
    perplexity = math.exp(min(700.0, -float(given.mean()))) if len(given) else math.nan
    if model is teacher or not same_tokens(model, teacher):
        return perplexity, math.nan, math.nan
    theirs = log_odds(teacher, ids)[:, : logs.shape[1]]
    with np.errstate(invalid="ignore"):  # tokens with probability 0 add nothing
        apart = np.where(np.isfinite(theirs), np.exp(theirs) * (theirs - logs[:, : theirs.shape[1]]), 0.0).sum(1)
    return perplexity, float((theirs.argmax(1) == logs.argmax(1)).mean()), float(np.maximum(apart, 0.0).mean())


def teacher_is_better(observations: Observations) -> bool:
    teacher, pupil, twin = {report.name: report for report in observations}.values()
    better = teacher.perplexity < pupil.perplexity < twin.perplexity and teacher.right >= max(pupil.right, twin.right)
    return better and pupil.kept > twin.kept and pupil.kl < twin.kl
