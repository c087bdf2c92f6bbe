"""Compare chain of thought with direct answers: the same question both ways, and the probability of the right answer at every token.

A model does the same amount of work for every token. For a direct answer it has one pass. With a chain of thought it has many passes, and
each can use the tokens that the earlier ones wrote.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import torch

from core.checked_number import whole_number
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.errors import BadSetting, EmptyPrompt
from core.experiments.shared.answer_in_text import NUMBER, ends_here, first_answer, goes_on, is_complete, is_number, same_answer, spellings
from core.experiments.shared.claim import Claim, Observations
from core.experiments.shared.continuation import continuation
from core.experiments.shared.prompting_styles import CHAIN_OF_THOUGHT, DIRECT, PromptingStyle
from core.experiments.shared.questions import sums as lessons
from core.experiments.shared.result_file import StoredStep
from core.generation.generation import Generation
from core.message import Message
from core.sampling.settings import SamplingSettings

MOST_STEPS = 300
MOST_QUESTIONS = 200
LONGEST_ANSWER = 40  # characters


@dataclass(frozen=True, slots=True)
class Question:
    """A question with one right answer. `PromptingStyle.begin` is appended to text."""

    text: str
    answer: str


@dataclass(frozen=True, slots=True)
class ReasoningStep:
    """One more token in one style. chance: probability of the right answer if the model had to answer before this token.

    text: everything written so far. tokens: its length. given: the model's answer, None until it is complete. finished: why it ended, or
    None.
    """

    step: StoredStep
    text: str
    tokens: int
    chance: float
    given: str | None
    finished: str | None


@dataclass(frozen=True, slots=True)
class Answered:
    """One question of a set, answered in one style. given: None if there is no complete answer."""

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
    """Answer one question in one style; yield every token with the probability of the right answer before it was written.

    Decoding is greedy without settings, so the same question always gets the same answer.
    Raises EmptyPrompt for an empty question, PromptTooLong, BadSetting for an answer that is empty or too long.
    """
    asked, answer = text_of(question) + style.begin, answer_of(question)
    run = Generation(model, asked, settings or SamplingSettings(greedy=True), top_n=8)
    probe = KVCache()
    steps = whole_number(steps, Message("The length"), 1, MOST_STEPS)
    try:
        while run.finished is None and len(run.path) < steps:
            chance = chance_of(model, run, style, answer, probe)
            step = next(run.stream(1), None)
            if step is None:
                return
            over = is_over(run, style, answer)
            reply = given(run.written, style, answer) if over or run.finished == "end of text" else None
            yield ReasoningStep(step, run.written, len(run.path), chance, reply, "answered" if over else run.finished)
            if over:
                return
    finally:
        run.release()
        probe.clear()


def chance_of(model: LanguageModel, run: Generation, style: PromptingStyle, answer: str, cache: KVCache) -> float:
    """Return the probability of the right answer if the model had to answer now: that its tokens follow the lead, and that it ends there.

    This is the model's joint probability, summed over the usual spellings (1000 and 1,000). The answer ends if the next token adds no digit
    to a number and no letter to a word. If the lead is already written, it is the probability of the missing rest of the answer: 1 if the
    answer is complete, 0 if another answer was written. NaN if the context has no room for the answer.
    """
    after_lead = _behind_lead(run.written, style)
    if after_lead is None:
        lead = style.lead if run.text.endswith((" ", "\n")) else f" {style.lead}"
        before, begun, ids = run.text + lead, "", [int(i) for i in run.token_ids] + continuation(model, run.text, lead)
    else:
        before, begun, ids = run.text, _begun(after_lead, answer), [int(i) for i in run.token_ids]
    gap = "" if begun or before.endswith((" ", "\n")) else " "
    total = 0.0
    for spelling in spellings(answer):
        if begun.casefold().startswith(spelling.casefold()):
            following = begun[len(spelling) :]
            longer = goes_on(spelling, following)
            if longer is None:
                total += _joint(model, ids, [], cache, spelling, following)
            elif not longer:
                total += 1.0
        elif spelling.casefold().startswith(begun.casefold()):
            wanted = continuation(model, before, gap + spelling[len(begun) :])
            total += _joint(model, ids, wanted, cache, spelling, "")
    return total if math.isnan(total) else min(1.0, total)


def _joint(model: LanguageModel, ids: list[int], wanted: list[int], cache: KVCache, answer: str, following: str) -> float:
    """Return the probability that the tokens `wanted` follow `ids` and that the answer ends with them."""
    if len(ids) + len(wanted) >= model.context_length:
        return math.nan
    ids, total = list(ids), 0.0
    for token_id in wanted:
        forward = model.engine.forward(ids, cache)
        if token_id not in forward.logits:  # a server sends only the likeliest tokens
            forward = model.engine.request_more_logprobs(np.array(ids), forward, token_id=token_id)
        total += float(torch.log_softmax(forward.logits.values.float(), 0)[token_id])
        ids.append(token_id)
    behind_it = torch.softmax(model.engine.forward(ids, cache).logits.values.float(), 0)
    return math.exp(total) * ends_here(model, behind_it.cpu().numpy(), answer, following)


def given(text: str, style: PromptingStyle, like: str = "") -> str | None:
    """Return the answer in a text: the first number (else the first words, as many as in `like`) after the last lead; None without a lead.

    >>> given(" 4 + 3 = 7. The answer is 110.", CHAIN_OF_THOUGHT), given(" 98.", DIRECT), given(" 4 + 3", CHAIN_OF_THOUGHT)
    ('110', '98', None)
    """
    after_lead = _behind_lead(text, style)
    return None if after_lead is None else first_answer(after_lead, like)


def count(
    model: LanguageModel,
    questions: Sequence[Question],
    styles: Sequence[PromptingStyle] = (DIRECT, CHAIN_OF_THOUGHT),
    settings: SamplingSettings | None = None,
    steps: int = 160,
) -> Iterator[Answered]:
    """Answer every question of a set in each style; yield every answer. The generator can be stopped at any time.

    Only a complete answer counts, because "24" can still become "240". Raises BadSetting for an empty set or more than MOST_QUESTIONS,
    EmptyPrompt for an empty question, PromptTooLong.
    """
    if not 1 <= len(questions) <= MOST_QUESTIONS:
        raise BadSetting("A set has 1 to {most} questions, not {count}.", most=MOST_QUESTIONS, count=len(questions))
    steps = whole_number(steps, Message("The length"), 1, MOST_STEPS)
    for question in questions:
        answer = answer_of(question)
        for style in styles:
            run = Generation(model, text_of(question) + style.begin, settings or SamplingSettings(greedy=True), top_n=1)
            while run.finished is None and len(run.path) < steps and not is_over(run, style, answer):
                next(run.stream(1), None)
            complete = run.finished == "end of text" or is_over(run, style, answer)
            reply = given(run.written, style, answer) if complete else None
            run.release()
            seconds = sum(step.forward.seconds for step in run.path)
            yield Answered(question, style, run.written, reply, same_answer(reply, answer), len(run.path), seconds)


def sums(number: int = 50, seed: int = 0, hard: bool = False) -> list[Question]:
    """Return sums of three two-digit numbers, such as "What is 98 + 99 + 43?", that are not in the bundled models' training text.

    hard: only sums that carry twice. The same seed gives the same sums. Raises BadSetting.
    """
    chance = Random(whole_number(seed, Message("The seed"), 0, 2**53))
    triples = [
        lessons.triple(chance, exam=True, hard=hard)
        for _each in range(whole_number(number, Message("The number of questions"), 1, MOST_QUESTIONS))
    ]
    return [Question(lessons.question(*numbers), str(sum(numbers))) for numbers in triples]


def _behind_lead(text: str, style: PromptingStyle) -> str | None:
    """Return the text after the last lead; None without a lead."""
    if style.lead in text:
        return text.rsplit(style.lead, 1)[1]
    return text if style.begin.endswith(style.lead) else None


def _begun(text: str, answer: str) -> str:
    """Return the part of the text that can be the answer: all of it, or, if a number is expected, the text from the first number on."""
    text = text.lstrip()
    if not is_number(answer) or text in ("-", "\u2212"):
        return text
    number = NUMBER.search(text)
    return text[number.start() :] if number else ""


def is_over(run: Generation, style: PromptingStyle, answer: str) -> bool:
    """Return whether the answer is complete, so that later tokens cannot change it."""
    after_lead = _behind_lead(run.written, style)
    return after_lead is not None and is_complete(after_lead, answer)


def text_of(question: Question) -> str:
    """Return its text. Raises EmptyPrompt."""
    if not question.text.strip():
        raise EmptyPrompt("The question is empty. Write one first.")
    return question.text


def answer_of(question: Question) -> str:
    """Return its answer without spaces around it. Raises BadSetting."""
    answer = question.answer.strip()
    if not answer or len(answer) > LONGEST_ANSWER:
        raise BadSetting("The right answer has 1 to {most} characters, not {count}.", most=LONGEST_ANSWER, count=len(answer))
    return answer


def _answers(observations: Observations) -> dict[str, Any]:
    """Return the last observation of each style of answering, by the style's name."""
    return {style.name: step for style, step in observations}


def _thinking_helps(observations: Observations) -> bool:
    answers = _answers(observations)
    return answers["at once"].chance < 0.5 and answers["step by step"].chance > 0.5


def set_helps(observations: Observations) -> bool:
    right = {name: sum(answer.right for answer in observations if answer.style.name == name) for name in ("at once", "step by step")}
    return right["step by step"] >= 1.2 * right["at once"]


THINKING_HELPS = Claim("wrong at once, right step by step", _thinking_helps)
