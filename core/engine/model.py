"""A loaded language model: network, tokenizer and facts about them. All sessions share it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, SupportsIndex

import numpy as np
import torch

from core.backends.backend import Backend
from core.chat.chat_template import content_spans, rendered, template_values
from core.chat.conversation import Messages, Span, text_of
from core.chat.thoughts import Marks, marks_of
from core.device import Speed
from core.engine.end_tokens import configured_ends, template_ends
from core.engine.engine import Engine
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.shape import ModelShape
from core.errors import BadToken, WrongType, quoted
from core.sources.capabilities import Can
from core.sources.source import NO_ARGUMENTS, Answer, Arguments, Beginning, Prompt, Wanted
from core.sources.token_source import TokenSource, checked_text, read_prompt
from core.tokens.token_text import ByteJoiner, Token, TokenBytes, lone_token

LOCAL_CHAT = frozenset(Can) - {Can.SERVED}
LOCAL = LOCAL_CHAT - {Can.CHAT}


@dataclass(frozen=True, slots=True)
class NetworkFacts:
    """Facts about a network, known without running it. dtype: type of the computation; stored_dtype: type of the stored matrices."""

    device: torch.device
    stored_dtype: str
    dtype: str
    shape: ModelShape
    parameter_count: int
    weight_bytes: int
    end_token_ids: frozenset[int]

    @classmethod
    def of(cls, network: Any, tokenizer: Any) -> NetworkFacts:
        """Return the facts of a loaded network."""
        from core.engine.stored_weights import is_stored

        ends = configured_ends(network, tokenizer)
        facts = cls.from_weights(ModelShape.of(network), network.named_parameters(), network.get_input_embeddings().weight, ends)
        return replace(facts, dtype="float32") if is_stored(network) else facts

    @classmethod
    def from_weights(cls, shape: ModelShape, weights: Iterable[tuple[str, Any]], table: Any, end_token_ids: frozenset[int]) -> NetworkFacts:
        """Return the facts from a shape and the weights, (name, tensor) each. table: of the input. end_token_ids: those configured."""
        named = list(weights)
        stored = str(table.dtype).removeprefix("torch.")
        return cls(
            device=table.device,
            stored_dtype=stored,
            dtype=stored,
            shape=shape,
            parameter_count=sum(weight.numel() for _name, weight in named),
            weight_bytes=sum(weight.numel() * weight.element_size() for _name, weight in named),
            end_token_ids=end_token_ids,
        )


class LanguageModel(TokenSource):
    """A causal language model and its tokenizer. All visitors share it, and it stores no visitor's data.

    name; device ("cpu", "cuda:0"); dtype ("float32"): type of the computation; stored_dtype: type of the stored matrices. parameter_count,
    layer_count, vocabulary_size: counts; context_length: tokens; weight_bytes, cache_bytes_per_token: bytes (the latter computed from
    the shape, see `ModelShape`).
    network: transformers' own; None until `load_network` for a model that was loaded without it. tokenizer: transformers' own, or one with
    the same interface. engine: makes the forward passes.
    """

    engine: Engine
    tokenizer: Any

    def __init__(
        self,
        name: str,
        network: Any,
        tokenizer: Any,
        backend: Backend | None = None,
        facts: NetworkFacts | None = None,
        make_network: Callable[[], Any] | None = None,
    ) -> None:
        facts = facts or NetworkFacts.of(network, tokenizer)
        if backend is None:
            from core.backends.transformers_backend import TransformersBackend

            backend = TransformersBackend(network)
        self.name = name
        self.network = network
        self.tokenizer = tokenizer
        self.device = str(facts.device)
        self.stored_dtype = facts.stored_dtype
        self.dtype = facts.dtype
        self.shape = facts.shape
        self.parameter_count = facts.parameter_count
        self.weight_bytes = facts.weight_bytes
        self.layer_count = self.shape.layer_count
        self.vocabulary_size = self.shape.vocabulary_size
        self.context_length = self.shape.context_length
        self.cache_bytes_per_token = self.shape.cache_bytes_per_token(torch.finfo(getattr(torch, self.dtype)).bits // 8)
        self.end_token_ids = facts.end_token_ids | template_ends(tokenizer, facts.end_token_ids, self.vocabulary_size)
        self.engine = Engine(backend, facts.device, self.vocabulary_size, Speed.untried(self.parameter_count))
        self._make_network, self._network_lock = make_network, Lock()
        self._bytes = TokenBytes(tokenizer)
        self._tokens: dict[int, Token] = {}

    def __reduce_ex__(self, _protocol: SupportsIndex) -> Any:
        """Raise WrongType for copy and pickle."""
        raise WrongType("A loaded model cannot be copied or pickled. Load it again by its name: load_model({name}).", name=repr(self.name))

    def load_network(self) -> Any:
        """Return transformers' network on this model's weights.

        For a model that was loaded without it, the first call imports transformers, which takes seconds. Raises ModelError.
        """
        with self._network_lock:
            if self.network is None:
                assert self._make_network is not None
                self.network = self._make_network()
            return self.network

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text, with the special tokens that this model expects around it.

        Raises InputError for half a surrogate pair, BadToken if the tokenizer returns an id that the model does not have.
        """
        ids = [int(i) for i in self.tokenizer(checked_text(text))["input_ids"]]
        if ids and max(ids) >= self.vocabulary_size:
            needed = quoted(str(self.tokenizer.convert_ids_to_tokens(max(ids))))
            raise BadToken(
                "This text needs the token {needed}. The tokenizer of {name} has it, but the model has no vector for it.",
                needed=needed,
                name=self.name,
            )
        return ids

    @property
    def can(self) -> frozenset[Can]:
        """What this model can do: everything that needs its network, and to answer a conversation if its tokenizer has a chat template."""
        return LOCAL_CHAT if getattr(self.tokenizer, "chat_template", None) else LOCAL

    @property
    def unloaded(self) -> bool:
        """Whether the weights are unloaded."""
        return self.engine.unloaded

    @property
    def known_shape(self) -> ModelShape | None:
        """The shape, None if it is unknown."""
        return self.shape

    def begin(self, prompt: Prompt, as_chat: bool, arguments: Arguments = NO_ARGUMENTS) -> Beginning:
        """Return what a run of this prompt begins with; see `read_prompt`."""
        return read_prompt(self, prompt, as_chat, KVCache(), arguments)

    def next(self, keys: np.ndarray, cache: Any, wanted: Wanted, earlier: Answer | None = None) -> Answer:
        """Return the logits after these tokens from one forward pass. cache=None computes all of them again."""
        return earlier or self.engine.forward(keys, cache, changes=wanted.changes)

    def tokenize_messages(self, messages: Messages, arguments: Arguments = NO_ARGUMENTS) -> list[Token]:
        """Return checked messages in the chat template, as tokens. Raises ModelError without template, ModelError if it fails."""
        if Can.CHAT not in self.can:
            return super().tokenize_messages(messages, arguments)
        for message in messages:
            self.encode(text_of(message))  # raises an error for text that cannot be encoded
        values = template_values(self.tokenizer.special_tokens_map, arguments)
        written = rendered(self._template(arguments), messages, values, self.name)
        ids = self.tokenizer(written, add_special_tokens=False)["input_ids"]
        return self._read([int(i) for i in ids])

    @property
    def thinking_marks(self) -> tuple[Marks, ...]:
        """The marks of thoughts that its chat template has; () without a template."""
        return marks_of(self._template(NO_ARGUMENTS)) if Can.CHAT in self.can else ()

    def content_spans(self, messages: Messages, tokens: Sequence[Token], arguments: Arguments = NO_ARGUMENTS) -> tuple[Span, ...]:
        """Return which of the tokens of `tokenize_messages` are the content of each message; see `chat_template.content_spans`."""
        values = template_values(self.tokenizer.special_tokens_map, arguments)
        return content_spans(self._template(arguments), messages, values, tokens)

    def _template(self, arguments: Arguments) -> str:
        """Return the chat template that transformers takes with these arguments: some models have one of their own for tools."""
        template: str = self.tokenizer.get_chat_template(tools=arguments.get("tools"))
        return template

    def tokenize(self, text: str) -> list[Token]:
        """Return the tokens of a text; their texts joined are the text."""
        tokens = self._read(self.encode(text))
        joined = "".join(token.text for token in tokens)
        if joined == f" {text}":  # SentencePiece tokenizers put a space before the text
            first = next(i for i, token in enumerate(tokens) if token.text)
            tokens[first] = replace(tokens[first], text=tokens[first].text[1:])
            return tokens
        return tokens if joined == text else self._by_offsets(text, tokens)

    def _read(self, token_ids: list[int]) -> list[Token]:
        """Return these tokens in order, each with the text that it adds."""
        joiner = ByteJoiner()
        tokens = map(self.token, token_ids)
        return [token if token.special else replace(token, text=joiner.add(token.raw)) for token in tokens]

    def _by_offsets(self, text: str, tokens: list[Token]) -> list[Token]:
        """Take the tokens' texts from the input, for a tokenizer that changes it (lower case, joined accents, dropped spaces)."""
        encoded = self.tokenizer(text, return_offsets_mapping=True) if self.tokenizer.is_fast else None
        ends = [end for _each, end in encoded["offset_mapping"]] if encoded else [0] * len(tokens)
        position, result = 0, []
        for index, token in enumerate(tokens):
            # A character split over several tokens belongs to the last of them. Text without a token goes to the next token that has some.
            later = ends[index + 1] if index + 1 < len(ends) else -1
            end = position if token.special or (later == ends[index] and later > position) else max(position, ends[index])
            end = len(text) if index == len(tokens) - 1 else end
            result.append(replace(token, text=text[position:end]))
            position = end
        return result

    def token(self, token_id: int) -> Token:
        """Return the token of this id without context. Raises BadToken for an id outside the vocabulary."""
        token = self._tokens.get(token_id)
        if token is None:
            if not 0 <= token_id < self.vocabulary_size:
                raise BadToken(
                    "Token id {number} does not exist. The ids of this model are 0 to {last}.",
                    number=token_id,
                    last=self.vocabulary_size - 1,
                )
            token = self._tokens[token_id] = lone_token(token_id, self._bytes[token_id], self._bytes.is_special(token_id))
        return token

    def raw_tokens(self) -> tuple[list[bytes], list[int]]:
        """Return the bytes of every token by id, and the ids of the special tokens. Faster than `token` for all of them."""
        ids = range(self.vocabulary_size)
        return [self._bytes[i] for i in ids], [i for i in ids if self._bytes.is_special(i)]

    def token_of(self, text: str) -> Token:
        """Return the token whose bytes are exactly this text, such as `" fox"` with its space. Raises BadToken if there is none."""
        try:
            raw = text.encode()
        except UnicodeEncodeError as error:
            raise BadToken("Half a character cannot name a token.") from error
        split = [int(i) for i in self.tokenizer(text, add_special_tokens=False)["input_ids"]] if text else []
        candidates = split if len(split) == 1 and 0 <= split[0] < self.vocabulary_size else range(self.vocabulary_size)
        token_id = self._token_with(raw, candidates) if raw else None
        if token_id is None and candidates is split:  # SentencePiece tokenizers put a space before a text that has none
            token_id = self._token_with(raw, range(self.vocabulary_size))
        if token_id is not None:
            return self.token(token_id)
        pieces = " ".join(self.piece(i) for i in split[:8] if 0 <= i < self.vocabulary_size)
        raise BadToken(
            "{text} is not a single token of this model. Its tokens are {value}. Force them one after the other.",
            text=quoted(text),
            value=pieces or "nothing",
        )

    def _token_with(self, raw: bytes, ids: Sequence[int]) -> int | None:
        """Return the first of these tokens with exactly these bytes; a token for a single byte only if there is no other."""
        matching = [i for i in ids if self._bytes[i] == raw]
        return next((i for i in matching if not self._bytes.is_byte(i)), matching[0] if matching else None)

    def __repr__(self) -> str:
        return f"LanguageModel({self.name}, {self.parameter_count / 1e6:.1f} M parameters, {self.dtype} on {self.device})"
