"""A constraint for the tokens of one model: which tokens are allowed after the tokens so far.

The result depends on the tokens alone, so every node of the tree has its own. States are cached, and a new one is made from that of the
token before.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from core.errors import BadSetting
from core.message import Message
from core.sampling.constraint.lark_grammar import lark_of, limits, reason
from core.tokens.token_text import visible_text

if TYPE_CHECKING:
    from llguidance import LLExecutor, LLMatcher, LLTokenizer

MOST_STATES = 128  # of one constraint
MOST_CONSTRAINTS = 16  # of one model
_NO_TEXT = Message("No text can fulfil the constraint.")
_DOES_NOT_FIT = ("satisfy the grammar", "parser stopped")  # in llguidance's errors for a token
_NO_FURTHER = Message("No token can follow here under the constraint. Go back to an earlier token.")


class Vocabulary(Protocol):
    """What is needed of a model."""

    @property
    def vocabulary_size(self) -> int:
        """Number of token ids."""

    @property
    def end_token_ids(self) -> frozenset[int]:
        """Tokens that end a text."""

    def raw_tokens(self) -> tuple[list[bytes], list[int]]:
        """Return the bytes of every token by id, and the ids of the special tokens."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """The allowed tokens after a text. bits: one bit per token. complete: only the end of the text is possible."""

    bits: bytes
    complete: bool

    def mask(self, size: int) -> np.ndarray:
        """Return a mask bool [size] of the allowed tokens; ids that the model does not have are not allowed."""
        allowed = np.unpackbits(np.frombuffer(self.bits, dtype=np.uint8), bitorder="little")[:size].astype(np.bool_)
        return allowed if len(allowed) == size else np.pad(allowed, (0, size - len(allowed)))


class Compiled:
    """A constraint for the tokens of one model. Threads can share it."""

    def __init__(self, model: Vocabulary, tokenizer: LLTokenizer, constraint: str) -> None:
        """Raises BadSetting for a constraint that cannot be used, or that allows no text but the empty one."""
        from llguidance import LLMatcher

        self._size, self._ends = model.vocabulary_size, model.end_token_ids  # not the model, which may end before its constraints
        self._tokenizer = tokenizer
        self._lock = Lock()
        self._states: OrderedDict[bytes, tuple[LLMatcher, Allowed]] = OrderedDict()
        begin = LLMatcher(tokenizer, lark_of(constraint), log_level=0, limits=limits())
        if begin.is_error():
            raise BadSetting("The constraint cannot be used: {reason}.", reason=reason(begin.get_error()))
        self._begin = begin
        if self._computed(begin.deep_copy(), first=True).complete:
            raise BadSetting("The constraint allows only the empty text. Write what the text should contain.")

    def after(self, ids: np.ndarray) -> Allowed:
        """Return the allowed tokens after these generated tokens, int64 [n]. Tokens from the end of the text on do not count.

        Raises BadSetting if a token does not fit the constraint, or if no token can follow.
        """
        ended = next((index for index, token_id in enumerate(ids.tolist()) if token_id in self._ends), len(ids))
        ids = ids[:ended]
        key = np.ascontiguousarray(ids, dtype=np.int64).tobytes()
        with self._lock:
            state = self._states.get(key)
            if state is None:
                matcher = self._matcher(ids, key)
                state = self._states[key] = (matcher, self._computed(matcher))
                while len(self._states) > MOST_STATES:
                    self._states.popitem(last=False)
            self._states.move_to_end(key)
            return state[1]

    def _matcher(self, ids: np.ndarray, key: bytes) -> LLMatcher:
        """Return the parser's state after these tokens, from the state before the last one if it is known."""
        before = self._states.get(key[:-8]) if key else None
        matcher = (before[0] if before else self._begin).deep_copy()
        for token_id in (ids[-1:] if before else ids).tolist():
            _executor().consume_token_par([(matcher, token_id)])  # unlike try_consume_tokens, it releases Python's interpreter lock
            if matcher.is_error():
                if not any(sign in matcher.get_error() for sign in _DOES_NOT_FIT):
                    raise _too_complex(matcher)
                message = Message("The token {token} does not fit the constraint. Go back, or switch the constraint off.")
                raise BadSetting(message.with_values(token=visible_text(self._tokenizer.decode_bytes([token_id]))))
        return matcher

    def _computed(self, matcher: LLMatcher, first: bool = False) -> Allowed:
        bits = matcher.compute_bitmask()
        if matcher.is_error():
            if not matcher.get_error().startswith("NoExtension"):
                raise _too_complex(matcher)
            raise BadSetting(_NO_TEXT if first else _NO_FURTHER)
        allowed = Allowed(bits, complete=False)
        mask = allowed.mask(self._size)
        mask[[i for i in self._ends if i < self._size]] = False
        return Allowed(bits, complete=matcher.is_accepting() and not mask.any())


def _too_complex(matcher: LLMatcher) -> BadSetting:
    return BadSetting("The constraint is too complex here ({reason}). Simplify it.", reason=reason(matcher.get_error()))


@cache
def _executor() -> LLExecutor:
    """Return the thread in which parsers take tokens."""
    from llguidance import LLExecutor

    return LLExecutor(num_threads=1)


_MODELS: WeakKeyDictionary[Any, tuple[LLTokenizer, OrderedDict[str, Compiled]]] = WeakKeyDictionary()
_LOCK = Lock()


def compiled(model: Vocabulary, constraint: str) -> Compiled:
    """Return this constraint for the tokens of this model. The model's vocabulary is read once. Raises BadSetting."""
    lark_of(constraint)
    with _LOCK:
        entry = _MODELS.get(model)
        if entry is None:
            entry = _MODELS[model] = (_tokenizer(model), OrderedDict())
        tokenizer, cache = entry
        if constraint not in cache:
            cache[constraint] = Compiled(model, tokenizer, constraint)
            while len(cache) > MOST_CONSTRAINTS:
                cache.popitem(last=False)
        cache.move_to_end(constraint)
        return cache[constraint]


class _Tokens:
    """A vocabulary in the form that llguidance reads. Every grammar has `no_forcing`, so llguidance never tokenizes a text."""

    bos_token_id = None

    def __init__(self, model: Vocabulary) -> None:
        self.tokens, self.special_token_ids = model.raw_tokens()
        self.ends = sorted(i for i in model.end_token_ids if i < len(self.tokens))
        if not self.ends:  # llguidance needs an end token; the id of this one is larger than all of the vocabulary
            self.ends = [len(self.tokens)]
            self.special_token_ids.append(len(self.tokens))
            self.tokens.append(b"<|end of text|>")
        self.eos_token_id = self.ends[0]

    def __call__(self, text: bytes) -> list[int]:
        return []


def _tokenizer(model: Vocabulary) -> LLTokenizer:
    from llguidance import LLTokenizer, TokenizerWrapper

    read = _Tokens(model)
    tokenizer_class: Callable[..., LLTokenizer] = LLTokenizer
    return tokenizer_class(TokenizerWrapper(read), eos_token=read.ends)
