"""A run: a prompt, and the tree of everything that was written behind it.

The record only grows. Going back moves a mark, taking another token adds a branch, and nothing a visitor made is ever lost or computed
a second time in another place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from core.engine.engine import Forward
from core.errors import BadToken, EmptyPrompt, NotEnoughMemory, OutsideTopLogprobs, PromptTooLong, RunFinished
from core.generation.tree import Tree
from core.kv_cache.kv_cache import KVCache
from core.limits import Limits
from core.record.step import ForwardPass, Step, TokenDistribution
from core.record.tokens import ByteJoiner, Token
from core.record.top_logprobs import TopLogprobs
from core.sampling import dice, stages
from core.settings import SamplingSettings

if TYPE_CHECKING:
    import torch

    from core.engine.model import LanguageModel

LONGEST_PROMPT = 4_000_000  # characters; far beyond any context, it only keeps the tokenizer from being fed a whole library
MOST_CANDIDATES = 1_000


@dataclass(slots=True)
class _Pending:
    """What is known about the token after the current place: the pass that was made, and the odds for the settings last asked for."""

    forward: Forward
    distributions: dict[SamplingSettings, TokenDistribution] = field(default_factory=dict)


class Generation(Tree):
    """One visitor's run of one model.

    model: the loaded model. prompt: the text to go on from. settings: for the coming steps; assign to change them, nothing is re-rolled.
    top_n: how many candidates every step lists. use_cache=False computes all positions again at every step. as_chat: the prompt is a turn
    of a conversation, written as the model's chat template has it; prompt_tokens shows every token that this adds.

    Raises EmptyPrompt and PromptTooLong.
    """

    is_replay = False

    def __init__(
        self,
        model: LanguageModel,
        prompt: str,
        settings: SamplingSettings | None = None,
        top_n: int = 20,
        use_cache: bool = True,
        as_chat: bool = False,
    ) -> None:
        if not prompt:
            raise EmptyPrompt("There is no text to go on from yet. Write a few words first.")
        if len(prompt) > LONGEST_PROMPT:
            raise PromptTooLong(
                f"That text has {len(prompt):,} characters; {model.name} reads at most {model.context_length:,} tokens. Shorten it."
            )
        self.model = model
        self.model_name = model.name
        self.prompt = prompt
        self.as_chat = as_chat
        self.prompt_tokens: list[Token] = model.tokenize_turn(prompt) if as_chat else model.tokenize(prompt)
        count = len(self.prompt_tokens)
        if count == 0:
            raise EmptyPrompt("There is no text to go on from yet. Write a few words first.")
        if count > model.context_length:
            raise PromptTooLong(f"That text has {count:,} tokens; {model.name} reads at most {model.context_length:,}. Shorten it.")
        limits = Limits.from_environment()
        if limits.prompt_tokens and count > limits.prompt_tokens:
            raise PromptTooLong(f"That text has {count:,} tokens; this app takes prompts of up to {limits.prompt_tokens:,}. Shorten it.")
        super().__init__(model)
        self._most_tokens = limits.tokens_per_run
        self.settings = settings or SamplingSettings()
        self.top_n = min(max(1, int(top_n)), MOST_CANDIDATES, model.vocabulary_size)
        self.use_cache = use_cache
        self._cache = KVCache()
        self._ids = np.empty(max(64, 2 * count), dtype=np.int64)
        self._ids[:count] = [token.token_id for token in self.prompt_tokens]
        self._pending: _Pending | None = None
        self._out_of_memory = False

    @property
    def finished(self) -> str | None:
        """Why the run cannot go on from here: "end of text", "context full", "limit reached" or "out of memory"; None while it can."""
        if self._path and self._path[-1].token_id in self.model.end_token_ids:
            return "end of text"
        if self.token_count >= self.model.context_length:
            return "context full"
        if self._most_tokens and self.token_count >= self._most_tokens:
            return "limit reached"
        return "out of memory" if self._out_of_memory else None

    @property
    def token_ids(self) -> np.ndarray:
        """All tokens up to here, int64 [token_count]; a view that must not be written to."""
        return self._ids[: self.token_count]

    @property
    def cache_bytes(self) -> int:
        """Bytes that the tokens in this run's cache take now."""
        return self._cache.bytes

    @property
    def cache(self) -> KVCache:
        """The keys and values this run goes on from. Another cache may be put in its place: what does not fit the text is computed anew."""
        return self._cache

    @cache.setter
    def cache(self, cache: KVCache) -> None:
        self._cache = cache

    @property
    def logits(self) -> torch.Tensor | None:
        """The model's own answer for the coming token: float32 [vocabulary], on its device; None where a server told only a part of it.

        Makes the forward pass once, as `next_distribution` does, and raises what that raises.
        """
        if self.finished:
            raise RunFinished(f"This run has ended ({self.finished}). Go back to an earlier word to go on from there.")
        answer = self._pending_pass(self.settings).forward.logits
        return answer.values if answer.top_logprobs is None else None

    def next_distribution(self, settings: SamplingSettings | None = None) -> TokenDistribution:
        """The odds of the next token, before the roll. Makes the forward pass once; other settings then cost no further pass.

        Raises RunFinished at the end of a run, NotEnoughMemory, BrokenLogits.
        """
        if self.finished:
            raise RunFinished(f"This run has ended ({self.finished}). Go back to an earlier word to go on from there.")
        settings = settings or self.settings
        pending = self._pending_pass(settings)
        known = pending.distributions.get(settings)
        if known is None:
            seen = self._observe(pending, settings)
            known = TokenDistribution(**self._place(pending.forward, settings), **_arrays(seen, pending.forward.logits.top_logprobs))
            pending.distributions = {settings: known}
        return known

    def step(self, attempt: int = 0) -> Step:
        """One forward pass, one token. At the end of a run the last step is given back unchanged; see `finished`.

        attempt: 0 is the roll that seed and step index give; 1, 2, ... throw again at the same step.
        """
        if self.finished:
            if self._path:
                return self._path[-1]
            raise RunFinished(f"There is no room to write: {self.finished}. Shorten the prompt.")
        if self.settings.greedy:
            return self._take(None, None, 0)
        return self._take(dice.roll(self.settings.seed, len(self._path), attempt), None, attempt)

    def force(self, token_id: int) -> Step:
        """Take this token instead of rolling. Raises BadToken for an id outside the vocabulary, RunFinished at the end of a run."""
        if isinstance(token_id, bool) or not isinstance(token_id, int | np.integer):
            raise BadToken("A token is named by its number.")
        token = self.model.token(int(token_id))
        if self.finished:
            raise RunFinished(f"This run has ended ({self.finished}). Go back to an earlier word to go on from there.")
        return self._take(None, token.token_id, 0)

    def _take(self, roll: float | None, forced: int | None, attempt: int) -> Step:
        try:
            pending = self._pending_pass(self.settings)
        except NotEnoughMemory:
            self._out_of_memory = True
            if self._path:
                return self._path[-1]
            raise
        settings = self.settings
        seen = self._observe(pending, settings, roll=roll, forced=forced, greedily=roll is None and forced is None)
        chosen_by = "forced" if forced is not None else "greedy" if roll is None else "sampled"
        known = self._child_like(seen.chosen, settings, chosen_by, attempt)
        if known is not None:
            self.switch(known.node_id)
            assert known.step is not None
            return known.step
        joiner = ByteJoiner()
        joiner.add(self._waiting[-1])
        token = self.model.token(seen.chosen)
        text = "" if token.special else joiner.add(token.raw)
        step = Step(
            **self._place(pending.forward, settings),
            **_arrays(seen, pending.forward.logits.top_logprobs),
            token_id=seen.chosen,
            text=text,
            chosen_by=chosen_by,
            roll=roll,
            attempt=attempt,
        )
        self.add(step, joiner.waiting)
        self._write_id(step)
        self._pending = None
        return step

    def _pending_pass(self, settings: SamplingSettings) -> _Pending:
        if self._pending is None:
            self._pending = _Pending(self.model.engine.forward(self.token_ids, self._cache if self.use_cache else None))
        logits = self._pending.forward.logits
        wanted = (
            MOST_CANDIDATES if _cut_too_short(logits.top_logprobs, settings) else min(max(self.top_n, settings.top_k + 1), MOST_CANDIDATES)
        )
        if logits.known < wanted:
            self._pending = _Pending(self.model.engine.request_more_logprobs(self.token_ids, self._pending.forward, wanted))
        return self._pending

    def _observe(self, pending: _Pending, settings: SamplingSettings, **pick: Any) -> stages.Observation:
        """Watch the odds and pick. A pick that a server did not list makes it list more, until the token's own odds are known."""
        while True:
            logits = pending.forward.logits
            seen = stages.observe(logits.values, settings, self.token_ids, min(self.top_n, logits.known), **pick)
            if seen.chosen < 0 or seen.chosen in logits:
                return seen
            wanted = pick["forced"] if pick["forced"] is not None else -1
            further = self.model.engine.request_more_logprobs(self.token_ids, pending.forward, 8 * logits.known, wanted)
            if seen.chosen not in further.logits and further.logits.known <= logits.known:
                raise _beyond(logits.known, wanted)
            pending.forward = further
            pending.distributions.clear()

    def _place(self, forward: Forward, settings: SamplingSettings) -> dict[str, Any]:
        done = ForwardPass(
            forward.computed_tokens,
            forward.reused_tokens,
            forward.cache_bytes,
            forward.seconds,
            forward.queue_seconds,
            forward.server_seconds,
            forward.held_bytes,
        )
        return {"index": len(self._path), "position": self.token_count, "settings": settings, "forward": done, "vocabulary": self.model}

    def _write_id(self, step: Step) -> None:
        if step.position >= len(self._ids):
            grown = np.empty(2 * len(self._ids), dtype=np.int64)
            grown[: step.position] = self._ids[: step.position]
            self._ids = grown
        self._ids[step.position] = step.token_id

    def _moved(self, kept: int) -> None:
        """The place has changed: write the tokens behind the common part anew, and forget what was known about the coming step."""
        for step in self._path[kept:]:
            self._write_id(step)
        self._pending = None
        self._out_of_memory = False

    def release(self) -> None:
        """Give the cache's memory back. The run stays; the next step computes all positions once."""
        self._cache.clear()
        self._pending = None


def _cut_too_short(listed: TopLogprobs | None, settings: SamplingSettings) -> bool:
    """Whether a server's list ends before a cut-off does, so that a longer one may hold all that it keeps."""
    if listed is None or settings.greedy or settings.repetition_penalty != 1.0 or (settings.top_p == 1.0 and settings.min_p == 0.0):
        return False
    active = [(name, setting) for name, setting, _ in stages.processors(settings)]
    return not listed.exact_stages(active)[-1]


def _beyond(listed: int, forced: int) -> OutsideTopLogprobs:
    if forced >= 0:
        return OutsideTopLogprobs(
            f"The server lists its {listed:,} likeliest tokens and keeps the odds of that one to itself. Take another."
        )
    return OutsideTopLogprobs(
        f"The dice landed beyond the {listed:,} tokens that the server lists. Lower the temperature or top-p, throw again, "
        "or start the server with a longer list (vLLM: --max-logprobs)."
    )


def _arrays(seen: stages.Observation, listed: TopLogprobs | None) -> dict[str, Any]:
    arrays = {name: getattr(seen, name) for name in _ARRAYS}
    if listed is None:
        return arrays
    exact = listed.exact_stages(zip(seen.stage_names, seen.stage_settings, strict=True))
    ranks = np.minimum(seen.ranks, len(listed) + 1)  # how many unlisted tokens stand before a forced one, nobody knows
    return arrays | {"ranks": ranks, "top_logprobs_count": len(listed), "stage_exact": exact}


_ARRAYS = tuple(name for name in stages.Observation.__slots__ if name != "chosen")
