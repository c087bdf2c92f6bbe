"""Replay of a recording: the same reading and stepping as a live run, with no model behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from core.errors import BadToken, RunFinished
from core.generation.run import Run, in_turn
from core.generation.tree import Node, Tree
from core.language import N_, _
from core.record.step import Candidate, Step, TokenDistribution
from core.settings import SamplingSettings
from core.tokens.tokens import Token


@dataclass(frozen=True, slots=True)
class RecordedModel:
    """What a recording knows of the model that wrote it; the names are those of core.engine.model.LanguageModel."""

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

    def token(self, token_id: int) -> Token:
        """The token of this id as it stands alone. Raises BadToken for one that the recording never met."""
        known = self.tokens.get(token_id)
        if known is None:
            raise BadToken(_("The recording does not hold token number {number}.").format(number=token_id))
        return known

    def piece(self, token_id: int) -> str:
        """How this token is written, whitespace and bytes made visible."""
        return self.token(token_id).piece


class Replay(Run):
    """Reveals a recorded tree step by step. What was not recorded cannot be shown, and says so."""

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
        self._recorded = recorded
        self._ending = ending
        self._source = {0: 0}  # own node -> recorded node
        self._shown: dict[int, int] = {}  # the other way round
        self._main_line = set(recorded.line)

    def _next(self) -> Node | None:
        """The recorded step that comes next here: along the path on which the recording ended, else the first that was made."""
        children = self._recorded.nodes[self._source[self.here]].children
        chosen = next((c for c in children if c in self._main_line), children[0] if children else None)
        return None if chosen is None else self._recorded.nodes[chosen]

    @property
    def finished(self) -> str | None:
        """Why there is no more to show; None while there is."""
        if self._next() is not None:
            return None
        at_the_end = self._source[self.here] == self._recorded.here
        return (self._ending if at_the_end else None) or N_("end of recording")

    @property
    def cache_bytes(self) -> int:
        """Bytes that the tokens in the recorded run's cache took here."""
        return self._path[-1].forward.cache_bytes if self._path else 0

    @in_turn
    def next_distribution(self, settings: SamplingSettings | None = None) -> TokenDistribution:
        """The recorded odds of the next token; other settings than the recorded ones cannot be applied without the model."""
        following = self._next()
        if following is None or following.step is None:
            raise RunFinished(_("The recording ends here. Go back to an earlier word, or start a live run."))
        return following.step

    @in_turn
    def step(self, attempt: int = 0, outcome: int | None = None) -> Step:
        """Reveal the next recorded step, or the one that took the token `outcome`. Raises RunFinished at the end."""
        following = self._next()
        if following is None or following.step is None:
            raise RunFinished(_("The recording ends here. Go back to an earlier word, or start a live run."))
        return self._reveal(following) if outcome in (None, following.step.token_id) else self.force(int(outcome))

    @in_turn
    def force(self, token: int | str | Candidate | Token) -> Step:
        """Follow a recorded branch that took this token here: its number, its text or a candidate. Raises BadToken if there is none."""
        wanted = token.token_id if isinstance(token, Candidate | Token) else token
        for child in self._recorded.nodes[self._source[self.here]].children:
            node = self._recorded.nodes[child]
            if node.step is not None and wanted in (node.step.token_id, node.step.raw.decode("utf-8", "replace")):
                return self._reveal(node)
        raise BadToken(_("The recording does not say what would have come after this word. A live run does."))

    def _reveal(self, recorded: Node) -> Step:
        assert recorded.step is not None
        own = self._shown.get(recorded.node_id)
        if own is not None and not self.nodes[own].is_deleted:
            self.switch(own)
            return recorded.step
        node = self.add(recorded.step, recorded.waiting)
        node.name = recorded.name
        self._source[node.node_id], self._shown[recorded.node_id] = recorded.node_id, node.node_id
        return recorded.step

    def release(self) -> None:
        """A recording holds no cache to give back."""
