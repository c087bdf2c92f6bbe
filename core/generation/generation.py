"""Generation loop over a tree of branches: a prompt, and everything that was written behind it.

The record only grows. Going back moves a mark, taking another token adds a branch, and nothing a visitor made is ever lost or computed
a second time in another place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from core.engine.engine import Forward
from core.engine.kv_cache.kv_cache import KVCache
from core.errors import BadToken, EmptyPrompt, InputError, NotEnoughMemory, OutsideTopLogprobs, PromptTooLong, RunFinished, WrongType
from core.generation.run import Run, in_turn
from core.generation.tree import Node
from core.language import N_, _, written
from core.limits import Limits
from core.record.step import Candidate, ForwardPass, Step, TokenDistribution
from core.record.top_logprobs import TopLogprobs
from core.sampling import dice, stages
from core.settings import SamplingSettings, whole_number
from core.tokens.tokens import Token, added_by

if TYPE_CHECKING:
    import torch

    from core.engine.model import LanguageModel

LONGEST_PROMPT = 4_000_000  # characters; far beyond any context, it only keeps the tokenizer from being fed a whole library
MOST_CANDIDATES = 1_000
LONGEST_LIST = 8_000  # tokens that a server is asked for to settle a doubt
BESIDE = 1e-3  # of the strip: so near to a token's segment, arithmetic may decide whether a roll falls onto it


@dataclass(slots=True)
class _Pending:
    """What is known about the token after the current place: the pass that was made, and the odds for the settings last asked for."""

    forward: Forward
    distributions: dict[SamplingSettings, TokenDistribution] = field(default_factory=dict)


class Generation(Run):
    """One visitor's run of one model.

    model: the loaded model. prompt: the text to go on from. settings: for the coming steps; assign to change them, nothing is re-rolled.
    top_n: how many candidates every step lists. use_cache=False computes all positions again at every step. as_chat: the prompt is a turn
    of a conversation, written as the model's chat template has it; prompt_tokens shows every token that this adds.

    Raises EmptyPrompt, PromptTooLong, BadSetting for what are no settings, WrongType for what is no model or no text.
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
        _check_kinds(model, prompt)
        if not prompt:
            raise EmptyPrompt(_("There is no text to go on from yet. Write a few words first."))
        if len(prompt) > LONGEST_PROMPT:
            said = _("That text has {count} characters; {model} reads at most {most} tokens. Shorten it.")
            raise PromptTooLong(said.format(count=written(len(prompt)), model=model.name, most=written(model.context_length)))
        self.model = model
        self.model_name = model.name
        self.prompt = prompt
        self.as_chat = as_chat
        self.prompt_tokens: list[Token] = model.tokenize_turn(prompt) if as_chat else model.tokenize(prompt)
        count = len(self.prompt_tokens)
        if count == 0:
            raise EmptyPrompt(_("There is no text to go on from yet. Write a few words first."))
        if count > model.context_length:
            said = _("That text has {count} tokens; {model} reads at most {most}. Shorten it.")
            raise PromptTooLong(said.format(count=written(count), model=model.name, most=written(model.context_length)))
        limits = Limits.from_environment()
        if limits.prompt_tokens and count > limits.prompt_tokens:
            said = _("That text has {count} tokens; this app takes prompts of up to {most}. Shorten it.")
            raise PromptTooLong(said.format(count=written(count), most=written(limits.prompt_tokens)))
        super().__init__(model, SamplingSettings() if settings is None else settings)
        self._most_tokens = limits.tokens_per_run
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
            return N_("end of text")
        if self.token_count >= self.model.context_length:
            return N_("context full")
        if self._most_tokens and self.token_count >= self._most_tokens:
            return N_("limit reached")
        return N_("out of memory") if self._out_of_memory else None

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
    @in_turn
    def logits(self) -> torch.Tensor | None:
        """The model's own answer for the coming token: float32 [vocabulary], on its device; None where a server told only a part of it.

        Makes the forward pass once, as `next_distribution` does, and raises what that raises.
        """
        self._must_go_on()
        answer = self._pending_pass(self.settings).forward.logits
        return answer.values if answer.top_logprobs is None else None

    @in_turn
    def next_distribution(self, settings: SamplingSettings | None = None) -> TokenDistribution:
        """The odds of the next token, before the roll. Makes the forward pass once; other settings then cost no further pass.

        Raises RunFinished at the end of a run, NotEnoughMemory, BrokenLogits.
        """
        self._must_go_on()
        settings = self.settings if settings is None else SamplingSettings.checked(settings)
        pending = self._pending_pass(settings)
        known = pending.distributions.get(settings)
        if known is None:
            seen = self._observe(pending, settings)
            known = TokenDistribution(**self._place(pending.forward, settings), **_arrays(seen, pending.forward.logits.top_logprobs))
            pending.distributions = {settings: known}
        return known

    @in_turn
    def step(self, attempt: int = 0, outcome: int | None = None) -> Step:
        """One forward pass, one token.

        attempt: 0 is the roll that seed and step index give; 1, 2, ... throw again at the same step. What was thrown once in this run
        stands, however close to a border it fell. outcome: the token that this roll picked elsewhere, on another machine, in a batch or
        from a rebuilt cache; it is taken here, too: as rolled where the roll falls onto it or beside it (see `BESIDE`), else as forced.

        Raises RunFinished at the end of a run, NotEnoughMemory, BrokenLogits, BadSetting for an impossible attempt, BadToken.
        """
        attempt = whole_number(attempt, N_("The attempt"), 0, dice.LARGEST_ATTEMPT)
        self._must_go_on()
        outcome = None if outcome is None else self._token_id(outcome)
        settings = self.settings
        roll = None if settings.greedy else dice.roll(settings.seed, len(self._path), attempt)
        chosen_by, attempt = ("greedy", 0) if settings.greedy else ("sampled", attempt)
        known = self._thrown(settings, chosen_by, attempt)
        if known is not None and known.step is not None and outcome in (None, known.step.token_id):
            self.switch(known.node_id)
            return known.step
        pending = self._pending_or_full()
        if outcome is None:
            return self._keep(pending, self._observe(pending, settings, roll=roll, greedily=roll is None), chosen_by, roll, attempt)
        if roll is None:
            seen = self._observe(pending, settings, greedily=True)
            return self._keep(pending, seen, chosen_by, None, 0) if seen.chosen == outcome else self._force(outcome)
        seen = self._observe(pending, settings, roll=min(roll + BESIDE, 1.0), forced=outcome)
        return self._keep(pending, seen, chosen_by, roll, attempt) if _falls_beside(seen, roll) else self._force(outcome)

    @in_turn
    def force(self, token: int | str | Candidate | Token) -> Step:
        """Take this token instead of rolling: its number, its text (`" fox"`), or a candidate of any step.

        Raises BadToken for what is no token of this model, RunFinished at the end of a run, NotEnoughMemory, BrokenLogits.
        """
        token_id = self._token_id(token)
        self._must_go_on()
        return self._force(token_id)

    def _force(self, token_id: int) -> Step:
        pending = self._pending_or_full()
        return self._keep(pending, self._observe(pending, self.settings, forced=token_id), "forced", None, 0)

    def _token_id(self, token: int | str | Candidate | Token) -> int:
        if isinstance(token, str):
            return self.model.token_of(token).token_id
        number = token.token_id if isinstance(token, Candidate | Token) else token
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise BadToken(_("A token is named by its number, its text or a candidate of a step."))
        return self.model.token(int(number)).token_id

    def _must_go_on(self) -> None:
        """Raises RunFinished where the run cannot go on from here."""
        if self.finished and not self._path:
            raise RunFinished(_("There is no room to write: {finished}. Shorten the prompt.").format(finished=_(self.finished)))
        if self.finished:
            raise RunFinished(
                _("This run has ended ({finished}). Go back to an earlier word to go on from there.").format(finished=_(self.finished))
            )

    def _thrown(self, settings: SamplingSettings, chosen_by: str, attempt: int) -> Node | None:
        """The step that this throw has made here before, if it has."""
        for child in self.nodes[self.here].children:
            step = self.nodes[child].step
            if step and (step.settings, step.chosen_by, step.attempt) == (settings, chosen_by, attempt):
                return self.nodes[child]
        return None

    def _pending_or_full(self) -> _Pending:
        """The pass behind the coming token. Memory that is full ends the run here, and says so."""
        try:
            return self._pending_pass(self.settings)
        except NotEnoughMemory:
            self._out_of_memory = True
            raise

    def _keep(self, pending: _Pending, seen: stages.Observation, chosen_by: str, roll: float | None, attempt: int) -> Step:
        """The step that was seen, behind the current place; one that was made just so before is gone to."""
        settings = self.settings
        known = self._child_like(seen.chosen, settings, chosen_by, attempt)
        if known is not None:
            self.switch(known.node_id)
            assert known.step is not None
            return known.step
        token = self.model.token(seen.chosen)
        text, waiting = added_by(token, self._waiting[-1])
        step = Step(
            **self._place(pending.forward, settings),
            **_arrays(seen, pending.forward.logits.top_logprobs),
            token_id=seen.chosen,
            text=text,
            chosen_by=chosen_by,
            roll=roll,
            attempt=attempt,
        )
        self.add(step, waiting)
        self._write_id(step)
        self._pending = None
        return step

    def _pending_pass(self, settings: SamplingSettings) -> _Pending:
        many = _unbounded(settings)  # every token can be picked, and only a long list says how likely each is
        usual = min(max(self.top_n, settings.top_k + 1), MOST_CANDIDATES)
        if self._pending is None:
            cache = self._cache if self.use_cache else None
            self._pending = _Pending(self.model.engine.forward(self.token_ids, cache, MOST_CANDIDATES if many else usual))
        logits = self._pending.forward.logits
        wanted = MOST_CANDIDATES if many or _cut_too_short(logits.top_logprobs, settings) else usual
        if logits.known < wanted:
            self._pending = _Pending(self.model.engine.request_more_logprobs(self.token_ids, self._pending.forward, wanted))
        return self._pending

    def _observe(self, pending: _Pending, settings: SamplingSettings, **pick: Any) -> stages.Observation:
        """Watch the odds and pick. A pick that a server leaves in doubt makes it list more, until the token and its odds are known."""
        with self._keeping_no_failure():
            while True:
                logits = pending.forward.logits
                seen = stages.observe(logits.values, settings, self.token_ids, min(self.top_n, logits.known), **pick)
                known = seen.chosen < 0 or seen.chosen in logits
                if known and not _doubtful(logits.top_logprobs, settings, pick.get("roll")):
                    return seen
                wanted = -1 if pick.get("forced") is None else pick["forced"]
                further = self.model.engine.request_more_logprobs(self.token_ids, pending.forward, 8 * logits.known, wanted)
                if seen.chosen not in further.logits and further.logits.known <= logits.known:
                    raise _beyond(logits.known, wanted)
                if known and further.logits.known <= logits.known:
                    return seen
                pending.forward = further
                pending.distributions.clear()

    @contextmanager
    def _keeping_no_failure(self) -> Iterator[None]:
        """An answer that could not be made sense of is asked for anew next time."""
        try:
            yield
        except (InputError, OutsideTopLogprobs):  # the answer is sound, what was wanted of it is not
            raise
        except BaseException:
            self._pending = None
            raise

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

    @in_turn
    def release(self) -> None:
        """Give the cache's memory back. The run stays; the next step computes all positions once."""
        self._cache.clear()
        self._pending = None


def _unbounded(settings: SamplingSettings) -> bool:
    """Whether no cut-off bounds the pick, while the temperature moves probability between the listed tokens and all others."""
    cut = settings.greedy or settings.top_k > 0 or settings.top_p < 1.0 or settings.min_p > 0.0
    return not cut and (settings.temperature != 1.0 or settings.typical_p < 1.0)


def _check_kinds(model: Any, prompt: Any) -> None:
    """Raises WrongType where a model or a text was to be given and something else was."""
    if not hasattr(model, "tokenize"):
        said = _("A run needs a loaded model, load_model({model}) for one, not {kind}.")
        raise WrongType(said.format(model=repr(str(model)[:40]), kind=type(model).__name__))
    if not isinstance(prompt, str):
        raise WrongType(_("A prompt is a text, not {kind}.").format(kind=type(prompt).__name__))


def _falls_beside(seen: stages.Observation, roll: float) -> bool:
    """Whether this roll falls onto the segment of the chosen token or beside it."""
    column = int(np.flatnonzero(seen.token_ids == seen.chosen)[0])
    start, width = float(seen.dice_starts[column]), float(seen.probabilities[-1, column])
    return start - BESIDE <= roll <= start + width + BESIDE  # a start that is no number is beside nothing


def _cut_too_short(listed: TopLogprobs | None, settings: SamplingSettings) -> bool:
    """Whether a server's list ends before a cut-off does, so that a longer one may hold all that it keeps."""
    if listed is None or settings.greedy or settings.repetition_penalty != 1.0 or (settings.top_p == 1.0 and settings.min_p == 0.0):
        return False
    return not listed.exact_stages(_stages(settings))[-1]


def _doubtful(listed: TopLogprobs | None, settings: SamplingSettings, roll: float | None) -> bool:
    """Whether another token might be the one this roll takes, if more of them were listed."""
    if listed is None or roll is None or len(listed) >= LONGEST_LIST or settings.repetition_penalty != 1.0:
        return False
    return not listed.certain_pick(_stages(settings), roll)


def _stages(settings: SamplingSettings) -> list[tuple[str, float | None]]:
    return [("model", None), *((name, setting) for name, setting, _each in stages.processors(settings))]


def _beyond(listed: int, forced: int) -> OutsideTopLogprobs:
    if forced >= 0:
        return OutsideTopLogprobs(
            _("The server lists its {listed} likeliest tokens and keeps the odds of that one to itself. Take another.").format(
                listed=written(listed)
            )
        )
    return OutsideTopLogprobs(
        _(
            "The dice landed beyond the {listed} tokens that the server lists. Lower the temperature or "
            "top-p, throw again, or start the server with a longer list (vLLM: --max-logprobs)."
        ).format(listed=written(listed))
    )


def _arrays(seen: stages.Observation, listed: TopLogprobs | None) -> dict[str, Any]:
    arrays = {name: getattr(seen, name) for name in _ARRAYS}
    if listed is None:
        return arrays
    exact = listed.exact_stages(zip(seen.stage_names, seen.stage_settings, strict=True))
    ranks = np.minimum(seen.ranks, len(listed) + 1)  # how many unlisted tokens stand before a forced one, nobody knows
    return arrays | {"ranks": ranks, "top_logprobs_count": len(listed), "stage_exact": exact}


_ARRAYS = tuple(name for name in stages.Observation.__slots__ if name != "chosen")
