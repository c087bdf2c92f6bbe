"""Chain of thought against direct answers: the same question both ways, and the chance of the right answer as it goes.

A model does the same amount of work for every token. Asked for the answer at once, it has one pass; allowed to write first, it has many,
and each can use what the earlier ones wrote down.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.engine.kv_cache.kv_cache import KVCache
from core.errors import BadSetting, EmptyPrompt
from core.experiments.answers import NUMBER, ends_here, first_answer, goes_on, is_complete, is_number, same_answer, spellings
from core.experiments.fork import continuation
from core.experiments.questions import sums as lessons
from core.generation.generation import Generation
from core.language import N_, _, written
from core.settings import SamplingSettings

if TYPE_CHECKING:
    from core.engine.model import LanguageModel
    from core.record.step import Step

MOST_STEPS = 300
MOST_QUESTIONS = 200
LONGEST_ANSWER = 40  # characters


@dataclass(frozen=True, slots=True)
class PromptingStyle:
    """A way of asking. begin: what stands behind the question. lead: the words that introduce the answer."""

    name: str
    begin: str
    lead: str


DIRECT = PromptingStyle(N_("at once"), "Answer:", "Answer:")
CHAIN_OF_THOUGHT = PromptingStyle(N_("step by step"), "Let us think step by step.", "The answer is")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with one right answer. text ends where the way of answering begins."""

    text: str
    answer: str


@dataclass(frozen=True, slots=True)
class ReasoningStep:
    """One more token on one way. chance: the probability that the model would give the right answer if it had to answer here.

    text: all that was written. tokens: how many. given: the answer it gave, None until that is complete. finished: why it ended, or None.
    """

    step: Step
    text: str
    tokens: int
    chance: float
    given: str | None
    finished: str | None


@dataclass(frozen=True, slots=True)
class Answered:
    """One question of a set, answered one way. given: None if no answer came, or none came to its end."""

    question: Question
    style: PromptingStyle
    text: str
    given: str | None
    right: bool
    tokens: int
    seconds: float


def think(
    model: LanguageModel, question: Question, style: PromptingStyle, settings: SamplingSettings | None = None, steps: int = 160
) -> Iterator[ReasoningStep]:
    """Answer one question one way; yields every token, with the chance of the right answer before it was written.

    Greedily, unless settings say otherwise: then the same question gets the same answer every time.
    Raises EmptyPrompt for an empty question, PromptTooLong, BadSetting for an answer that is empty or too long.
    """
    asked, answer = _asked(question, style), _answer(question)
    run = Generation(model, asked, settings or SamplingSettings(greedy=True), top_n=8)
    probe = KVCache()
    steps = _whole(steps, N_("The length"), MOST_STEPS)
    try:
        while run.finished is None and len(run.path) < steps:
            chance = chance_of(model, run, style, answer, probe)
            step = next(run.stream(1), None)
            if step is None:
                return
            over = _is_over(run, style, answer)
            found = given(run.written, style, answer) if over or run.finished == "end of text" else None
            yield ReasoningStep(step, run.written, len(run.path), chance, found, "answered" if over else run.finished)
            if over:
                return
    finally:
        run.release()
        probe.clear()


def chance_of(model: LanguageModel, run: Generation, style: PromptingStyle, answer: str, cache: KVCache) -> float:
    """How likely the right answer is if it has to come now: that its tokens come, behind the words that lead to it, and that it ends there.

    The model's own joint probability, added up over the usual spellings (1000 and 1,000); the end is judged by one token more: no digit
    behind a number, no letter behind a word. Where the lead was written already, of what is still missing of the answer: 1 when it stands
    there and something else has followed, 0 when another answer does. NaN where the context has no room to ask.
    """
    said = _behind_lead(run.written, style)
    if said is None:
        lead = style.lead if run.text.endswith((" ", "\n")) else f" {style.lead}"
        before, begun, ids = run.text + lead, "", [int(i) for i in run.token_ids] + continuation(model, run.text, lead)
    else:
        before, begun, ids = run.text, _begun(said, answer), [int(i) for i in run.token_ids]
    gap = "" if begun or before.endswith((" ", "\n")) else " "
    total = 0.0
    for spelling in spellings(answer):
        if begun.casefold().startswith(spelling.casefold()):
            behind = begun[len(spelling) :]
            longer = goes_on(spelling, behind)
            if longer is None:
                total += _joint(model, ids, [], cache, spelling, behind)
            elif not longer:
                total += 1.0
        elif spelling.casefold().startswith(begun.casefold()):
            wanted = continuation(model, before, gap + spelling[len(begun) :])
            total += _joint(model, ids, wanted, cache, spelling, "")
    return total if math.isnan(total) else min(1.0, total)


def _joint(model: LanguageModel, ids: list[int], wanted: list[int], cache: KVCache, answer: str, behind: str) -> float:
    """The probability that these tokens come behind those, and that the answer ends with them."""
    if len(ids) + len(wanted) >= model.context_length:
        return math.nan
    ids, total = list(ids), 0.0
    for token_id in wanted:
        forward = model.engine.forward(ids, cache)
        if token_id not in forward.logits:  # a server told only its favourites
            forward = model.engine.request_more_logprobs(np.array(ids), forward, token_id=token_id)
        total += float(torch.log_softmax(forward.logits.values.float(), 0)[token_id])
        ids.append(token_id)
    behind_it = torch.softmax(model.engine.forward(ids, cache).logits.values.float(), 0)
    return math.exp(total) * ends_here(model, behind_it.cpu().numpy(), answer, behind)


def given(text: str, style: PromptingStyle, like: str = "") -> str | None:
    """The answer in a text: the first number (or else the first words, as many as `like` has) behind the last lead; None without a lead.

    >>> given(" 4 + 3 = 7. The answer is 110.", CHAIN_OF_THOUGHT), given(" 98.", DIRECT), given(" 4 + 3", CHAIN_OF_THOUGHT)
    ('110', '98', None)
    """
    said = _behind_lead(text, style)
    return None if said is None else first_answer(said, like)


def count(
    model: LanguageModel,
    questions: Sequence[Question],
    styles: Sequence[PromptingStyle] = (DIRECT, CHAIN_OF_THOUGHT),
    settings: SamplingSettings | None = None,
    steps: int = 160,
) -> Iterator[Answered]:
    """Answer a whole set, every question each way; yields every answer as it comes. Stop whenever you like.

    An answer counts only when it has ended: "240" is not "24", however far it had come. Raises BadSetting for an empty or oversized set,
    EmptyPrompt for an empty question, PromptTooLong.
    """
    if not 1 <= len(questions) <= MOST_QUESTIONS:
        raise BadSetting(_("A set has 1 to {most} questions, not {count}.").format(most=MOST_QUESTIONS, count=len(questions)))
    steps = _whole(steps, N_("The length"), MOST_STEPS)
    for question in questions:
        answer = _answer(question)
        for style in styles:
            run = Generation(model, _asked(question, style), settings or SamplingSettings(greedy=True), top_n=1)
            while run.finished is None and len(run.path) < steps and not _is_over(run, style, answer):
                next(run.stream(1), None)
            complete = run.finished == "end of text" or _is_over(run, style, answer)
            found = given(run.written, style, answer) if complete else None
            run.release()
            seconds = sum(step.forward.seconds for step in run.path)
            yield Answered(question, style, run.written, found, same_answer(found, answer), len(run.path), seconds)


def sums(number: int = 50, seed: int = 0, hard: bool = False) -> list[Question]:
    """Sums of three two-digit numbers, such as "What is 98 + 99 + 43?", none of which was in the bundled models' training text.

    hard: only those that carry twice. The same seed gives the same sums. Raises BadSetting.
    """
    chance = Random(_whole(seed, N_("The seed"), 2**53, low=0))
    triples = [
        lessons.triple(chance, exam=True, hard=hard) for _each in range(_whole(number, N_("The number of questions"), MOST_QUESTIONS))
    ]
    return [Question(lessons.question(*numbers), str(sum(numbers))) for numbers in triples]


def wilson(right: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Where the true share of right answers lies, with 95 % certainty, after `right` of `total` (Wilson 1927). (0, 1) before the first.

    >>> [round(x, 3) for x in wilson(45, 50)]
    [0.786, 0.957]
    """
    if total <= 0:
        return 0.0, 1.0
    share = right / total
    centre = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    # At the ends the formula gives exactly 0 and 1; floating point does not.
    return (centre - spread) / scale if right else 0.0, (centre + spread) / scale if right < total else 1.0


def _behind_lead(text: str, style: PromptingStyle) -> str | None:
    """What was written behind the last words that lead to the answer; None while they have not come."""
    if style.lead in text:
        return text.rsplit(style.lead, 1)[1]
    return text if style.begin.endswith(style.lead) else None


def _begun(said: str, answer: str) -> str:
    """As much of an answer as stands there: all of it, or, where a number is expected, what begins with the first one."""
    said = said.lstrip()
    if not is_number(answer) or said in ("-", "\u2212"):
        return said
    number = NUMBER.search(said)
    return said[number.start() :] if number else ""


def _is_over(run: Generation, style: PromptingStyle, answer: str) -> bool:
    """Whether the answer stands there and something follows it: nothing more will come that counts."""
    said = _behind_lead(run.written, style)
    return said is not None and is_complete(said, answer)


def _asked(question: Question, style: PromptingStyle) -> str:
    if not question.text.strip():
        raise EmptyPrompt(_("There is no question yet. Write one first."))
    return question.text + style.begin


def _answer(question: Question) -> str:
    answer = question.answer.strip()
    if not answer or len(answer) > LONGEST_ANSWER:
        raise BadSetting(_("The right answer has 1 to {most} characters, not {count}.").format(most=LONGEST_ANSWER, count=len(answer)))
    return answer


def _whole(value: int, name: str, most: int, low: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= most:
        raise BadSetting(
            _("{name} must be a whole number from {low} to {most}, not {value}.").format(
                name=_(name), low=low, most=written(most), value=str(value)[:20]
            )
        )
    return value
