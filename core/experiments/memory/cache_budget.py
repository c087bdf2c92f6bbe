"""Run a KV cache under a memory budget with each policy (stop, sliding window, attention sinks, INT8, INT4) and compare the answers."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch

from core.checked_number import whole_number
from core.engine.kv_cache.quantized import packed_bytes
from core.engine.kv_cache.token_eviction import ATTENTION_SINKS, SLIDING_WINDOW, EvictingKVCache
from core.engine.model import LanguageModel
from core.errors import BadSetting, EmptyPrompt
from core.experiments.shared.claim import Claim, Observations
from core.experiments.shared.prompt_tokens import encoded
from core.message import Message
from core.sampling import dice, observe_stages
from core.sampling.observation import History
from core.sampling.settings import SamplingSettings

STOP, INT8_KV, INT4_KV = "stop", "8 bits", "4 bits"
POLICIES = (STOP, SLIDING_WINDOW, ATTENTION_SINKS, INT8_KV, INT4_KV)
MOST_READERS = 64
LONGEST = 1024  # tokens written in one experiment
LONGEST_ANSWER = 16  # tokens
LONGEST_OWN_ANSWER = 80  # characters


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """A memory budget for KV caches. budget_bytes: for all requests together; policy: what happens when a request's part is full, one of
    POLICIES; sinks: number of first tokens that ATTENTION_SINKS keeps; readers: number of requests. Raises BadSetting.
    """

    budget_bytes: int
    policy: str = STOP
    sinks: int = 4
    readers: int = 1

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise BadSetting(
                "The policies for a full KV cache are {names}, not {policy}.", names=", ".join(POLICIES), policy=repr(str(self.policy)[:30])
            )
        whole_number(self.budget_bytes, Message("The memory budget"), 0, 10**15)
        whole_number(self.sinks, Message("The number of first tokens"), 0, 10**6)
        whole_number(self.readers, Message("The number of requests"), 1, MOST_READERS)

    @property
    def share(self) -> int:
        """Return the bytes for each request."""
        return self.budget_bytes // self.readers

    @property
    def bits(self) -> int:
        """Return the bits per stored number; 0 if keys and values stay in the model's own format."""
        return {INT8_KV: 8, INT4_KV: 4}.get(self.policy, 0)


@dataclass(frozen=True, slots=True)
class CacheStep:
    """One token, read or generated, and the KV cache after its keys and values were added.

    written: whether the model generated it. kept: positions in the cache; gone: positions removed to make room. bytes: of the tensors.
    probability: the model's probability of this token; None for the first. full: why the run ended here ("notepad full", "context full",
    "end of text"), else None. With a reason nothing was added, and position is the one that this token would have had.
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


def kv_bytes_per_token(model: LanguageModel, bits: int = 0) -> int:
    """Return the bytes of one token's keys and values in all layers, by formula. `EvictingKVCache.bytes` counts the real tensors."""
    if not bits:
        return model.cache_bytes_per_token
    shape = model.shape
    if shape.latent_size:
        rotary = shape.latent_size - (latent := int(model.load_network().config.get_text_config().kv_lora_rank))
        return shape.attention_layers * (packed_bytes(latent, bits) + packed_bytes(rotary, bits))
    return shape.attention_layers * shape.kv_head_count * (packed_bytes(shape.key_size, bits) + packed_bytes(shape.value_size, bits))


def tokens_that_fit(model: LanguageModel, plan: MemoryBudget) -> int:
    """Return how many tokens fit into each request's part of the budget."""
    return plan.share // max(1, kv_bytes_per_token(model, plan.bits))


def fill(
    model: LanguageModel, prompt: str, plan: MemoryBudget, settings: SamplingSettings | None = None, length: int = 64
) -> Iterator[CacheStep]:
    """Read the prompt token by token, then generate up to `length` tokens, within this budget; yield every token.

    The rolls equal those of a plain run with the same settings and seed. Raises EmptyPrompt, ModelError, BadSetting.
    """
    length = whole_number(length, Message("The length"), 0, LONGEST)
    settings = settings or SamplingSettings()
    session = _Session(model, plan)
    ids = encoded(model, prompt)
    for token_id in ids:
        page = session.add(token_id, written=False)
        yield page
        if page.full:
            return
    for index in range(length):
        assert session.logits is not None
        roll = None if settings.greedy else dice.roll(settings.seed, index)
        before = History.of(model, ids, len(ids) - index)
        observation = observe_stages.observe(session.logits, settings, before, 1, roll=roll, greedily=roll is None)
        page = session.add(observation.chosen, written=True)
        ids.append(observation.chosen)
        yield page
        if page.full:
            return


@dataclass(frozen=True, slots=True)
class Answer:
    """The model's answer to a question after reading within a budget.

    probability: of the exact right answer, the product over `parts`, one (text, probability) per token. said: the model's own greedy
    answer. pages: tokens in the cache; bytes: of its tensors. If the budget ended before the question was read, probability is None, parts
    and said are empty. If it ended within the answer, probability is None and parts hold the tokens so far.
    """

    probability: float | None
    parts: tuple[tuple[str, float], ...]
    said: str
    pages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class RecallTask:
    """A text, a question about it, and the right answer as it would follow the question.

    key_words: the sentence of the text with the answer.
    """

    text: str
    question: str
    answer: str
    key_words: str


RED_POT = RecallTask(
    text=(
        "Lily put the key under the red pot. The sun is shining today. A small bird is singing in the tree. "
        "The children play football near the river. The bus is late again. The baker sings a song."
    ),
    question="\nQuestion: Where is Lily's key?\nAnswer: It is",  # "It is" fixes the form of the answer, so that only the place is open
    answer=" under the red pot.",
    key_words="Lily put the key under the red pot.",
)


def own_task(text: str, question: str, answer: str) -> RecallTask:
    """Return a task from a visitor's own text, question and right answer, in the form of RED_POT.

    key_words is the first sentence that contains the answer, "" if none does. Raises EmptyPrompt without a text or question, BadSetting
    without an answer or for one that is too long.
    """
    if not text.strip() or not question.strip():
        raise EmptyPrompt("The text or the question is empty. Write both first.")
    wanted = answer.strip()
    if not wanted or len(wanted) > LONGEST_OWN_ANSWER:
        raise BadSetting("The right answer has 1 to {most} characters, not {count}.", most=LONGEST_OWN_ANSWER, count=len(wanted))
    sentences = re.findall(r"[^.!?\n]+[.!?]*", text)
    key = next((sentence.strip() for sentence in sentences if wanted.rstrip(" .").casefold() in sentence.casefold()), "")
    return RecallTask(text, f"\nQuestion: {question.strip()}\nAnswer: It is", f" {wanted}", key)


def key_tokens(model: LanguageModel, task: RecallTask) -> range:
    """Return the positions of the tokens of `key_words`; an empty range if there are none."""
    start = task.text.find(task.key_words) if task.key_words else -1
    if start < 0:
        return range(0)
    before = len(model.encode(task.text[:start].rstrip(" "))) if start else 0
    return range(before, len(model.encode(task.text[: start + len(task.key_words)])))


def ask(model: LanguageModel, plan: MemoryBudget, story: RecallTask = RED_POT) -> Iterator[CacheStep | Answer]:
    """Read a story and its question within this budget; yield a CacheStep per token and the Answer last."""
    session = _Session(model, plan)
    prompt = story.text + story.question
    asked = encoded(model, prompt)
    answer = _continuation(model, prompt, story.answer)
    for token_id in asked:
        page = session.add(token_id, written=False)
        yield page
        if page.full:
            yield Answer(None, (), "", len(session.cache.held), session.cache.bytes)
            return
    pages, held = len(session.cache.held), session.cache.bytes
    greedy_answer = _said(session.copied())
    parts, probability = [], 1.0
    for token_id in answer:
        assert session.logits is not None
        distribution = torch.softmax(session.logits.double(), -1)
        parts.append((model.token(token_id).text, float(distribution[token_id])))
        probability *= float(distribution[token_id])
        if len(parts) < len(answer) and session.add(token_id, written=True).full:
            break
    yield Answer(probability if len(parts) == len(answer) else None, tuple(parts), greedy_answer, pages, held)


UNLIMITED = MemoryBudget(10**15)


def before_and_after(model: LanguageModel, plan: MemoryBudget, story: RecallTask = RED_POT) -> Iterator[CacheStep | Answer]:
    """Yield the Answer of the unlimited cache, then the CacheSteps and the Answer of this budget."""
    yield from (seen for seen in ask(model, UNLIMITED, story) if isinstance(seen, Answer))
    yield from ask(model, plan, story)


@dataclass(frozen=True, slots=True)
class PolicyOutcome:
    """The answer under one policy."""

    policy: str
    answer: Answer


def every_policy(model: LanguageModel, plan: MemoryBudget, story: RecallTask = RED_POT) -> Iterator[PolicyOutcome]:
    """Read the same story with the same budget under every policy; yield each outcome."""
    for policy in POLICIES:
        *_each, answer = ask(model, replace(plan, policy=policy), story)
        assert isinstance(answer, Answer)
        yield PolicyOutcome(policy, answer)


def _said(session: _Session) -> str:
    """Return the model's greedy answer up to the end of a sentence, at most LONGEST_ANSWER tokens."""
    token_ids: list[int] = []
    while len(token_ids) < LONGEST_ANSWER and session.logits is not None:
        favourite = int(session.logits.argmax())
        if favourite in session.model.end_token_ids:
            break
        token_ids.append(favourite)
        if session.model.token(favourite).text.strip(" ").endswith((".", "!", "?", "\n")) or session.add(favourite, written=True).full:
            break
    return session.model.text_of(token_ids).strip()


class _Session:
    """A KV cache under a budget, and the logits after its last token."""

    def __init__(self, model: LanguageModel, plan: MemoryBudget) -> None:
        self.model, self.plan = model, plan
        self.cache = EvictingKVCache(model, plan.bits)
        self.logits: torch.Tensor | None = None
        self._page = kv_bytes_per_token(model, plan.bits)

    def copied(self) -> _Session:
        """Return a copy with a cache of its own; changes to it do not affect this session."""
        twin = copy.copy(self)
        twin.cache = self.cache.copied()
        return twin

    def add(self, token_id: int, written: bool) -> CacheStep:
        """Make room for one more token as the policy says, compute it and return the CacheStep."""
        cache, plan = self.cache, self.plan
        probability = None if self.logits is None else float(torch.softmax(self.logits.double(), -1)[token_id])
        gone: list[int] | None = []
        full = None
        if written and token_id in self.model.end_token_ids:
            full = "end of text"
        elif cache.next_position >= self.model.context_length:
            full = "context full"
        elif (gone := cache.make_room(self._page, plan.share, plan.policy, plan.sinks)) is None:
            full = "notepad full"
        position = cache.next_position
        if full is None:
            self.logits = cache.read([token_id])
        token = self.model.token(token_id)
        return CacheStep(
            position, token_id, token.text or token.piece, written, tuple(cache.held), tuple(gone or ()), cache.bytes, probability, full
        )


def _continuation(model: LanguageModel, prompt: str, answer: str) -> list[int]:
    """Return the tokens of the answer as they follow the prompt."""
    before, joined = model.encode(prompt), model.encode(prompt + answer)
    return joined[len(before) :] if joined[: len(before)] == before else model.encode(answer)


def _forgotten(observations: Observations) -> bool:
    return isinstance(observations[-1], Answer) and observations[-1].probability is not None and observations[-1].probability < 0.05


def only_smaller_numbers_remember(observations: Observations) -> bool:
    chance = {outcome.policy: outcome.answer.probability or 0.0 for outcome in observations}
    return all((probability > 0.5) == policy.endswith("bits") for policy, probability in chance.items())


FORGOTTEN = Claim("the answer is forgotten", _forgotten)
