"""Replay of a recording: reads and steps like a live run, without a model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from core.engine.conversation import Messages, Span
from core.errors import BadToken, RunFinished
from core.generation.run_base import Run, in_turn
from core.generation.tree import Node, Tree
from core.message import Message
from core.record.step import Candidate, Step, TokenDistribution
from core.settings import SamplingSettings
from core.tokens.tokens import Token


@dataclass(frozen=True, slots=True)
class RecordedModel:
    """What a recording stores about its model, with the names of core.engine.model.LanguageModel.

    from_answer: the recording is a saved answer of a server, which says nothing of the model but its name; all sizes are 0.
    """

    has_network: ClassVar[bool] = False

    name: str
    device: str
    dtype: str
    parameter_count: int
    layer_count: int
    vocabulary_size: int
    context_length: int
    cache_bytes_per_token: int
    weight_bytes: int
    end_token_ids: frozenset[int]
    tokens: dict[int, Token] = field(repr=False)
    from_answer: bool = False

    def token(self, token_id: int) -> Token:
        """Return the token of this id without context. Raises BadToken for a token that the recording does not contain."""
        known = self.tokens.get(token_id)
        if known is None:
            raise BadToken("The recording does not contain token id {number}.", number=token_id)
        return known

    def piece(self, token_id: int) -> str:
        """Return how this token is displayed, with visible whitespace and bytes."""
        return self.token(token_id).piece


class Replay(Run):
    """A run over a recorded tree, revealed step by step. Steps that were not recorded raise an error."""

    is_replay = True

    def __init__(
        self, model: RecordedModel, recorded: Tree, settings: SamplingSettings, top_n: int, ending: str | None, as_chat: bool = False
    ) -> None:
        super().__init__(model, settings)
        self.model = model
        self.model_name = model.name
        self.prompt, self.prompt_tokens = recorded.prompt, recorded.prompt_tokens
        self.top_n = top_n
        self.as_chat = as_chat
        self.messages: Messages = ()
        self.message_spans: tuple[Span, ...] = ()
        self._recorded = recorded
        self._ending = ending
        self._source = {0: 0}  # own node -> recorded node
        self._shown: dict[int, int] = {}  # recorded node -> own node
        self._main_line = set(recorded.line)

    def _next(self) -> Node | None:
        """Return the next recorded step: on the path to the recording's current node, else the first child."""
        children = self._recorded.nodes[self._source[self.here]].children
        chosen = next((c for c in children if c in self._main_line), children[0] if children else None)
        return None if chosen is None else self._recorded.nodes[chosen]

    @property
    def finished(self) -> str | None:
        """Why there is no further step; None if there is one."""
        if self._next() is not None:
            return None
        at_the_end = self._source[self.here] == self._recorded.here
        return (self._ending if at_the_end else None) or Message("end of recording")

    @property
    def cache_bytes(self) -> int:
        """Bytes that the recorded run's cache took at this step."""
        return self._path[-1].forward.cache_bytes if self._path else 0

    @in_turn
    def next_distribution(self, settings: SamplingSettings | None = None) -> TokenDistribution:
        """Return the recorded probabilities of the next token. `settings` has no effect, because other settings need the model."""
        following = self._next()
        if following is None or following.step is None:
            raise RunFinished("The recording ends here. Go back to an earlier token or start a live run.")
        return following.step

    @in_turn
    def step(self, attempt: int = 0, outcome: int | None = None) -> Step:
        """Reveal the next recorded step, or the one with the token `outcome`. Raises RunFinished at the end."""
        following = self._next()
        if following is None or following.step is None:
            raise RunFinished("The recording ends here. Go back to an earlier token or start a live run.")
        return self._reveal(following) if outcome in (None, following.step.key) else self.force(int(outcome))

    @in_turn
    def force(self, token: int | str | Candidate | Token) -> Step:
        """Follow a recorded branch with this token: its id, its text or a candidate. Raises BadToken if there is none."""
        wanted = token.key if isinstance(token, Candidate | Token) else token
        for child in self._recorded.nodes[self._source[self.here]].children:
            node = self._recorded.nodes[child]
            if node.step is not None and wanted in (node.step.key, node.step.raw.decode("utf-8", "replace")):
                return self._reveal(node)
        raise BadToken("The recording does not contain the probabilities after this token. Start a live run to see them.")

    def reveal_all(self) -> None:
        """Put every recorded step into the tree without moving, so that `branches` lists all of them."""
        for recorded in self._recorded.nodes[1:]:
            if recorded.step is None or recorded.parent is None or recorded.node_id in self._shown:
                continue
            self._shown_below(self._shown.get(recorded.parent, 0), recorded)

    def _shown_below(self, parent: int, recorded: Node) -> Node:
        """Append a recorded step to one of the own nodes."""
        assert recorded.step is not None
        node = self.attach(parent, recorded.step, recorded.waiting)
        node.name = recorded.name
        self._source[node.node_id], self._shown[recorded.node_id] = recorded.node_id, node.node_id
        return node

    def _reveal(self, recorded: Node) -> Step:
        assert recorded.step is not None
        own = self._shown.get(recorded.node_id)
        if own is not None and not self.nodes[own].is_deleted:
            self.switch(own)
            return recorded.step
        self._advance_to(self._shown_below(self.here, recorded), recorded.step)
        return recorded.step

    @property
    def stops(self) -> dict[str, Any]:
        """No stops of its own: a recording ends where it ends."""
        return {}

    def stop_at(self, stop: Iterable[str] = (), most_new_tokens: int = 0) -> None:
        """Do nothing: a recording ends where it ends."""

    def release(self) -> None:
        """Do nothing: a replay has no cache."""
