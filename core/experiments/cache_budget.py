"""KV cache under a memory budget: stop, sliding window, attention sinks, INT8 and INT4; what each does to the answer."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.engine.kv_cache.paged import PagedKVCache
from core.engine.kv_cache.quantized import packed_bytes
from core.errors import BadSetting, EmptyPrompt
from core.language import _, written
from core.sampling import dice, stages
from core.settings import SamplingSettings

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

STOP, SLIDING_WINDOW, ATTENTION_SINKS, INT8_KV, INT4_KV = "stop", "forget the oldest", "forget, but keep the first", "8 bits", "4 bits"
POLICIES = (STOP, SLIDING_WINDOW, ATTENTION_SINKS, INT8_KV, INT4_KV)
MOST_READERS = 64
LONGEST = 1024  # tokens written in one experiment
LONGEST_ANSWER = 16  # tokens
LONGEST_OWN_ANSWER = 80  # characters


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """budget_bytes for all readers together; policy: what to do when a reader's share is full, one of POLICIES; sinks: first tokens kept.

    Raises BadSetting.
    """

    budget_bytes: int
    policy: str = STOP
    sinks: int = 4
    readers: int = 1

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise BadSetting(
                _("When the notepad is full, one can: {names}. Not {policy}.").format(
                    names=", ".join(POLICIES), policy=repr(str(self.policy)[:30])
                )
            )
        for name, low, high in (("budget_bytes", 0, 10**15), ("sinks", 0, 10**6), ("readers", 1, MOST_READERS)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise BadSetting(
                    _("The {name} must be a whole number from {low} to {high}, not {value}.").format(
                        name=name.replace("_", " "), low=low, high=written(high), value=str(value)[:20]
                    )
                )

    @property
    def share(self) -> int:
        """Bytes for each reader."""
        return self.budget_bytes // self.readers

    @property
    def bits(self) -> int:
        """Bits per number that pages are written with; 0: as the model made them."""
        return {INT8_KV: 8, INT4_KV: 4}.get(self.policy, 0)


@dataclass(frozen=True, slots=True)
class CacheBlock:
    """One token, read or written, and the notepad after its page was added.

    written: whether the model wrote it. kept: positions held; gone: positions forgotten to make room for it. bytes: of the tensors.
    probability: what the model gave to this token; None for the first. full: why it went no further: "notepad full", "context full",
    "end of text"; None while it does. Then nothing was added: position is that of the token that found no page.
    """

    position: int
    token_id: int
    text: str
    written: bool
    kept: tuple[int, ...]
    gone: tuple[int, ...]
    bytes: int
    probability: float | None
    full: str | None = None


def page_bytes(model: LanguageModel, bits: int = 0) -> int:
    """Bytes of one page, all layers together, as a formula; `PagedKVCache.bytes` counts the tensors."""
    if not bits:
        return model.cache_bytes_per_token
    shape = model.shape
    if shape.latent_size:
        rotary = shape.latent_size - (latent := int(model.load_network().config.get_text_config().kv_lora_rank))
        return shape.attention_layers * (packed_bytes(latent, bits) + packed_bytes(rotary, bits))
    return shape.attention_layers * shape.kv_head_count * (packed_bytes(shape.key_size, bits) + packed_bytes(shape.value_size, bits))


def pages_that_fit(model: LanguageModel, plan: MemoryBudget) -> int:
    """How many pages each reader has."""
    return plan.share // max(1, page_bytes(model, plan.bits))


def fill(
    model: LanguageModel, prompt: str, plan: MemoryBudget, settings: SamplingSettings | None = None, length: int = 64
) -> Iterator[CacheBlock]:
    """Read the prompt page by page, then write up to `length` tokens behind it, under this plan.

    The dice are those of a plain run: same settings, same seed, same rolls. Raises EmptyPrompt, ModelError, BadSetting.
    """
    if isinstance(length, bool) or not isinstance(length, int) or not 0 <= length <= LONGEST:
        raise BadSetting(
            _("One can write 0 to {longest} tokens here, not {length}.").format(longest=written(LONGEST), length=str(length)[:20])
        )
    settings = settings or SamplingSettings()
    reader = _Reader(model, plan)
    ids = _encode(model, prompt)
    for token_id in ids:
        page = reader.add(token_id, written=False)
        yield page
        if page.full:
            return
    for index in range(length):
        assert reader.logits is not None
        roll = None if settings.greedy else dice.roll(settings.seed, index)
        seen = stages.observe(reader.logits, settings, np.array(ids), 1, roll=roll, greedily=roll is None)
        page = reader.add(seen.chosen, written=True)
        ids.append(seen.chosen)
        yield page
        if page.full:
            return


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model makes of a question after reading under a plan.

    probability: of the right answer, word for word, as the product of `parts`, one (text, probability) per token. said: what it would say
    itself, always taking its favourite. All None or empty if the question was not even reached; no probability, but some parts, if there
    was no page left for the whole answer.
    """

    probability: float | None
    parts: tuple[tuple[str, float], ...]
    said: str
    pages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class RecallTask:
    """Something told, a question about it, and the right answer as it would follow the question."""

    told: str
    question: str
    answer: str
    key_words: str


RED_POT = RecallTask(
    told=(
        "Lily put the key under the red pot. The sun is shining today. A small bird is singing in the tree. "
        "The children play football near the river. The bus is late again. The baker sings a song."
    ),
    question="\nQuestion: Where is Lily's key?\nAnswer: It is",  # so that only the place is open, not the form of the answer
    answer=" under the red pot.",
    key_words="Lily put the key under the red pot.",
)


def own_task(told: str, question: str, answer: str) -> RecallTask:
    """A visitor's own text, question and right answer, asked in the form of the story's. Raises EmptyPrompt, BadSetting without an answer.

    key_words is the first sentence that holds the answer, empty where none does.
    """
    if not told.strip() or not question.strip():
        raise EmptyPrompt(_("There is no text or no question yet. Write both first."))
    wanted = answer.strip()
    if not wanted or len(wanted) > LONGEST_OWN_ANSWER:
        raise BadSetting(_("The right answer has 1 to {most} characters, not {count}.").format(most=LONGEST_OWN_ANSWER, count=len(wanted)))
    sentences = re.findall(r"[^.!?\n]+[.!?]*", told)
    key = next((sentence.strip() for sentence in sentences if wanted.rstrip(" .").casefold() in sentence.casefold()), "")
    return RecallTask(told, f"\nQuestion: {question.strip()}\nAnswer: It is", f" {wanted}", key)


def key_tokens(model: LanguageModel, task: RecallTask) -> range:
    """The positions of the tokens that hold the answer."""
    start = task.told.find(task.key_words) if task.key_words else -1
    if start < 0:
        return range(0)
    before = len(model.encode(task.told[:start].rstrip(" "))) if start else 0
    return range(before, len(model.encode(task.told[: start + len(task.key_words)])))


def ask(model: LanguageModel, plan: MemoryBudget, story: RecallTask = RED_POT) -> Iterator[CacheBlock | Answer]:
    """Read a story and its question under this plan, a Page each; last of all the Answer."""
    reader = _Reader(model, plan)
    prompt = story.told + story.question
    asked = _encode(model, prompt)
    answer = _continuation(model, prompt, story.answer)
    for token_id in asked:
        page = reader.add(token_id, written=False)
        yield page
        if page.full:
            yield Answer(None, (), "", len(reader.notepad.kept), reader.notepad.bytes)
            return
    pages, held = len(reader.notepad.kept), reader.notepad.bytes
    said = _said(reader.copied())
    parts, probability = [], 1.0
    for token_id in answer:
        assert reader.logits is not None
        distribution = torch.softmax(reader.logits.double(), -1)
        parts.append((model.token(token_id).text, float(distribution[token_id])))
        probability *= float(distribution[token_id])
        if len(parts) < len(answer) and reader.add(token_id, written=True).full:
            break
    yield Answer(probability if len(parts) == len(answer) else None, tuple(parts), said, pages, held)


UNLIMITED = MemoryBudget(10**15)


def before_and_after(model: LanguageModel, plan: MemoryBudget, story: RecallTask = RED_POT) -> Iterator[CacheBlock | Answer]:
    """The Answer with every page kept, then the story again under this plan: its Pages, and last of all its Answer."""
    yield from (seen for seen in ask(model, UNLIMITED, story) if isinstance(seen, Answer))
    yield from ask(model, plan, story)


@dataclass(frozen=True, slots=True)
class PolicyOutcome:
    """One thing to do when the notepad is full, and the answer it leads to."""

    policy: str
    answer: Answer


def every_policy(model: LanguageModel, plan: MemoryBudget, story: RecallTask = RED_POT) -> Iterator[PolicyOutcome]:
    """The same story and the same budget under every policy, one after the other."""
    for policy in POLICIES:
        *_each, answer = ask(model, replace(plan, policy=policy), story)
        assert isinstance(answer, Answer)
        yield PolicyOutcome(policy, answer)


def _said(reader: _Reader) -> str:
    """The model's own answer, always its favourite token, up to the end of a sentence."""
    said: list[int] = []
    while len(said) < LONGEST_ANSWER and reader.logits is not None:
        favourite = int(reader.logits.argmax())
        if favourite in reader.model.end_token_ids:
            break
        said.append(favourite)
        if reader.model.token(favourite).text.strip(" ").endswith((".", "!", "?", "\n")) or reader.add(favourite, written=True).full:
            break
    return reader.model.text_of(said).strip()


class _Reader:
    """A notepad under a plan, and what the model expects next."""

    def __init__(self, model: LanguageModel, plan: MemoryBudget) -> None:
        self.model, self.plan = model, plan
        self.notepad = PagedKVCache(model, plan.bits)
        self.logits: torch.Tensor | None = None
        self._page = page_bytes(model, plan.bits)

    def copied(self) -> _Reader:
        """The same reader once more, to try something without consequences."""
        twin = copy.copy(self)
        twin.notepad = self.notepad.copied()
        return twin

    def add(self, token_id: int, written: bool) -> CacheBlock:
        """Make room for one more page as the plan says, and write it."""
        notepad, plan = self.notepad, self.plan
        probability = None if self.logits is None else float(torch.softmax(self.logits.double(), -1)[token_id])
        gone: list[int] = []
        full = None
        if written and token_id in self.model.end_token_ids:
            full = "end of text"
        elif notepad.next_position >= self.model.context_length:
            full = "context full"
        elif notepad.bytes + self._page > plan.share:
            if plan.policy in (SLIDING_WINDOW, ATTENTION_SINKS):
                sinks = plan.sinks if plan.policy == ATTENTION_SINKS else 0
                gone = notepad.forget_oldest(1, sinks)
            full = None if gone else "notepad full"
        position = notepad.next_position
        if full is None:
            self.logits = notepad.read([token_id])
        token = self.model.token(token_id)
        return CacheBlock(
            position, token_id, token.text or token.piece, written, tuple(notepad.kept), tuple(gone), notepad.bytes, probability, full
        )


def _encode(model: LanguageModel, text: str) -> list[int]:
    ids = model.encode(text) if text else []
    if not ids:
        raise EmptyPrompt(_("There is no text to read. Write a few words first."))
    return ids


def _continuation(model: LanguageModel, prompt: str, answer: str) -> list[int]:
    """The answer's tokens as they follow the prompt."""
    before, whole = model.encode(prompt), model.encode(prompt + answer)
    return whole[len(before) :] if whole[: len(before)] == before else model.encode(answer)
