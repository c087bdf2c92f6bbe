"""Two ways of asking a question: for the answer at once, and for a chain of thought before it."""

from __future__ import annotations

from dataclasses import dataclass

from core.experiments.shared.result_file import Sentence
from core.message import Message


@dataclass(frozen=True, slots=True)
class PromptingStyle:
    """A way of asking. begin: text after the question. lead: the words that introduce the answer."""

    name: Sentence
    begin: str
    lead: str


DIRECT = PromptingStyle(Message("at once"), "Answer:", "Answer:")
CHAIN_OF_THOUGHT = PromptingStyle(Message("step by step"), "Let us think step by step.", "The answer is")
