"""The interface of a source: facts about it, its tokens, and its answer to "what comes after these tokens?". A run needs no more.

An answer is logits, which the run observes with its own stages and dice, or steps that were decided elsewhere: the own choice of a server
without token ids, or the steps of a recording.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from core.chat.conversation import Messages, Span
from core.chat.thoughts import MARKS, Marks
from core.errors import BadToken
from core.message import Message
from core.record.step import Candidate, ForwardPass, Step, Vocabulary
from core.record.unlisted_bounds import TopLogprobs
from core.sampling.observation import Observation
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can
from core.tokens.token_text import Token

if TYPE_CHECKING:
    import torch

    from core.device import Stopwatch

Prompt = str | list[dict[str, Any]] | Messages
Arguments = Mapping[str, Any]  # of a chat template, by name
NO_ARGUMENTS: Arguments = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Logits:
    """float32 logits [vocabulary] on the source's device.

    top_logprobs: the listed tokens of a server that does not send all logits, else None. fact: returns what stands behind the probability
    of a token; None if the source says nothing.
    """

    values: torch.Tensor
    top_logprobs: TopLogprobs | None = None
    fact: Callable[[int], str] | None = None

    @property
    def known(self) -> int:
        """How many of the likeliest tokens have logits computed by the model; a server sends only some."""
        return self.values.numel() if self.top_logprobs is None else len(self.top_logprobs)

    def __contains__(self, token_id: int) -> bool:
        """Return whether this token's logit was computed by the model."""
        return self.top_logprobs is None or token_id in self.top_logprobs

    def listing(self, count: int) -> int:
        """Return how many tokens a record lists if `count` are wanted."""
        return count if self.top_logprobs is None else self.top_logprobs.listing(count)

    def column(self, key: int) -> int:
        """Return the index among `values` of the token with this key: the id, except for tokens without ids."""
        return key if self.top_logprobs is None else self.top_logprobs.column(key)

    def fields(self, observation: Observation) -> dict[str, Any]:
        """Return an observation of these logits as the fields of a record, with the key of the chosen token (-1 without a choice)."""
        observed: dict[str, Any] = {name: getattr(observation, name) for name in OBSERVED}
        if self.fact is not None:
            observed["facts"] = tuple(map(self.fact, observation.token_ids.tolist()))
        if self.top_logprobs is None:
            return observed | {"key": observation.chosen}
        return self.top_logprobs.fields(observed) | {"key": self.top_logprobs.key(observation.chosen) if observation.chosen >= 0 else -1}


OBSERVED = tuple(name for name in Observation.__slots__ if name != "chosen")


@dataclass(frozen=True, slots=True)
class Forward:
    """The result of one forward pass. computed_tokens + reused_tokens is the number of tokens passed in.

    cache_bytes: bytes in use for these tokens; held_bytes: bytes allocated for them, None if the cache is on another machine.
    """

    logits: Logits
    computed_tokens: int
    reused_tokens: int
    cache_bytes: int
    queue_seconds: float
    stopwatch: Stopwatch
    server_seconds: float | None = None
    held_bytes: int | None = None
    choice: ClassVar[dict[str, Any] | None] = None  # the dice decide

    @property
    def seconds(self) -> float:
        """Seconds of the pass, without the time in the queue."""
        return self.stopwatch.seconds

    @property
    def measured(self) -> ForwardPass:
        """The measurements for the record of a step. On CUDA this waits for the end of the pass."""
        return ForwardPass(
            self.computed_tokens,
            self.reused_tokens,
            self.cache_bytes,
            self.seconds,
            self.queue_seconds,
            self.server_seconds,
            self.held_bytes,
        )


@dataclass(frozen=True, slots=True)
class Listed:
    """The answer of a server without token ids: a list of tokens, and its own choice if that must be taken.

    logits: of the listed tokens; None if the server listed none. choice: the fields of the step with the server's own choice; None if the
    dice can decide.
    """

    logits: Logits | None
    measured: ForwardPass
    choice: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """The recorded steps after a step, the one on the recording's current path first, each with the name of its branch."""

    steps: tuple[tuple[Step, str], ...]


LiveAnswer = Forward | Listed  # to be observed
Answer = LiveAnswer | Recorded


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run wants to know of the next token.

    count: how many of the likeliest tokens its record lists. path: the steps so far. roll, forced: how the token is chosen; both None for
    greedy, and for the probabilities alone (`picks` is then False). changes: to the network in this pass.
    """

    settings: SamplingSettings
    count: int
    path: Sequence[Step] = ()
    changes: Any = None
    attempt: int = 0
    roll: float | None = None
    forced: int | None = None
    picks: bool = False


class Cache(Protocol):
    """What a source keeps for one run between its answers."""

    @property
    def bytes(self) -> int:
        """Bytes that the tokens of the run take."""

    def clear(self) -> None:
        """Drop everything. It is computed, or asked for, again."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a run begins with: the text to show, the messages of a conversation (() without one), and the tokens.

    cache: a new one for the run; None if the source keeps nothing. vocabulary: looks up the run's tokens. arguments: of the chat template.
    """

    prompt: str
    messages: Messages
    tokens: list[Token]
    as_chat: bool
    cache: Any
    vocabulary: Vocabulary
    arguments: Arguments = field(default_factory=dict)


class Source(ABC):
    """What answers "what comes after these tokens?".

    name; device, dtype, stored_dtype: names, "unknown" if they are. parameter_count, layer_count, vocabulary_size: counts; context_length:
    tokens; weight_bytes, cache_bytes_per_token: bytes; each 0 if unknown. end_token_ids: tokens that end a text. notes: sentences on the
    source's limits. can: what it can do. recommended: its makers' settings or None. adapter_of: name of the model that this one adds an
    adapter to. server_kind: what runs the server, "" on this machine. logprob_error: expected error of its log-probabilities in nats.
    """

    name: str
    device: str
    dtype: str
    stored_dtype: str = "unknown"
    parameter_count: int = 0
    layer_count: int = 0
    vocabulary_size: int = 0
    context_length: int = 0
    weight_bytes: int = 0
    cache_bytes_per_token: int = 0
    end_token_ids: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()
    recommended: SamplingSettings | None = None
    adapter_of: str = ""
    server_kind: str = ""
    logprob_error: float = 0.0

    @property
    def unloaded(self) -> bool:
        """Whether its weights are unloaded. The next answer then waits until they are loaded again."""
        return False

    @property
    def has_chat_template(self) -> bool:
        """Whether it answers a conversation: the short form of `Can.CHAT in source.can`, for notebooks."""
        return Can.CHAT in self.can

    @property
    def known_shape(self) -> Any:
        """The `ModelShape`, None if it is unknown."""
        return None

    @property
    @abstractmethod
    def can(self) -> frozenset[Can]:
        """What this source can do."""

    @abstractmethod
    def token(self, token_id: int) -> Token:
        """Return the token with this key, without context. Raises BadToken."""

    def piece(self, token_id: int) -> str:
        """Return how this token is displayed, with visible whitespace and bytes."""
        return self.token(token_id).piece

    @abstractmethod
    def begin(self, prompt: Prompt, as_chat: bool, arguments: Arguments = NO_ARGUMENTS) -> Beginning:
        """Return what a run of this prompt begins with. arguments: of the chat template.

        Raises EmptyPrompt, PromptTooLong, WrongType, and what the source refuses.
        """

    @abstractmethod
    def next(self, keys: np.ndarray, cache: Any, wanted: Wanted, earlier: Answer | None = None) -> Answer:
        """Return what comes after these tokens, int64 keys [position].

        earlier: an answer to the same tokens, which is returned if it suffices for what is wanted now.
        """

    def settle(self, keys: np.ndarray, cache: Any, wanted: Wanted, answer: LiveAnswer, observation: Observation | None) -> LiveAnswer:
        """Return `answer` if the observed choice is certain, else a better answer, which is observed again.

        observation: None if the answer has no logits. Raises NotForThisModel if the source cannot give a better answer.
        """
        return answer

    def ending(self, path: Sequence[Step], cache: Any) -> str | None:
        """Return why the source's text has ended after this path, "end of text" after an end token; None if it goes on."""
        return Message("end of text") if path and path[-1].key in self.end_token_ids else None

    @property
    def thinking_marks(self) -> tuple[Marks, ...]:
        """The marks of thoughts that its chat template has; all known ones if its template is unknown."""
        return MARKS

    def content_spans(self, messages: Messages, tokens: Sequence[Token], arguments: Arguments = NO_ARGUMENTS) -> tuple[Span, ...]:
        """Return for each message which tokens of the prompt are its content; (0, 0) if that is unknown."""
        return ()

    def key_of(
        self, token: int | str | Candidate | Token, answer: Answer | None = None, cache: Any = None, path: Sequence[Step] = ()
    ) -> int:
        """Return the key of a token that was chosen by hand: given by its key, its text, or a candidate of any step.

        answer, cache, path: at the place where it was chosen. Raises BadToken for a token that cannot be chosen here.
        """
        number = token.key if isinstance(token, Candidate | Token) else token
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise BadToken("A token is given by its id, its text or a candidate of a step.")
        return self.token(int(number)).key
