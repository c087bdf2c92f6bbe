"""Compare two models on one text: the writer generates it, the judge computes its own probability of every token.

With the same tokenizer the models are compared token by token, with all their probabilities. With different tokenizers only the text is
shared: it is split where a token of each model ends, and the bits of each part are compared per character. So is a text that neither read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median

import numpy as np
import torch

from core.checked_number import whole_number
from core.costs.operations_and_bytes import multiply_adds
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.engine.shape import ModelShape
from core.errors import BrokenLogits
from core.experiments.shared.closeness import sized
from core.experiments.shared.prompt_tokens import prompt_ids
from core.experiments.shared.result_file import HexBytes
from core.inspection.scoring import score_text
from core.message import Message
from core.sampling.observation import History
from core.sampling.observe_stages import pick
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can, require
from core.sources.source import Forward
from core.tokens.token_text import ByteJoiner

LONGEST = 256  # tokens
LISTED = 8  # tokens whose probabilities from both models are recorded


@dataclass(frozen=True, slots=True)
class TokenScore:
    """A model's probability of one token, before any setting. surprise, entropy: bits; rank: 1 = likeliest; favourite: likeliest token.

    seconds: duration of the pass, measured; computed: number of tokens that the pass computed.
    """

    probability: float
    surprise: float
    rank: int
    favourite: str
    entropy: float
    seconds: float
    computed: int


@dataclass(frozen=True, slots=True)
class JudgedToken:
    """A token of the writer, with the scores of both models. judge: None if the tokenizers differ.

    overlap: sum over the vocabulary of the smaller of the two probabilities, 0 to 1; NaN without a judge. pieces, writer_odds, judge_odds:
    the tokens that are likeliest in both models together, and their probabilities; place: index of the written token among them. raw: its
    bytes.
    """

    index: int
    token_id: int
    text: str
    piece: str
    writer: TokenScore
    judge: TokenScore | None
    overlap: float
    pieces: tuple[str, ...]
    writer_odds: tuple[float, ...]
    judge_odds: tuple[float, ...]
    place: int
    finished: str | None = None
    raw: HexBytes = b""

    @property
    def agreed(self) -> bool:
        """Return whether the likeliest token is the same in both models."""
        return self.judge is not None and self.judge.favourite == self.writer.favourite


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """A part of the text that ends where a token of each model ends. writer_bits, judge_bits: surprise of each model for it, in bits."""

    text: str
    writer_bits: float
    judge_bits: float

    @property
    def difference(self) -> float:
        """Return the judge's bits per character minus the writer's."""
        return (self.judge_bits - self.writer_bits) / len(self.text)


@dataclass(frozen=True, slots=True)
class JudgedParts:
    """The whole text, part by part, for two models with different tokenizers."""

    parts: tuple[JudgedPart, ...]


def same_tokens(model: LanguageModel, other: LanguageModel) -> bool:
    """Return whether both models have the same vocabulary: the same tokens with the same ids."""
    return bool(model.tokenizer.get_vocab() == other.tokenizer.get_vocab())


def judge(
    writer: LanguageModel, other: LanguageModel, prompt: str, settings: SamplingSettings | None = None, length: int = 48
) -> Iterator[JudgedToken | JudgedParts]:
    """Yield up to `length` tokens that `writer` generates, each scored by `other` at once; each model computes one pass per token.

    With different tokenizers the tokens have no judge, and JudgedParts is yielded last. Both models read the prompt unchanged. Raises
    EmptyPrompt, PromptTooLong (naming the model whose context is too short), BadSetting, ModelError for a model on a server, BrokenLogits.
    """
    length = whole_number(length, Message("The length"), 1, LONGEST)
    settings = settings or SamplingSettings()
    both_here(writer, other)
    same = same_tokens(writer, other)
    ids, theirs = list(prompt_ids(writer, prompt)), list(prompt_ids(other, prompt))
    room = min(writer.context_length - len(ids), other.context_length - len(theirs) if same else length)
    caches, joiner, written = (KVCache(), KVCache()), ByteJoiner(), list[tuple[str, float]]()
    try:
        for index in range(min(length, room)):
            mine = writer.engine.forward(np.array(ids, dtype=np.int64), caches[0])
            asked = other.engine.forward(np.array(theirs, dtype=np.int64), caches[1]) if same else None
            token_id = pick(mine.logits.values, settings, History.of(writer, ids, len(ids) - index))
            token = writer.token(token_id)
            text = "" if token.special else joiner.add(token.raw)
            ended = "end of text" if token_id in writer.end_token_ids else "context full" if index == room - 1 < length - 1 else None
            ids.append(token_id)
            theirs.append(token_id)
            seen = _judged(index, token_id, text, writer, mine, asked, ended)
            written.append((text, seen.writer.surprise))
            yield seen
            if token_id in writer.end_token_ids:
                break
        if not same and any(text for text, _each in written):
            yield JudgedParts(by_character(written, _read(other, prompt, "".join(text for text, _each in written))))
    finally:
        for cache in caches:
            cache.clear()


def both_here(*models: LanguageModel) -> None:
    """Raise ModelError for a model without passes, and for one on a server, because a server sends only part of its probabilities."""
    for model in models:
        require(model, Can.PASSES, Can.ALL_TOKENS)


def _judged(
    index: int, token_id: int, text: str, model: LanguageModel, mine: Forward, asked: Forward | None, ended: str | None
) -> JudgedToken:
    before = odds_of(mine)
    theirs = None if asked is None else sized(odds_of(asked), len(before))
    together = before.copy() if theirs is None else np.maximum(before, theirs)
    together[token_id] = 2.0  # the written token is always listed
    listed = np.argsort(-together, kind="stable")[:LISTED]
    listed = listed[np.argsort(-(before if theirs is None else before + theirs)[listed], kind="stable")]
    return JudgedToken(
        index=index,
        token_id=token_id,
        text=text,
        piece=model.piece(token_id),
        writer=_opinion(model, before, token_id, mine),
        judge=None if theirs is None or asked is None else _opinion(model, theirs, token_id, asked),
        overlap=math.nan if theirs is None else float(np.minimum(before, theirs).sum()),
        pieces=tuple(model.piece(int(listed_id)) for listed_id in listed),
        writer_odds=tuple(before[listed].tolist()),
        judge_odds=() if theirs is None else tuple(theirs[listed].tolist()),
        place=int(np.flatnonzero(listed == token_id)[0]),
        finished=ended,
        raw=model.token(token_id).raw,
    )


def odds_of(forward: Forward) -> np.ndarray:
    """Return the model's probabilities, float64 [vocabulary]. Raises BrokenLogits for NaN."""
    with torch.inference_mode():
        probabilities: np.ndarray = forward.logits.values.double().softmax(-1).cpu().numpy()
    if np.isnan(probabilities).any():
        raise BrokenLogits("The model returned NaN logits. Try another model or precision.")
    return probabilities


def entropy_of(probabilities: np.ndarray) -> float:
    """Return the entropy of these probabilities, in bits."""
    some = probabilities[probabilities > 0]
    return float(-(some * np.log2(some)).sum())


def _opinion(model: LanguageModel, probabilities: np.ndarray, token_id: int, forward: Forward) -> TokenScore:
    chance = float(probabilities[token_id])
    return TokenScore(
        probability=chance,
        surprise=-math.log2(chance) if chance > 0 else math.inf,
        rank=int((probabilities > chance).sum()) + 1,
        favourite=model.piece(int(probabilities.argmax())),
        entropy=entropy_of(probabilities),
        seconds=forward.seconds,
        computed=forward.computed_tokens,
    )


def _read(model: LanguageModel, prompt: str, text: str) -> list[tuple[str, float]]:
    """Return this model's tokens of `text` after the prompt as (text, surprise in bits).

    A token that begins in the prompt is cut to its part in `text`, and its surprise is NaN.
    """
    parts, end = [], 0
    for token in score_text(model, prompt + text, top_n=1).tokens:
        begin, end = end, end + len(token.text)
        if end > len(prompt):
            inside = begin >= len(prompt) and token.surprise is not None
            parts.append((token.text[max(0, len(prompt) - begin) :], token.surprise if inside and token.surprise is not None else math.nan))
        elif parts or begin >= len(prompt):
            parts.append(("", token.surprise if token.surprise is not None else math.nan))
    return parts


def by_character(writer: Sequence[tuple[str, float]], judge: Sequence[tuple[str, float]]) -> tuple[JudgedPart, ...]:
    """Return the parts of a text that was split into tokens in two ways, each given as (text, bits).

    Each part ends where a token of both splits ends. A part with unknown bits (NaN) is left out.

    >>> by_character([("a", 1.0), ("bc", 2.0)], [("ab", 4.0), ("c", 0.5)])
    (JudgedPart(text='abc', writer_bits=3.0, judge_bits=4.5),)
    """
    text = "".join(token for token, _bits in writer)
    ends = sorted(set(_ends(writer)) & set(_ends(judge)))
    sums = [_sums(tokens, set(ends)) for tokens in (writer, judge)]
    parts = zip([0, *ends], ends, *sums, strict=False)
    return tuple(JudgedPart(text[begin:end], mine, theirs) for begin, end, mine, theirs in parts if not math.isnan(mine + theirs))


def _ends(tokens: Sequence[tuple[str, float]]) -> list[int]:
    """Return the end positions, in characters, of the tokens that have a text."""
    return list(accumulate(len(text) for text, _bits in tokens if text))


def _sums(tokens: Sequence[tuple[str, float]], ends: set[int]) -> list[float]:
    """Return the bits of the tokens between these ends. A token without a text (half a character) counts towards the next one with text."""
    sums, position, bits = [], 0, 0.0
    for text, surprise in tokens:
        position, bits = position + len(text), bits + surprise
        if text and position in ends:
            sums.append(bits)
            bits = 0.0
    return sums


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """The figures that a model's costs are computed from. They let a page show the costs while the model is not loaded.

    weight_bytes: measured; cache_bytes_per_token: computed from the shape.
    """

    name: str
    parameters: int
    weight_bytes: int
    shape: ModelShape
    cache_bytes_per_token: int

    @classmethod
    def of(cls, model: LanguageModel) -> ModelFigures:
        """Return the figures of a loaded model."""
        return cls(model.name, model.parameter_count, model.weight_bytes, model.shape, model.cache_bytes_per_token)


@dataclass(frozen=True, slots=True)
class Side:
    """The figures of one of the two models. seconds_per_token: median over its passes of one token, measured; None before the first.

    bits_per_token: mean surprise on the text. weight_bytes: measured; multiply_adds: for the newest token, computed.
    """

    parameters: int
    weight_bytes: int
    multiply_adds: float
    cache_bytes: float
    seconds_per_token: float | None
    bits_per_token: float


def side(model: ModelFigures, observations: Sequence[TokenScore], context: int) -> Side:
    """Return the figures of one model, computed from its scores on a text that is `context` tokens long."""
    decoding = [score.seconds for score in observations if score.computed == 1]
    bits = [score.surprise for score in observations]
    return Side(
        model.parameters,
        model.weight_bytes,
        multiply_adds(model.shape, max(1, context)),
        model.cache_bytes_per_token * context if model.shape.cache_known else math.nan,
        median(decoding) if decoding else None,
        sum(bits) / len(bits) if bits else math.nan,
    )
