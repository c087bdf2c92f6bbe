"""Scores of a given text by teacher forcing: log-probability, surprise, rank, entropy and alternatives of every token.

One forward pass scores a whole text, because every position predicts the next token. No token is generated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from core.backends.transformers_backend import backend_of
from core.checked_number import whole_number
from core.device import enough_memory
from core.engine.architecture_limits import looks_ahead, possible_with
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.errors import BrokenLogits, EmptyPrompt, InputError, NotForThisModel, PromptTooLong
from core.inspection.inside import CHUNK, Guess, guess, must_be_here
from core.inspection.logit_lens import Layers
from core.inspection.scored_parts import fields as fields
from core.inspection.scored_parts import words as words
from core.message import Message
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can, require
from core.sources.source import Forward, Wanted
from core.sources.token_source import TokenSource
from core.tokens.token_text import Token

if TYPE_CHECKING:
    import pandas as pd

LONGEST_TEXT = 2_000_000  # characters
LONGEST_WINDOW = 4_096  # tokens of one pass, for architectures that cannot continue from a state
MOST_ALTERNATIVES = 100
SERVED_NOTE = Message(
    "The server lists its {listed} likeliest tokens and the tokens of this text. Probabilities and "
    "surprise are as the server gives them. Ranks beyond the list are estimates, and the entropy is an upper bound."
)
NOTHING = Message("The text is empty. Paste or write some text.")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ScoredToken:
    """A token of the text with the model's scores.

    probability: the model's probability of this token; rank: 1 = likeliest; surprise: -log2 of the probability, bits; entropy: of the
    model's probabilities, bits; candidates: the likeliest tokens, best first. All five are None (candidates empty) for the very first
    token, which has no context.
    """

    position: int
    token_id: int
    text: str
    piece: str
    probability: float | None
    rank: int | None
    surprise: float | None
    entropy: float | None
    candidates: tuple[Guess, ...]


@dataclass(frozen=True, eq=False)
class ScoredText:
    """A text with the model's scores. Arrays have one entry per token; the first is NaN (rank 0), because it has no context.

    log_probabilities: natural logarithms; entropies: bits; ranks: 1 = likeliest. top_ids, top_log_probabilities: [tokens, top_n].
    log_sums: logarithm of the sum of e^logit over the vocabulary; a log-probability plus this is the model's logit.
    window, stride: tokens per window, and by how many the window moves, for a text that is longer than the context.
    note: a sentence that says which numbers are estimates, if a server listed only some tokens; "" if none is.
    """

    model: TokenSource
    text: str
    written: tuple[Token, ...]
    log_probabilities: np.ndarray
    ranks: np.ndarray
    entropies: np.ndarray
    top_ids: np.ndarray
    top_log_probabilities: np.ndarray
    window: int
    stride: int
    log_sums: np.ndarray
    note: str = ""

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: everything but the model, with the scores of every token."""
        return {**self.__dict__, "tokens": self.tokens, "model": None}

    @cached_property
    def tokens(self) -> tuple[ScoredToken, ...]:
        """Every token with its scores; their texts joined are the text."""
        return tuple(self._token(position) for position in range(len(self.written)))

    def _token(self, position: int) -> ScoredToken:
        token, log_probability = self.written[position], float(self.log_probabilities[position])
        if math.isnan(log_probability):
            return ScoredToken(position, token.token_id, token.text, token.piece, None, None, None, None, ())
        tops = zip(self.top_ids[position].tolist(), self.top_log_probabilities[position].tolist(), strict=True)
        log_sum = float(self.log_sums[position])
        guesses = tuple(guess(self.model, i, rank, top + log_sum, math.exp(top)) for rank, (i, top) in enumerate(tops, 1))
        return ScoredToken(
            position=position,
            token_id=token.token_id,
            text=token.text,
            piece=token.piece,
            probability=math.exp(log_probability),
            rank=int(self.ranks[position]),
            surprise=-log_probability / math.log(2),
            entropy=float(self.entropies[position]),
            candidates=guesses,
        )

    @property
    def scored_count(self) -> int:
        """Number of scored tokens: all but the first."""
        return int(np.count_nonzero(~np.isnan(self.log_probabilities)))

    @property
    def total_bits(self) -> float:
        """Sum of the surprise of all scored tokens, bits: the size of the text if compressed with this model."""
        return float(-np.nansum(self.log_probabilities) / math.log(2))

    @property
    def perplexity(self) -> float:
        """exp of the mean negative log-probability per scored token: the number of equal choices. NaN if nothing was scored.

        Equal to exp(loss) of transformers with the text as its own labels.
        """
        return math.exp(min(700.0, self.nll)) if self.scored_count else math.nan

    @property
    def nll(self) -> float:
        """Mean negative log-likelihood per scored token, nats: the loss in training. NaN if nothing was scored."""
        count = self.scored_count
        return -float(np.nansum(self.log_probabilities)) / count if count else math.nan

    @property
    def scored_characters(self) -> int:
        """Number of characters of the scored tokens."""
        return sum(len(token.text) for token, score in zip(self.written, self.log_probabilities, strict=True) if not math.isnan(score))

    @property
    def bits_per_character(self) -> float:
        """total_bits / scored_characters: comparable between models with different tokenizers. NaN if nothing was scored."""
        characters = self.scored_characters
        return self.total_bits / characters if characters else math.nan

    @property
    def scored_bytes(self) -> int:
        """Number of UTF-8 bytes of the scored tokens' text."""
        scores = zip(self.written, self.log_probabilities, strict=True)
        return sum(len(token.text.encode()) for token, score in scores if not math.isnan(score))

    @property
    def bits_per_byte(self) -> float:
        """total_bits / scored_bytes: comparable between models and between languages. NaN if nothing was scored."""
        count = self.scored_bytes
        return self.total_bits / count if count else math.nan

    def most_surprising(self, n: int = 5) -> tuple[ScoredToken, ...]:
        """Return the n tokens with the lowest probability, lowest first."""
        return self._sorted(n, self.log_probabilities)

    def most_certain(self, n: int = 5) -> tuple[ScoredToken, ...]:
        """Return the n tokens with the highest probability, highest first."""
        return self._sorted(n, -self.log_probabilities)

    def _sorted(self, n: int, by: np.ndarray) -> tuple[ScoredToken, ...]:
        order = np.argsort(by, kind="stable")[: self.scored_count]
        return tuple(self.tokens[position] for position in order[: max(0, int(n))].tolist())

    def table(self) -> pd.DataFrame:
        """Return one row per token. Columns: position, token_id, piece, text, probability, rank, surprise, entropy (bits), favourite,
        favourite_probability."""
        import pandas as pd

        first = [token.candidates[0] if token.candidates else None for token in self.tokens]
        columns: dict[str, Any] = {
            name: [getattr(token, name) for token in self.tokens]
            for name in ("position", "token_id", "piece", "text", "probability", "rank", "surprise", "entropy")
        }
        columns["favourite"] = [best.piece if best else None for best in first]
        columns["favourite_probability"] = [best.model_probability if best else None for best in first]
        numbers = {
            "probability": "float64",
            "rank": "Int64",
            "surprise": "float64",
            "entropy": "float64",
            "favourite_probability": "float64",
        }
        return pd.DataFrame(columns).astype(numbers)


def score_text(model: TokenSource, text: str, top_n: int = 5, stride: int | None = None, progress: Progress | None = None) -> ScoredText:
    """Return the model's scores of a text: every token is scored from those before it.

    A text longer than the model's context is read in windows that move by `stride` tokens (default: half a context), so that every token
    has at least context - stride tokens before it. progress(done, total) is called with tokens read, up to (total, total).
    Raises EmptyPrompt, PromptTooLong, BadSetting, InputError, BrokenLogits, NoRoom.
    """
    require(model, Can.NEW_TOKENS, Can.TOKEN_IDS)
    tokens = tuple(model.tokenize(_checked(text)))
    if not tokens:
        raise EmptyPrompt(NOTHING)
    ids = np.array([token.token_id for token in tokens], dtype=np.int64)
    reader = _reader(model)
    window = reader.window(len(ids))
    step = max(1, window // 2) if stride is None else stride
    step = whole_number(step, Message("The stride"), 1, window - 1)
    scores = _Scores.empty(len(ids), max(1, min(whole_number(top_n, "top_n", 0), MOST_ALTERNATIVES, model.vocabulary_size)))
    report = progress or (lambda read_count, total: None)
    report(0, len(ids))
    for read in _windows(reader, model, tokens, step, partial(_score, ids, scores)):
        report(read, len(ids))
    report(len(ids), len(ids))
    arrays = (scores.log_probabilities, scores.ranks, scores.entropies, scores.top_ids, scores.tops)
    return ScoredText(model, text, tokens, *arrays, window, step, scores.log_sums, reader.note)


def read_logits(model: TokenSource, text: str, take: Callable[[np.ndarray, torch.Tensor], None]) -> Iterator[tuple[int, int]]:
    """Read a text as `score_text` does; take(ids, logits) gets float32 logits [some, vocabulary], and the tokens that follow.

    ids: int64 [some]. Yields the number of tokens read, and of all. Raises what `score_text` raises.
    """
    require(model, Can.NEW_TOKENS, Can.TOKEN_IDS)
    tokens = tuple(model.tokenize(_checked(text)))
    ids, reader = np.array([token.token_id for token in tokens], dtype=np.int64), _reader(model)

    def taken(position: int, logits: torch.Tensor) -> None:
        if bool(torch.logsumexp(logits, 1).isnan().any()):
            raise BrokenLogits("The model returned NaN logits, so there are no scores. Try another model or precision.")
        take(ids[position : position + len(logits)], logits)

    yield from ((read, len(ids)) for read in _windows(reader, model, tokens, None, taken))


def _windows(
    reader: _Reader | _OneByOne, model: TokenSource, tokens: Sequence[Token], step: int | None, take: Callable[[int, torch.Tensor], None]
) -> Iterator[int]:
    """Read a text in windows that move by `step` tokens, by default half a window, and yield the number of tokens read.

    take(position, logits) gets float32 logits [some, vocabulary] of tokens from `position` of the text on.
    """
    ids = np.array([token.token_id for token in tokens], dtype=np.int64)
    window = reader.window(len(ids))
    begin, position = 0, 1  # the first token has no context
    message = Message(
        "There is not enough memory on {device} to read {count} tokens. Use a shorter text.", device=model.device, count=len(ids)
    )
    with enough_memory(message), possible_with(model.name):
        while position < len(ids):
            end = min(begin + window, len(ids))
            part = ids[begin:end].copy()
            if begin and tokens[0].special:  # every window begins with the start token, as every text in training did
                part[0] = ids[0]

            def take_here(offset: int, logits: torch.Tensor, begin: int = begin) -> None:
                take(begin + offset, logits)

            for read in reader.read(part, position - begin, take_here):
                yield begin + read
            begin, position = min(begin + (step or max(1, window // 2)), end - 1), end


def surprises(model: LanguageModel, token_ids: Sequence[int], first: int) -> np.ndarray:
    """Return the surprise of the tokens from index `first` (at least 1) on, bits, float64.

    token_ids: a text that fits into the context. Raises ModelError for a model on a server, BrokenLogits.
    """
    must_be_here(model)
    ids = np.array(token_ids, dtype=np.int64)
    scores = _Scores.empty(len(ids), 1)
    for _each in _reader(model).read(ids, first, partial(_score, ids, scores)):
        pass
    bits: np.ndarray = -scores.log_probabilities[first:] / math.log(2)
    return bits


def log_odds(model: LanguageModel, token_ids: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return the natural logs of the next-token probabilities after all of these tokens but the last: float64 [tokens - 1, vocabulary].

    For a text of some hundred tokens that fits into the context. Raises ModelError for a model on a server.
    """
    return logit_rows(model, token_ids).double().log_softmax(-1).numpy()


def logit_rows(model: LanguageModel, token_ids: Sequence[int] | np.ndarray) -> torch.Tensor:
    """Return the logits after all of these tokens but the last, on the CPU: [tokens - 1, vocabulary]. For texts as in `log_odds`."""
    must_be_here(model)
    rows: list[torch.Tensor] = []

    def take(position: int, logits: torch.Tensor) -> None:
        rows.append(logits.cpu())

    for _each in _reader(model).read(np.array(token_ids, dtype=np.int64), 1, take):
        pass
    return torch.cat(rows) if rows else torch.empty((0, model.vocabulary_size))


def answer_after(model: TokenSource, before: np.ndarray, cache: KVCache | None, wanted: Wanted, token_id: int | None = None) -> Forward:
    """Return the answer of any source after these tokens, int64 ids. token_id: a token that a server is asked to list too."""
    answer = model.next(before, cache, wanted)
    assert isinstance(answer, Forward)
    if token_id is not None and token_id not in answer.logits and isinstance(model, LanguageModel):
        answer = model.engine.request_more_logprobs(before, answer, token_id=token_id)
    return answer


def _checked(text: str) -> str:
    if not isinstance(text, str) or not text:
        raise EmptyPrompt(NOTHING)
    if len(text) > LONGEST_TEXT:
        message = Message("The text has {count} characters; at most {most} are read at a time. Use a part of it.")
        raise PromptTooLong(message.with_values(count=len(text), most=LONGEST_TEXT))
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError("This text contains half a character (a lone surrogate). Delete it and paste it again.") from error
    return text


def _reader(model: TokenSource) -> _Reader | _OneByOne:
    """Return what reads texts with this source: passes over many tokens, if a model is here and its passes give what single tokens get."""
    if isinstance(model, LanguageModel) and Can.NETWORK in model.can and not looks_ahead(model):
        return _Reader(model)
    return _OneByOne(model)


class _Reader:
    """Runs texts through a model and passes on the logits of every position, a few at a time."""

    note = ""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._backend = backend_of(model)
        self._layers = Layers(model)
        self._in_chunks = self._backend.can_read_in_chunks(CHUNK)

    def window(self, count: int) -> int:
        """Return how many of `count` tokens are read at once: the full context, if the model can continue from a state."""
        context = max(2, self._model.context_length)
        return context if self._in_chunks or count <= LONGEST_WINDOW else min(context, LONGEST_WINDOW)

    def read(self, ids: np.ndarray, first: int, take: Callable[[int, torch.Tensor], None]) -> Iterator[int]:
        """Read a window. take(position, logits) gets float32 logits [some, vocabulary] of tokens from `position` on; it starts at `first`.

        Yields the number of tokens read so far, after every part and between two turns. The layers compute the window in parts; the head
        computes only as many positions at once as fit into memory.
        """
        state = self._backend.new_state() if len(ids) > CHUNK and self._backend.can_read_in_chunks(len(ids)) else None
        size = len(ids) if state is None else CHUNK
        for start in range(0, len(ids), size):
            stop = min(start + size, len(ids))
            with self._model.engine.lock.acquire():
                heard = self._piece(ids[start:stop], state, stop)
                if heard:
                    position = max(first, start + 1)
                    for logits in self._layers.answers(heard[0][position - 1 - start : min(stop, len(ids) - 1) - start]):
                        take(position, logits)
                        position += len(logits)
                else:
                    take(first, self._all_logits(ids)[first - 1 : -1])
                    stop = len(ids)
            yield stop
            if stop == len(ids):
                return

    def _piece(self, ids: np.ndarray, state: Any, stop: int) -> tuple[torch.Tensor] | None:
        """Return the last layer's output for these ids [positions, hidden] as a tuple; None if this network cannot be read in this way."""
        with torch.inference_mode(), self._layers.listening(last_only=True) as heard:
            logits = self._backend.run(ids, state)
        hidden = heard.handed_on.get(len(self._layers.modules) - 1)
        is_cached = state is None or self._backend.length(state) == stop
        return (hidden,) if hidden is not None and is_cached and self._layers.speak_truly(hidden[-1], logits) else None

    def _all_logits(self, ids: np.ndarray) -> torch.Tensor:
        """Return the logits of all positions from one plain pass."""
        with torch.inference_mode():
            return self._model.load_network()(torch.from_numpy(ids)[None].to(self._model.engine.device), use_cache=False).logits[0].float()


class _OneByOne:
    """Reads texts with any source, one answer per token. A server is also asked for the text's next token, and reuses its prefix cache.

    note: which numbers are estimates.
    """

    def __init__(self, model: TokenSource) -> None:
        self._model, self._cache = model, KVCache()
        self._wanted = Wanted(SamplingSettings(), 1)
        self.note = ""

    def window(self, count: int) -> int:
        """Return how many of `count` tokens are read at once: the model's full context."""
        return max(2, self._model.context_length)

    def read(self, ids: np.ndarray, first: int, take: Callable[[int, torch.Tensor], None]) -> Iterator[int]:
        """Read a window, as `_Reader.read` does; yields after every token. Raises NotForThisModel for an unlisted token."""
        for position in range(first, len(ids)):
            before, token = ids[:position], int(ids[position])
            forward = answer_after(self._model, before, self._cache, self._wanted, token)
            if token not in forward.logits:
                message = Message("The server lists its {listed} likeliest tokens, and a token of this text is not among them.")
                raise NotForThisModel(message.with_values(listed=forward.logits.known))
            if forward.logits.known < self._model.vocabulary_size:
                self.note = SERVED_NOTE.with_values(listed=forward.logits.known)
            take(position, forward.logits.values[None])
            yield position + 1


@dataclass(frozen=True, slots=True)
class _Scores:
    """The scores of each token so far, filled from the front."""

    log_probabilities: np.ndarray
    ranks: np.ndarray
    entropies: np.ndarray
    top_ids: np.ndarray
    tops: np.ndarray
    log_sums: np.ndarray

    @classmethod
    def empty(cls, count: int, listed: int) -> _Scores:
        return cls(
            np.full(count, np.nan),
            np.zeros(count, dtype=np.int64),
            np.full(count, np.nan),
            np.zeros((count, listed), dtype=np.int64),
            np.full((count, listed), np.nan),
            np.full(count, np.nan),
        )


def _score(ids: np.ndarray, into: _Scores, position: int, logits: torch.Tensor) -> None:
    """Score the tokens from `position` on by the logits [tokens, vocabulary] of the positions before them."""
    at = slice(position, position + len(logits))
    with torch.inference_mode():
        chosen = logits.gather(1, torch.from_numpy(ids[at]).to(logits.device)[:, None])
        totals = torch.logsumexp(logits, 1, keepdim=True)
        if bool(totals.isnan().any()):
            raise BrokenLogits("The model returned NaN logits, so there are no scores. Try another model or precision.")
        logs = logits - totals
        top = torch.topk(logs, into.tops.shape[1])
        into.log_sums[at] = totals[:, 0].double().cpu().numpy()
        into.log_probabilities[at] = (chosen - totals)[:, 0].double().cpu().numpy()
        into.ranks[at] = ((logits > chosen).sum(1) + 1).cpu().numpy()
        into.entropies[at] = (torch.special.entr(logs.exp()).sum(1) / math.log(2)).double().cpu().numpy()
        into.top_ids[at] = top.indices.cpu().numpy()
        into.tops[at] = top.values.double().cpu().numpy()
