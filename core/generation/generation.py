"""Generation loop over a tree of branches: a prompt and all its continuations.

Going back changes the current node, and another token adds a branch. Existing steps are kept; only `Tree.delete` removes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from core.engine.conversation import Span
from core.engine.engine import Forward
from core.engine.kv_cache.kv_cache import KVCache
from core.errors import BadToken, InputError, NotEnoughMemory, OutsideTopLogprobs, RunFinished
from core.generation.constrained import constrained_from, is_fulfilled
from core.generation.mirostat import mu_after
from core.generation.observed import BESIDE, arrays, falls_beside, place
from core.generation.prompts import Prompt, read_prompt
from core.generation.run_base import Run, in_turn
from core.generation.server_lists import beyond, is_cut_too_short, is_doubtful, is_unbounded
from core.generation.stop_rule import Stop
from core.generation.tree import Node
from core.limits import Limits
from core.message import Message
from core.record.step import Candidate, Step, TokenDistribution
from core.sampling import dice, stages
from core.sampling.history import History
from core.sampling.observation import MOST_CANDIDATES
from core.settings import SamplingSettings, whole_number
from core.tokens.tokens import Token, added_by

if TYPE_CHECKING:
    import torch

    from core.engine.changes import Steering
    from core.engine.model import LanguageModel

LARGEST_COUNT = 2**53


@dataclass(slots=True)
class _Pending:
    """The forward pass before the next token, and the distributions already computed from it, by settings."""

    forward: Forward
    distributions: dict[SamplingSettings, TokenDistribution] = field(default_factory=dict)


class Generation(Run):
    """One visitor's run of one model.

    model: the loaded model. prompt: the text to continue, or a conversation as a list of messages {"role", "content"}; these are kept in
    `messages`, and `prompt` is then the text of the last one (see `generation/turns.py`). settings: for the next steps; assign new ones to
    change them, existing steps stay. top_n: how many candidates every step lists; with a constraint or a bias also as many of the
    likeliest that can be chosen. use_cache=False computes all positions again at every step. as_chat: the prompt becomes the message of a
    user; prompt_tokens then has the template's tokens too.
    steering: a vector that is added at a layer in every pass. without_heads: attention heads (layer, head) that are switched off in every
    pass. Both run on transformers' own network, which is slower than the compiled one. stop: the run ends with the token that completes
    one of these texts. most_new_tokens: it ends after so many tokens; 0 for no limit.

    Raises EmptyPrompt, PromptTooLong, BadSetting for invalid settings or an invalid steering, WrongType if the model or the prompt has the
    wrong type, ModelError if the network cannot be changed in this way.
    """

    is_replay = False

    def __init__(
        self,
        model: LanguageModel,
        prompt: Prompt,
        settings: SamplingSettings | None = None,
        top_n: int = 20,
        use_cache: bool = True,
        as_chat: bool = False,
        steering: Steering | None = None,
        without_heads: Iterable[tuple[int, int]] = (),
        stop: Iterable[str] = (),
        most_new_tokens: int = 0,
    ) -> None:
        most_candidates = whole_number(top_n, "top_n", -LARGEST_COUNT, LARGEST_COUNT)
        limits = Limits.from_environment()
        self.prompt, self.messages, self.prompt_tokens = read_prompt(model, prompt, as_chat, limits)
        self.model, self.model_name = model, model.name
        self.as_chat = as_chat or bool(self.messages)
        count = len(self.prompt_tokens)
        super().__init__(model, SamplingSettings() if settings is None else settings)
        self._stop, self._most_tokens = Stop.checked(stop, most_new_tokens), limits.tokens_per_run
        self.top_n = min(max(1, most_candidates), MOST_CANDIDATES, model.vocabulary_size)
        self.use_cache = use_cache
        self._cache = KVCache()
        self._changes = _changes(model, steering, list(without_heads))
        self._ids = np.empty(max(64, 2 * count), dtype=np.int64)
        self._ids[:count] = [token.token_id for token in self.prompt_tokens]
        self._pending: _Pending | None = None
        self._latest: tuple[Step, Forward] | None = None  # a step with its pass
        self._out_of_memory = False

    @property
    def finished(self) -> str | None:
        """Why the run has ended here: "end of text", "stop text", "enough tokens", "constraint fulfilled" (for a
        model without an end token), "context full", "limit reached" or "out of memory"; None if it can continue."""
        if self._path and self._path[-1].token_id in self.model.end_token_ids:
            return Message("end of text")
        if asked := self._stop.reached(self._path, self.model):
            return asked
        if not self.model.end_token_ids and is_fulfilled(lambda: self.history(self.settings, len(self._path)), self.settings):
            return Message("constraint fulfilled")
        if self.token_count >= self.model.context_length:
            return Message("context full")
        if self._most_tokens and self.token_count >= self._most_tokens:
            return Message("limit reached")
        return Message("out of memory") if self._out_of_memory else None

    @property
    def stops(self) -> dict[str, Any]:
        """The arguments `stop` and `most_new_tokens` of this run."""
        return {"stop": list(self._stop.texts), "most_new_tokens": self._stop.tokens}

    def stop_at(self, stop: Iterable[str] = (), most_new_tokens: int = 0) -> None:
        """Change where the run ends; the steps stay. Raises BadSetting."""
        self._stop = Stop.checked(stop, most_new_tokens)

    @cached_property
    def message_spans(self) -> tuple[Span, ...]:
        """The first and the end index among `prompt_tokens` of each message's content; () for a text. The others are the template's."""
        return self.model.content_spans(self.messages, self.prompt_tokens) if self.messages else ()

    @property
    def token_ids(self) -> np.ndarray:
        """All tokens up to the current node, int64 [token_count]; a view that must not be written to."""
        return self._ids[: self.token_count]

    @property
    def cache_bytes(self) -> int:
        """Bytes that the tokens in this run's cache take."""
        return self._cache.bytes

    @property
    def cache(self) -> KVCache:
        """The run's KV cache. It can be replaced by any other; tokens that do not match the text are computed again."""
        return self._cache

    @cache.setter
    def cache(self, cache: KVCache) -> None:
        self._cache = cache

    @property
    @in_turn
    def logits(self) -> torch.Tensor | None:
        """The model's logits of the next token: float32 [vocabulary], on its device; None if a server sent only a part.

        Makes the forward pass once, as `next_distribution` does, and raises the same errors.
        """
        self._must_go_on()
        answer = self._pending_pass(self.settings).forward.logits
        return answer.values if answer.top_logprobs is None else None

    @in_turn
    def next_distribution(self, settings: SamplingSettings | None = None) -> TokenDistribution:
        """Return the probabilities of the next token. Makes the forward pass once; other settings then need no further pass.

        Raises RunFinished at the end of a run, NotEnoughMemory, BrokenLogits.
        """
        self._must_go_on()
        settings = self.settings if settings is None else SamplingSettings.checked(settings)
        pending = self._pending_pass(settings)
        known = pending.distributions.get(settings)
        if known is None:
            seen = self._observe(pending, settings)
            known = TokenDistribution(**self._place(pending.forward, settings), **arrays(seen, pending.forward.logits.top_logprobs))
            pending.distributions = {settings: known}
        return known

    @in_turn
    def step(self, attempt: int = 0, outcome: int | None = None) -> Step:
        """Compute and append one token.

        attempt: 0 is the roll of the seed and the step index; 1, 2, ... roll again at the same step. A repeated roll returns the step that
        it made before in this run, even if rounding would now decide otherwise. outcome: the token that this roll selected elsewhere, on
        another machine, in a batch or with a rebuilt cache. It is taken as sampled if the roll falls on its segment or near it (see
        `BESIDE`), else as forced.

        Raises RunFinished at the end of a run, NotEnoughMemory, BrokenLogits, BadSetting for an invalid attempt, BadToken.
        """
        attempt = whole_number(attempt, Message("The attempt"), 0, dice.LARGEST_ATTEMPT)
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
        return self._keep(pending, seen, chosen_by, roll, attempt) if falls_beside(seen, roll) else self._force(outcome)

    @in_turn
    def force(self, token: int | str | Candidate | Token) -> Step:
        """Take this token without a roll: its id, its text (`" fox"`), or a candidate of any step.

        Raises BadToken for a token that the model does not have, RunFinished at the end of a run, NotEnoughMemory, BrokenLogits.
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
            raise BadToken("A token is given by its id, its text or a candidate of a step.")
        return self.model.token(int(number)).token_id

    def _must_go_on(self) -> None:
        """Raise RunFinished if the run has ended here."""
        if self.finished and not self._path:
            raise RunFinished(
                "The prompt leaves no space for a new token ({finished}). Shorten the prompt.", finished=Message(self.finished)
            )
        if self.finished:
            raise RunFinished(
                "This run has ended ({finished}). Go back to an earlier token to continue from there.", finished=Message(self.finished)
            )

    def _thrown(self, settings: SamplingSettings, chosen_by: str, attempt: int) -> Node | None:
        """Return the child that this roll has made here before, or None."""
        for child in self.nodes[self.here].children:
            step = self.nodes[child].step
            if step and (step.settings, step.chosen_by, step.attempt) == (settings, chosen_by, attempt):
                return self.nodes[child]
        return None

    def _pending_or_full(self) -> _Pending:
        """Return the pass before the next token. If memory is full, the run ends here with NotEnoughMemory."""
        try:
            return self._pending_pass(self.settings)
        except NotEnoughMemory:
            self._out_of_memory = True
            raise

    def _keep(self, pending: _Pending, seen: stages.Observation, chosen_by: str, roll: float | None, attempt: int) -> Step:
        """Append the observed step to the current node, or move to an equal child that exists."""
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
            **arrays(seen, pending.forward.logits.top_logprobs),
            key=seen.chosen,
            text=text,
            chosen_by=chosen_by,
            roll=roll,
            attempt=attempt,
            before=self._path[-1] if self._path else self.prompt,
        )
        self.add(step, waiting)
        self._write_id(step)
        self._pending, self._latest = None, (step, pending.forward)
        return step

    def _pending_pass(self, settings: SamplingSettings) -> _Pending:
        many = is_unbounded(settings)  # every token can be chosen, so its probability needs a long list
        usual = min(max(self.top_n, settings.top_k + 1), MOST_CANDIDATES)
        if self._pending is None:
            cache = self._cache if self.use_cache else None
            self._pending = _Pending(self.model.engine.forward(self.token_ids, cache, MOST_CANDIDATES if many else usual, self._changes))
        logits = self._pending.forward.logits
        wanted = MOST_CANDIDATES if many or is_cut_too_short(logits.top_logprobs, settings) else usual
        if logits.known < wanted:
            self._pending = _Pending(self.model.engine.request_more_logprobs(self.token_ids, self._pending.forward, wanted))
        return self._pending

    def _observe(self, pending: _Pending, settings: SamplingSettings, **pick: Any) -> stages.Observation:
        """Observe the probabilities and select a token. A server lists more tokens until the selection is certain."""
        with self._keeping_no_failure():
            while True:
                logits = pending.forward.logits
                seen = stages.observe(
                    logits.values, settings, self.history(settings, len(self._path)), min(self.top_n, logits.known), **pick
                )
                known = seen.chosen < 0 or seen.chosen in logits
                if known and not is_doubtful(logits.top_logprobs, settings, pick.get("roll")):
                    return seen
                certain = seen.chosen if seen.stage_kept[-1] == 1 else -1  # a constraint can leave one unlikely token
                wanted = certain if pick.get("forced") is None else pick["forced"]
                further = self.model.engine.request_more_logprobs(self.token_ids, pending.forward, 8 * logits.known, wanted)
                if seen.chosen not in further.logits and further.logits.known <= logits.known:
                    raise beyond(logits.known, wanted)
                if known and further.logits.known <= logits.known:
                    return seen
                pending.forward = further
                pending.distributions.clear()

    def history(self, settings: SamplingSettings, index: int) -> History:
        """Return what the stages may know of the text before step `index` of the current path.

        Mirostat's limit and where a constraint begins follow from the steps before, so every branch has its own.
        """
        ids, path = self._ids[: len(self.prompt_tokens) + index], self._path[:index]
        mu = mu_after(path[-1] if path else None, settings)
        return History.of(self.model, ids, len(self.prompt_tokens), mu, constrained_from(path, len(self.prompt_tokens), settings))

    @in_turn
    def forward_before(self, index: int) -> Forward:
        """Return the forward pass before step `index` of the current path, or before the next token. One pass is kept.

        Only the pass before an older step is made again. Raises what `next_distribution` raises.
        """
        if index >= len(self._path):
            self._must_go_on()
            return self._pending_pass(self.settings).forward
        step = self._path[index]
        if self._latest is None or self._latest[0] is not step:
            ids = self._ids[: step.position]
            self._latest = (step, self.model.engine.forward(ids, None, MOST_CANDIDATES, self._changes))
        return self._latest[1]

    @contextmanager
    def _keeping_no_failure(self) -> Iterator[None]:
        """Drop the pass if reading its logits failed, so that the next call computes it again."""
        try:
            yield
        except (InputError, OutsideTopLogprobs):  # the logits are valid, only the request was not
            raise
        except BaseException:
            self._pending = None
            raise

    def _place(self, forward: Forward, settings: SamplingSettings) -> dict[str, Any]:
        return place(forward, len(self._path), self.token_count, settings, self.model)

    def _write_id(self, step: Step) -> None:
        if step.position >= len(self._ids):
            grown = np.empty(2 * len(self._ids), dtype=np.int64)
            grown[: step.position] = self._ids[: step.position]
            self._ids = grown
        self._ids[step.position] = step.token_id

    def _moved(self, kept: int) -> None:
        """Write the token ids after the common part again and drop the pending pass, because the current node has changed."""
        for step in self._path[kept:]:
            self._write_id(step)
        self._pending = None
        self._out_of_memory = False

    @in_turn
    def release(self) -> None:
        """Free the cache's memory. The run is kept; its next step computes all positions once."""
        self._cache.clear()
        self._pending = self._latest = None


def _changes(model: LanguageModel, steering: Steering | None, without_heads: list[tuple[int, int]]) -> Any:
    """Return the changes to the network, None for the unchanged network, which may then be the compiled one."""
    if steering is None and not without_heads:
        return None
    from core.engine.changes import Changes  # imports transformers

    return Changes(model, steering, without_heads)


def generated(model: LanguageModel, prompt: Prompt, settings: SamplingSettings, most: int) -> Generation:
    """Return a run that wrote up to `most` tokens and released its cache. Raises the errors of `Generation` and of its steps."""
    run = Generation(model, prompt, settings, top_n=1)
    try:
        while run.finished is None and len(run.path) < most:
            run.step()
    finally:
        run.release()
    return run
