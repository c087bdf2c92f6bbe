"""A recording as a source: it answers with its own steps, and knows nothing after any other token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from core.chat.conversation import Messages, Span
from core.errors import BadToken, RunFinished
from core.message import Message
from core.record.step import Candidate, Step
from core.sources.capabilities import Can
from core.sources.source import NO_ARGUMENTS, Answer, Arguments, Beginning, Prompt, Recorded, Source, Wanted
from core.tokens.token_text import FIRST_OWN_KEY, Token


@dataclass(eq=False)
class RecordedSource(Source):
    """What a recording stores about its model, and its steps. Sizes are 0 if the file does not contain them.

    tokens: by key. has_facts: False for a saved answer of a server, which says nothing of the model but its name. following: the recorded
    steps after each step (None: after the prompt), with the names of their branches. last: the step that was current when the run was
    recorded, ending: why the run had ended there. beginning: of the recorded run; spans: see `content_spans`.
    """

    name: str
    device: str
    dtype: str
    parameter_count: int = 0
    layer_count: int = 0
    vocabulary_size: int = 0
    context_length: int = 0
    cache_bytes_per_token: int = 0
    weight_bytes: int = 0
    end_token_ids: frozenset[int] = frozenset()
    tokens: dict[int, Token] = field(default_factory=dict, repr=False)
    has_facts: bool = True
    following: Mapping[Step | None, Recorded] = field(default_factory=dict, repr=False)
    last: Step | None = field(default=None, repr=False)
    recorded_ending: str | None = None
    beginning: Beginning | None = field(default=None, repr=False)
    spans: tuple[Span, ...] = ()

    @cached_property
    def can(self) -> frozenset[Can]:
        """What it can do: whether its tokens have ids, and its file has facts."""
        ids = {Can.TOKEN_IDS} if all(key < FIRST_OWN_KEY for key in self.tokens) else set()
        return frozenset(ids | ({Can.FACTS} if self.has_facts else set()))

    def token(self, token_id: int) -> Token:
        """Return the token of this id without context. Raises BadToken for a token that the recording does not contain."""
        token = self.tokens.get(token_id)
        if token is None:
            raise BadToken("The recording does not contain token id {number}.", number=token_id)
        return token

    def begin(self, prompt: Prompt, as_chat: bool, arguments: Arguments = NO_ARGUMENTS) -> Beginning:
        """Return the beginning of the recorded run, whatever the prompt."""
        assert self.beginning is not None
        return self.beginning

    def next(self, keys: np.ndarray, cache: Any, wanted: Wanted, earlier: Answer | None = None) -> Answer:
        """Return the recorded steps after the last one of `wanted.path`. Raises RunFinished if there are none."""
        recorded = self.following.get(wanted.path[-1] if wanted.path else None)
        if recorded is None:
            raise RunFinished("The recording ends here. Go back to an earlier token or start a live run.")
        return recorded

    def ending(self, path: Sequence[Step], cache: Any) -> str | None:
        """Return why there is no further step; None if there is one."""
        newest = path[-1] if path else None
        if newest in self.following:
            return None
        return (self.recorded_ending if newest is self.last else None) or Message("end of recording")

    def content_spans(self, messages: Messages, tokens: Sequence[Token], arguments: Arguments = NO_ARGUMENTS) -> tuple[Span, ...]:
        """Return the recorded spans."""
        return self.spans

    def key_of(
        self, token: int | str | Candidate | Token, answer: Answer | None = None, cache: Any = None, path: Sequence[Step] = ()
    ) -> int:
        """Return the key of a recorded next token. Raises BadToken if the recording has no step with it here."""
        wanted = token.key if isinstance(token, Candidate | Token) else token
        for step, _name in answer.steps if isinstance(answer, Recorded) else ():
            if wanted in (step.key, step.raw.decode("utf-8", "replace")):
                return step.key
        raise BadToken("The recording does not contain the probabilities after this token. Start a live run to see them.")
