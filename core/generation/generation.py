"""The run: a prompt and the tree of all its continuations, over any source of probabilities.

A run asks its source what comes after the tokens so far, observes the answer with its own stages and dice, and records the step. Going
back changes the current node, and another token adds a branch. Existing steps stay; only `Tree.delete` removes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property, wraps
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, SupportsIndex, TypeVar

import numpy as np

from core.chat.conversation import Span
from core.checked_number import whole_number
from core.engine.kv_cache.prefix_reuse import KVCache
from core.errors import InputError, NoRoom, NotForThisModel, RunFinished, WrongType
from core.generation import loops
from core.generation.ending import Stop, why_ended
from core.generation.tree import Tree
from core.limits import Limits
from core.message import Message
from core.record.step import Candidate, Step, TokenDistribution
from core.sampling import dice
from core.sampling.observation import MOST_CANDIDATES
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can, require
from core.sources.source import NO_ARGUMENTS, OBSERVED, Answer, Arguments, Forward, LiveAnswer, Prompt, Recorded, Source, Wanted
from core.sources.token_source import TokenSource
from core.tokens.token_text import Token, added_by

if TYPE_CHECKING:
    import torch

    from core.engine.network_changes import Steering
    from core.sampling.observation import History

ATTEMPT = Message("The attempt")
LARGEST_COUNT = 2**53
LIVE = frozenset({Can.NEW_TOKENS, Can.TOKEN_IDS})  # what a run needs to roll a token that was rolled elsewhere
FORCED = {"chosen_by": "forced", "roll": None, "attempt": 0}
BY_BUDGET = FORCED | {"chosen_by": "budget"}
DISTRIBUTION = (*OBSERVED, "top_logprobs_count", "stage_exact", "facts")
TAIL = 40  # characters of the text that `repr` shows
BESIDE = 1e-3  # of the strip; within this distance of a token's segment, rounding may decide whether a roll falls on it
NO_IDS = np.empty(0, dtype=np.int64)
P = ParamSpec("P")
Result = TypeVar("Result")


def in_turn(method: Callable[Concatenate[Generation, P], Result]) -> Callable[Concatenate[Generation, P], Result]:
    """Decorate a method that moves a run or depends on its current node: threads call it one after the other (see `Generation.turn`)."""

    @wraps(method)
    def guarded(self: Generation, *args: P.args, **kwargs: P.kwargs) -> Result:
        with self.turn:
            return method(self, *args, **kwargs)

    return guarded


class Generation(Tree):
    """One visitor's run of one source: a loaded model, a server, or a recording.

    model: the source. prompt: the text to continue, or a conversation as a list of messages {"role", "content"}, whose further fields
    such as "tool_calls" the chat template gets, too; these are in `messages`, and `prompt` is then the text of the last one (see
    `generation/turns.py`). settings: for the next steps; assign new ones to change them, existing steps stay. top_n: how many candidates
    every step lists; with a constraint or a bias also as many of the likeliest that can be chosen. use_cache=False computes all positions
    again at every step. as_chat: the prompt becomes the message of a user; prompt_tokens then has the template's tokens too.
    steering: a vector that is added at a layer in every pass. without_heads: attention heads (layer, head) that are switched off in every
    pass. Both run on transformers' network, which is slower than the compiled one. stop: the run ends with the token that completes
    one of these texts. most_new_tokens: it ends after so many tokens; 0 for no limit. stop_on_loop: it ends with the token that completes
    so many copies of the same tokens (`generation/loops.py`); 0 for never. thinking_budget: tokens of thoughts, after which their end is
    written by force, as "budget" in `Step.chosen_by` says; None for no limit. thinking_end: that end, by default the closing mark of the
    chat template's thoughts; with a text of its own any model's new tokens count as thoughts until it is written. template_arguments: of
    the chat template, by name, as transformers' apply_chat_template takes them: {"enable_thinking": False}, {"tools": [...]}.

    can: what the source can do. A run of a recording (`Recording.replay()`) reveals the recorded steps and has no settings of its own.
    turn: lock held by the thread that moves the run. A step belongs to the node where its computation began, so no other thread may move
    the run until it ends. Hold the lock around several calls that belong together. Reading needs no lock.

    Raises EmptyPrompt, PromptTooLong, BadSetting for invalid settings or an invalid steering, WrongType if the model or the prompt has the
    wrong type, ModelError if the network cannot be changed in this way.
    """

    to_html: ClassVar[Callable[..., Any]]  # these methods are added by `core.reports.methods`
    to_live_html: ClassVar[Callable[..., Any]]
    to_gif: ClassVar[Callable[..., None]]
    chart: ClassVar[Callable[..., Any]]
    _repr_html_: ClassVar[Callable[..., str]]

    def __init__(
        self,
        model: Source,
        prompt: Prompt,
        settings: SamplingSettings | None = None,
        top_n: int = 20,
        use_cache: bool = True,
        as_chat: bool = False,
        steering: Steering | None = None,
        without_heads: Iterable[tuple[int, int]] = (),
        stop: Iterable[str] = (),
        most_new_tokens: int = 0,
        stop_on_loop: int = 0,
        thinking_budget: int | None = None,
        thinking_end: str = "",
        template_arguments: Arguments | None = None,
    ) -> None:
        most_candidates = whole_number(top_n, "top_n", -LARGEST_COUNT, LARGEST_COUNT)
        if not isinstance(model, Source):
            message = Message("A run needs a loaded model such as load_model({model}), not {kind}.")
            name = str(model)[:40] if isinstance(model, str | Path) else "storyteller"
            raise WrongType(message.with_values(model=repr(name), kind=type(model).__name__))
        beginning = model.begin(prompt, as_chat, template_arguments or NO_ARGUMENTS)
        self.turn = RLock()
        super().__init__(beginning.vocabulary)
        self.prompt, self.messages, self.prompt_tokens = beginning.prompt, beginning.messages, beginning.tokens
        self.model, self.model_name, self.as_chat = model, model.name, beginning.as_chat
        self.template_arguments = dict(beginning.arguments)
        self.settings = SamplingSettings() if settings is None else settings
        self._stop = Stop.checked(stop, most_new_tokens, stop_on_loop, thinking_budget, thinking_end)
        self._most_tokens = Limits.from_environment().tokens_per_run if Can.NEW_TOKENS in model.can else 0
        self.top_n = min(max(1, most_candidates), MOST_CANDIDATES, model.vocabulary_size or MOST_CANDIDATES)
        self.use_cache = use_cache
        self._cache = beginning.cache
        self._changes = _changes(model, steering, list(without_heads))
        count = len(self.prompt_tokens)
        self._ids = np.empty(max(64, 2 * count), dtype=np.int64)
        self._ids[:count] = [token.key for token in self.prompt_tokens]
        self._pending: Answer | None = None  # the source's answer before the next token
        self._distributions: dict[SamplingSettings, TokenDistribution] = {}  # already observed in it
        self._latest: tuple[Step, Answer] | None = None  # a step with its pass
        self._out_of_memory = False

    def __reduce_ex__(self, _protocol: SupportsIndex) -> Any:
        """Raise WrongType for copy and pickle."""
        raise WrongType("A run holds a loaded model, so it cannot be copied. Keep Recording.of(run), or branch with run.switch().")

    @property
    def can(self) -> frozenset[Can]:
        """What the run's source can do."""
        return self.model.can

    @property
    def settings(self) -> SamplingSettings:
        """Settings of the next steps; assign new ones to change them, existing steps stay. Raises BadSetting for another type."""
        return self._settings

    @settings.setter
    def settings(self, settings: SamplingSettings) -> None:
        self._settings = SamplingSettings.checked(settings)

    @property
    def has_changed_network(self) -> bool:
        """Whether every pass adds a vector or switches heads off: see `steering` and `without_heads`."""
        return self._changes is not None

    @property
    def finished(self) -> str | None:
        """Why the run has ended here (see `why_ended`); None if it can continue."""
        return why_ended(
            self.model,
            self._path,
            self._written_keys,
            self._cache,
            self.vocabulary,
            self._stop,
            is_fulfilled=self._is_fulfilled,
            tokens=self.token_count,
            most_tokens=self._most_tokens,
            out_of_memory=self._out_of_memory,
        )

    def _is_fulfilled(self) -> bool:
        if not self.settings.constraint or Can.ALL_SETTINGS not in self.can:
            return False
        from core.generation.observe_answer import is_fulfilled  # imports torch

        return is_fulfilled(lambda: self.history(self.settings, len(self._path)), self.settings)

    @property
    def stops(self) -> dict[str, Any]:
        """The arguments `stop`, `most_new_tokens`, `stop_on_loop`, `thinking_budget` and `thinking_end` of this run."""
        return self._stop.arguments

    def stop_at(self, stop: Iterable[str] = (), most_new_tokens: int = 0, stop_on_loop: int = 0, **thinking: Any) -> None:
        """Change where the run ends; the steps stay. A recording ends where it ends. thinking: its two arguments. Raises BadSetting."""
        self._stop = Stop.checked(stop, most_new_tokens, stop_on_loop, **thinking)

    @property
    def loop(self) -> loops.Loop | None:
        """The loop in which the written tokens end (see `loops.find`), None if they end in none. `start` counts from the first of them."""
        return loops.find(self._written_keys)

    @property
    def _written_keys(self) -> np.ndarray:
        return self.token_ids[len(self.prompt_tokens) :]

    @cached_property
    def opened(self) -> bytes:
        """What a conversation's prompt has after its last message, or as the begun answer: it can open a thought. b"" for a text."""
        if not self.messages:
            return b""
        *before, (_first, end) = ((0, 0), *self.message_spans)
        if self.messages[-1]["role"] == "assistant":
            end = before[-1][1]
        return b"".join(token.raw for token in self.prompt_tokens[end:])

    @cached_property
    def message_spans(self) -> tuple[Span, ...]:
        """The first and the end index among `prompt_tokens` of each message's content; () for a text. The others are the template's."""
        return self.model.content_spans(self.messages, self.prompt_tokens, self.template_arguments) if self.messages else ()

    @property
    def token_ids(self) -> np.ndarray:
        """The keys of all tokens up to the current node, int64 [token_count]; a view that must not be written to."""
        return self._ids[: self.token_count]

    @property
    def cache_bytes(self) -> int:
        """Bytes that the tokens in this run's cache take; those of the recorded cache at this step of a recording."""
        if self._cache is not None:
            return int(self._cache.bytes)
        return self._path[-1].forward.cache_bytes if self._path else 0

    @property
    def cache(self) -> Any:
        """What the source keeps for this run, such as a `KVCache`. It can be replaced by that of another run; tokens that do not match the
        text are computed again."""
        return self._cache

    @cache.setter
    def cache(self, cache: Any) -> None:
        self._cache = cache

    @property
    @in_turn
    def logits(self) -> torch.Tensor | None:
        """The model's logits of the next token: float32 [vocabulary], on its device; None if the source gives only a part of them.

        Makes the forward pass once, as `next_distribution` does, and raises the same errors.
        """
        self._must_go_on()
        answer = self._asked(self._wanted())
        return answer.logits.values if isinstance(answer, Forward) and answer.logits.top_logprobs is None else None

    @in_turn
    def next_distribution(self, settings: SamplingSettings | None = None) -> TokenDistribution:
        """Return the probabilities of the next token. Makes the forward pass once; other settings then need no further pass.

        settings: instead of the run's; a recording has only its own. Raises RunFinished at the end of a run, NoRoom, BrokenLogits.
        """
        self._must_go_on()
        return self._next(self._wanted(settings))

    @in_turn
    def step(self, attempt: int = 0, outcome: int | None = None) -> Step:
        """Compute and append one token, or reveal the next recorded one.

        attempt: 0 is the roll of the seed and the step index; 1, 2, ... roll again at the same step. A repeated roll returns the step that
        it made before in this run, even if rounding would now decide otherwise. outcome: the token that this roll selected elsewhere, on
        another machine, in a batch or with a rebuilt cache. It is taken as sampled if the roll falls on its segment or near it (see
        `BESIDE`), else as forced.

        Raises RunFinished at the end of a run, NoRoom, BrokenLogits, BadSetting for an invalid attempt, BadToken.
        """
        attempt = whole_number(attempt, ATTEMPT, 0, dice.LARGEST_ATTEMPT)
        self._must_go_on()
        if outcome is None and (end := self._end_of_thoughts()) is not None:
            return self._force(end)
        settings = self.settings
        roll = None if settings.greedy else dice.roll(settings.seed, len(self._path), attempt)
        how = {"chosen_by": "greedy" if roll is None else "sampled", "roll": roll, "attempt": 0 if roll is None else attempt}
        existing = self.switch_to_same_choice(settings, how) if Can.NEW_TOKENS in self.can else None
        if existing is not None and outcome in (None, existing.key):
            return existing
        if outcome is None:
            return self._taken(self._wanted(roll=roll, attempt=attempt, picks=True), how)
        key = self._key_of(outcome)
        if not self.can >= LIVE:
            return self._force(key)
        wanted = self._wanted(picks=True) if roll is None else self._wanted(roll=min(roll + BESIDE, 1.0), forced=key, picks=True)
        return self._taken(wanted, how, key)

    @in_turn
    def force(self, token: int | str | Candidate | Token) -> Step:
        """Take this token without a roll: its id, its text (`" fox"`), or a candidate of any step.

        Its `chosen_by` is "forced", or "budget" if the budget for thoughts takes it here in any case.

        Raises BadToken for a token that the source does not have or does not continue with, RunFinished at the end of a run,
        NoRoom, BrokenLogits.
        """
        key = self._key_of(token)
        self._must_go_on()
        return self._force(key)

    def _end_of_thoughts(self) -> int | None:
        if not self.can >= LIVE:
            return None
        assert isinstance(self.model, TokenSource)
        return self._stop.end_of_thoughts(self.opened, self._path, self.vocabulary, self.model.thinking_marks, self.model.encode)

    def _force(self, key: int) -> Step:
        return self._taken(self._wanted(forced=key, picks=True), BY_BUDGET if key == self._end_of_thoughts() else FORCED)

    def _taken(self, wanted: Wanted, how: dict[str, Any], outcome: int | None = None) -> Step:
        step = self._next(wanted, how, outcome)
        assert isinstance(step, Step)
        return step

    def _key_of(self, token: int | str | Candidate | Token) -> int:
        if self.can >= LIVE:
            return self.model.key_of(token)
        if Can.NEW_TOKENS in self.can:
            self._must_go_on()
        answer = None if self.finished else self._asked(self._wanted())
        return self.model.key_of(token, answer, self._cache, self._path)

    def _must_go_on(self) -> None:
        """Raise RunFinished if the run has ended here."""
        ended = self.finished
        if ended and Can.NEW_TOKENS not in self.can:
            raise RunFinished("The recording ends here. Go back to an earlier token or start a live run.")
        if ended and not self._path:
            raise RunFinished("The prompt leaves no space for a new token ({finished}). Shorten the prompt.", finished=Message(ended))
        if ended:
            raise RunFinished(
                "This run has ended ({finished}). Go back to an earlier token to continue from there.", finished=Message(ended)
            )

    def _wanted(self, settings: SamplingSettings | None = None, **choice: Any) -> Wanted:
        """Return what the source is asked for: the next token under these settings, else the run's."""
        settings = self.settings if settings is None else SamplingSettings.checked(settings)
        return Wanted(settings, self.top_n, self._path, self._changes, **choice)

    def _next(self, wanted: Wanted, how: dict[str, Any] | None = None, outcome: int | None = None) -> TokenDistribution:
        """Return the next step, or its probabilities if no token is picked. Asked once, then observed and settled in a loop, then recorded.

        A recording leaves it when it has answered, every other source when `settle` returns its answer unchanged, a server with texts
        also with its own choice. how: fields of the record that say how the token is chosen. outcome: a token that was chosen elsewhere
        in this way; it is forced if the observation disagrees.
        """
        how, answer = how or {}, self._asked(wanted)
        if isinstance(answer, Recorded):  # the step is known, whatever the roll
            return self._reveal(answer, wanted.forced) if wanted.picks else answer.steps[0][0]
        from core.generation import observe_answer  # imports torch, which a recording does not need

        with self._dropping_the_answer_of_a_failure():
            while wanted.picks or wanted.settings not in self._distributions:
                text = self.history(wanted.settings, len(self._path))
                observation = None if answer.logits is None else observe_answer.observed(answer.logits, wanted, text)
                settled = self.model.settle(self.token_ids, self._cache, wanted, answer, observation)
                if settled.choice is not None:  # a server with texts: the token that it chose
                    return self._record(settled, wanted, how | settled.choice)
                if settled is answer:  # a network, an n-gram, a server's list: certain for these settings and this roll
                    assert answer.logits is not None and observation is not None
                    fields = observe_answer.fields_of(answer.logits, wanted, text, observation)
                    if outcome is not None and not _agrees(fields, outcome, how):
                        return self._force(outcome)
                    return self._record(answer, wanted, how | fields)
                answer = self._pending = settled  # a server with ids: its longer list is observed again
                self._distributions.clear()
        return self._distributions[wanted.settings]  # observed before

    def _asked(self, wanted: Wanted) -> Answer:
        """Return the source's answer before the next token; ask for it once. If memory is full at a choice, the run ends here."""
        earlier = self._pending
        cache = self._cache if self.use_cache or not isinstance(self._cache, KVCache) else None
        try:
            answer = self.model.next(self.token_ids, cache, wanted, earlier)
        except NoRoom:
            self._out_of_memory = self._out_of_memory or wanted.picks
            raise
        if answer is not earlier:
            self._pending = answer
            self._distributions.clear()
        return answer

    def _record(self, answer: LiveAnswer, wanted: Wanted, fields: dict[str, Any]) -> TokenDistribution:
        """Return the record of what was observed. A step is appended to the current node, unless an equal child exists."""
        shared: dict[str, Any] = {"index": len(self._path), "position": self.token_count, "vocabulary": self.vocabulary}
        shared |= {"settings": wanted.settings, "forward": answer.measured}
        if not wanted.picks:
            distribution = TokenDistribution(**shared, **{name: fields[name] for name in DISTRIBUTION if name in fields})
            self._distributions = {wanted.settings: distribution}
            return distribution
        existing = self.switch_to_same_choice(wanted.settings, fields, fields["key"])
        if existing is not None:
            return existing
        text, waiting = added_by(self.vocabulary.token(fields["key"]), self._waiting[-1])
        step = Step(**shared, **fields, text=text, before=self._path[-1] if self._path else self.prompt)
        self.add(step, waiting)
        self._write_id(step)
        self._pending, self._latest = None, (step, answer)
        return step

    def _reveal(self, recorded: Recorded, key: int | None) -> Step:
        """Append the recorded step with this key, by default the one on the recording's path, or move to it."""
        step, name = next((step, name) for step, name in recorded.steps if key in (None, step.key))
        if self.switch_to_child(lambda child: child is step):
            return step
        node = self.add(step, added_by(self.vocabulary.token(step.key), self._waiting[-1])[1])
        node.name = name
        self._write_id(step)
        return step

    def history(self, settings: SamplingSettings, index: int) -> History:
        """Return what the stages may know of the text before step `index` of the current path.

        Mirostat's limit and where a constraint begins follow from the steps before, so every branch has its own.
        """
        from core.generation.observe_answer import history_of  # imports torch

        ids = self._ids[: len(self.prompt_tokens) + index] if Can.TOKEN_IDS in self.can else NO_IDS
        return history_of(self.model, ids, len(self.prompt_tokens), self._path[:index], settings)

    @in_turn
    def forward_before(self, index: int) -> Forward:
        """Return the forward pass before step `index` of the current path, or before the next token. One pass is cached.

        Only the pass before an older step is made again. Raises what `next_distribution` raises.
        """
        if index >= len(self._path):
            self._must_go_on()
            answer = self._asked(self._wanted())
        else:
            step = self._path[index]
            if self._latest is None or self._latest[0] is not step:
                wanted = Wanted(step.settings, MOST_CANDIDATES, self._path[:index], self._changes)
                self._latest = (step, self.model.next(self._ids[: step.position], None, wanted))
            answer = self._latest[1]
        assert isinstance(answer, Forward)
        return answer

    @contextmanager
    def _dropping_the_answer_of_a_failure(self) -> Iterator[None]:
        """Drop the pass if reading its logits failed, so that the next call computes it again."""
        try:
            yield
        except (InputError, NotForThisModel):  # the logits are valid, only the request was not
            raise
        except BaseException:
            self._pending = None
            raise

    def _write_id(self, step: Step) -> None:
        if step.position >= len(self._ids):
            grown = np.empty(2 * len(self._ids), dtype=np.int64)
            grown[: step.position] = self._ids[: step.position]
            self._ids = grown
        self._ids[step.position] = step.key

    def _moved(self, common: int) -> None:
        """Write the keys after the common part again and drop the pending answer, because the current node has changed."""
        for step in self._path[common:]:
            self._write_id(step)
        self._pending = None
        self._out_of_memory = False

    @in_turn
    def release(self) -> None:
        """Free the cache's memory. The run stays valid; its next step computes all positions once."""
        if self._cache is not None:
            self._cache.clear()
        self._pending = self._latest = None

    def go_to(self, step_index: int) -> None:
        """Move to a step; see `Tree.go_to`."""
        with self.turn:
            super().go_to(step_index)

    def switch(self, node_id: int) -> None:
        """Move to a node; see `Tree.switch`."""
        with self.turn:
            super().switch(node_id)

    def delete(self, node_id: int) -> int:
        """Delete a branch; see `Tree.delete`."""
        with self.turn:
            return super().delete(node_id)

    def stream(self, count: int | None = None) -> Iterator[Step]:
        """Generate up to `count` more tokens (None: to the end) and yield each step.

        Stops where the run ends or memory is full; `finished` then has the reason. Raises BadSetting for an invalid count.
        """
        return self._stream(None if count is None else whole_number(count, Message("The number of tokens"), 0))

    def generate(self, count: int | None = None) -> str:
        """Generate up to `count` more tokens (None: to the end) and return the whole text. Raises BadSetting for an invalid count."""
        for _step in self.stream(count):
            pass
        return self.text

    def _stream(self, count: int | None) -> Iterator[Step]:
        written = 0
        while self.finished is None and (count is None or written < count):
            try:
                step = self.step()
            except NoRoom:
                if not self._path:  # the prompt itself does not fit into memory
                    raise
                return
            yield step
            written += 1

    def __repr__(self) -> str:
        text = self.text
        shortened = text if len(text) <= TAIL else f"…{text[-TAIL:]}"
        ending = f", {self.finished}" if self.finished else ""
        return f"{type(self).__name__}({self.model_name}, {len(self._path)} tokens written, {shortened!r}{ending})"


def _agrees(fields: dict[str, Any], key: int, how: dict[str, Any]) -> bool:
    """Return whether greedy selects this token here, too, or the roll falls on its segment or near it."""
    if how["roll"] is None:
        return bool(fields["key"] == key)
    column = int(np.flatnonzero(fields["token_ids"] == key)[0])
    start, width = float(fields["dice_starts"][column]), float(fields["probabilities"][-1, column])
    return start - BESIDE <= how["roll"] <= start + width + BESIDE  # False if the token has no segment (NaN)


def _changes(source: Source, steering: Steering | None, without_heads: list[tuple[int, int]]) -> Any:
    """Return the changes to the network, None for the unchanged network, which may then be the compiled one."""
    if steering is None and not without_heads:
        return None
    from core.engine.model import LanguageModel
    from core.engine.network_changes import Changes  # imports transformers

    require(source, Can.NETWORK)
    assert isinstance(source, LanguageModel)
    return Changes(source, steering, without_heads)


def generated(source: Source, prompt: Prompt, settings: SamplingSettings, most: int) -> Generation:
    """Return a run that wrote up to `most` tokens and released its cache. Raises the errors of `Generation` and of its steps."""
    run = Generation(source, prompt, settings, top_n=1)
    try:
        while run.finished is None and len(run.path) < most:
            run.step()
    finally:
        run.release()
    return run
