"""How much thinking is enough? The thoughts are ended by force after 0, 10, 20 ... tokens, and the model has to answer.

Each answer is a branch of one run, so its probabilities are those of a plain run with the same text. Instead of ending them, "Wait," can
be forced where the model would have ended its thoughts (budget forcing: Muennighoff et al. 2025, "s1: Simple test-time scaling").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.checked_number import whole_number
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.errors import BadSetting
from core.experiments.shared.answer_in_text import same_answer
from core.experiments.shared.continuation import continuation
from core.experiments.shared.prompting_styles import CHAIN_OF_THOUGHT, PromptingStyle
from core.experiments.think.thinking import MOST_QUESTIONS, MOST_STEPS, Question, answer_of, chance_of, given, is_over, text_of
from core.generation.ending import without_marks_around
from core.generation.generation import Generation
from core.message import Message
from core.sampling.settings import SamplingSettings

WAIT = " Wait,"
LONGEST_REPLY = 24  # tokens of an answer after its lead


@dataclass(frozen=True, slots=True)
class BudgetPoint:
    """The answer after so many tokens of thoughts. budget: these tokens; is_own_end: the model ended its thoughts here by itself.

    chance: probability of the right answer once its lead is written, exact (see `thinking.chance_of`). given: what it answers, None
    without a complete answer. tokens: all that were written: thoughts, their end, the answer. seconds: of their passes.
    waited: "Wait," was forced at the model's own end, and it thought on.
    """

    budget: int
    chance: float
    given: str | None
    right: bool
    tokens: int
    seconds: float
    is_own_end: bool
    waited: bool = False


@dataclass(frozen=True, slots=True)
class BudgetedQuestion:
    """One question of a set, with its answers at each budget, at the model's own end, and after "Wait," (last), if it ended by itself."""

    question: Question
    points: tuple[BudgetPoint, ...]

    def at(self, budget: int) -> BudgetPoint:
        """Return the answer with at most so many tokens of thoughts."""
        points = [point for point in self.points if not point.waited]
        return max((point for point in points if point.budget <= budget), key=lambda point: point.budget)

    @property
    def unforced(self) -> BudgetPoint:
        """The answer after all its thoughts."""
        return max((point for point in self.points if not point.waited), key=lambda point: point.budget)

    @property
    def waited(self) -> BudgetPoint | None:
        """The answer after "Wait,"; None if the thoughts did not end by themselves."""
        return next((point for point in self.points if point.waited), None)


def budget_curve(
    model: LanguageModel, question: Question, settings: SamplingSettings | None = None, step: int = 10, steps: int = 160
) -> Iterator[BudgetPoint]:
    """Think, then answer after 0, `step`, 2 `step` ... tokens of the thoughts, at their end, and after a forced "Wait,". Yields each point.

    A model whose chat template has thinking marks is asked in a conversation; its thoughts end with its own mark. Any other thinks as
    `CHAIN_OF_THOUGHT` says. Greedy without settings. steps: tokens of thoughts at most.

    Raises EmptyPrompt, PromptTooLong, BadSetting, NotForThisModel for a model without passes of its own.
    """
    step = whole_number(step, Message("The distance between two budgets"), 1, MOST_STEPS)
    steps = whole_number(steps, Message("The length"), 1, MOST_STEPS)
    thinking = _Thinking(model, question, settings or SamplingSettings(greedy=True), steps)
    try:
        length = thinking.think()
        for budget in [*range(0, length, step), length]:
            yield thinking.answer_after(budget)
        if thinking.ended_itself and (waited := thinking.wait()) is not None:
            yield waited
    finally:
        thinking.release()


def budget_set(
    model: LanguageModel, questions: Sequence[Question], settings: SamplingSettings | None = None, step: int = 10, steps: int = 160
) -> Iterator[BudgetedQuestion]:
    """Answer every question of a set at each budget; yield each when all its answers are known. Raises what `budget_curve` raises."""
    if not 1 <= len(questions) <= MOST_QUESTIONS:
        raise BadSetting("A set has 1 to {most} questions, not {count}.", most=MOST_QUESTIONS, count=len(questions))
    for question in questions:
        yield BudgetedQuestion(question, tuple(budget_curve(model, question, settings, step, steps)))


class _Thinking:
    """The thoughts on one question: a run whose branches are the answers."""

    def __init__(self, model: LanguageModel, question: Question, settings: SamplingSettings, steps: int) -> None:
        self.model, self.answer, self.steps = model, answer_of(question), steps
        marks = model.thinking_marks
        self.opening, self.closing = (marks[0].opening, marks[0].closing) if marks else ("", "")
        lead = f"\n\n{CHAIN_OF_THOUGHT.lead}" if marks else CHAIN_OF_THOUGHT.lead
        self.style = PromptingStyle(CHAIN_OF_THOUGHT.name, "" if marks else CHAIN_OF_THOUGHT.begin, lead)
        prompt = [{"role": "user", "content": text_of(question).strip()}] if marks else text_of(question) + self.style.begin
        self.run = Generation(model, prompt, settings, top_n=8)
        self.probe = KVCache()
        self.first = 0  # step with which the thoughts begin
        self.length, self.ended_itself = 0, False
        self.thoughts: list[int] = []  # nodes of the run: before the first thought, after the first, ...

    def release(self) -> None:
        """Free both caches."""
        self.run.release()
        self.probe.clear()

    def think(self) -> int:
        """Write the thoughts to their end, and return how many tokens they have."""
        if self.opening and self.opening.encode() not in self.run.opened:
            self._force(self.opening, ends_line=True)
        self.first = len(self.run.path)
        self.length = self._write_thoughts()
        return self.length

    def _write_thoughts(self) -> int:
        """Write to the end of the thoughts, and return how many tokens they have. Their nodes stay in the tree."""
        end = self.closing or self.style.lead
        most, raw = len(self.run.path) + self.steps, b"".join(step.raw for step in self.run.path)
        self.thoughts = self.run.line[self.first :]
        self.ended_itself = False
        while self.run.finished is None and len(self.run.path) < most:
            step = next(self.run.stream(1), None)
            if step is None:
                break
            self.thoughts.append(self.run.here)
            begun, raw = len(raw), raw + step.raw
            at = raw.find(end.encode(), max(0, begun - len(end.encode())))
            if at >= 0 and at + len(end.encode()) > begun:
                self.ended_itself = True
                return self._tokens_before(at)
        is_end = bool(self.run.path) and self.run.path[-1].key in self.model.end_token_ids
        return len(self.run.path) - self.first - is_end

    def _tokens_before(self, at: int) -> int:
        """Return how many tokens of thoughts end at or before this byte of what was written."""
        count, size = 0, 0
        for step in self.run.path:
            size += len(step.raw)
            if size > at:
                break
            count += 1
        return max(0, count - self.first)

    def answer_after(self, budget: int, waited: bool = False) -> BudgetPoint:
        """Return the answer that is given after so many tokens of thoughts."""
        self.run.switch(self.thoughts[budget])
        if self.closing:
            self._force(self.closing)
        gap = "" if self.run.text.endswith((" ", "\n")) or self.style.lead.startswith("\n") else " "
        self._force(gap + self.style.lead)
        chance = chance_of(self.model, self.run, self.style, self.answer, self.probe)
        for _token in range(LONGEST_REPLY):
            if self.run.finished is not None or is_over(self.run, self.style, self.answer):
                break
            next(self.run.stream(1), None)
        complete = self.run.finished == "end of text" or is_over(self.run, self.style, self.answer)
        reply = given(self.run.written, self.style, self.answer) if complete else None
        seconds = sum(step.forward.seconds for step in self.run.path)
        is_own_end = self.ended_itself and budget == self.length
        right = same_answer(reply, self.answer)
        return BudgetPoint(budget, chance, reply, right, len(self.run.path), seconds, is_own_end, waited)

    def wait(self) -> BudgetPoint | None:
        """Force "Wait," where the thoughts ended, think on, and return the answer; None if no room is left for it."""
        self.run.switch(self.thoughts[self.length])
        self._force(WAIT)
        self.length = self._write_thoughts()
        return self.answer_after(self.length, waited=True) if self.run.finished in (None, "end of text") else None

    def _force(self, text: str, ends_line: bool = False) -> None:
        """Write this text by force."""
        for token_id in self._tokens(text + "\n" * ends_line):
            if self.run.finished is not None:
                return
            self.run.force(token_id)

    def _tokens(self, text: str) -> list[int]:
        if self.closing and text.strip() in (self.opening, self.closing):
            return without_marks_around(self.model.encode(text), text, self.model)
        return continuation(self.model, self.run.text, text)
