"""Embedding table: vectors of tokens, nearest neighbours, a two-dimensional map (PCA)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch

from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.sources.capabilities import Can, require

ROWS_AT_ONCE = 1 << 16  # of the table, so that only a part of a 16-bit table is widened at a time
MOST_POINTS = 2_000

_lengths: WeakKeyDictionary[Any, torch.Tensor] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A token with a similar vector. cosine: 1 = same direction, 0 = orthogonal, -1 = opposite."""

    token_id: int
    text: str
    piece: str
    cosine: float


@dataclass(frozen=True, slots=True)
class FlatMap:
    """Some tokens on a plane, by principal component analysis, which keeps as much of their variance as a plane can.

    token_ids [points]; places: float64 [points, 2]; kept: the part of the variance that the plane keeps, 0 to 1.
    """

    token_ids: tuple[int, ...]
    places: np.ndarray
    kept: float


def _table(model: LanguageModel) -> torch.Tensor:
    require(model, Can.NETWORK)
    with model.engine.lock.acquire():  # the weights may have been unloaded
        return model.load_network().get_input_embeddings().weight.detach()


def embedding(model: LanguageModel, token_id: int) -> np.ndarray:
    """Return a token's vector, float32 [hidden], from the model's embedding table. Raises BadToken for an id outside the vocabulary."""
    return _table(model)[model.token(token_id).token_id].float().cpu().numpy()


def neighbours(model: LanguageModel, token_id: int, n: int = 10) -> tuple[Neighbour, ...]:
    """Return the n tokens with the nearest vectors by cosine, nearest first, without the token itself. Raises BadToken, BadSetting."""
    table, own_id, network = _table(model), model.token(token_id).token_id, model.load_network()
    count = min(whole_number(n, "n", 0), len(table) - 1)
    with torch.inference_mode():
        lengths = _lengths.get(network)
        if lengths is None or len(lengths) != len(table):
            lengths = torch.cat([part.float().norm(dim=1) for part in table.split(ROWS_AT_ONCE)]).clamp_(min=1e-12)
            _lengths[network] = lengths
        vector = table[own_id].float() / lengths[own_id]
        cosines = torch.cat([part.float() @ vector for part in table.split(ROWS_AT_ONCE)]) / lengths
        cosines[own_id] = -torch.inf
        near = torch.topk(cosines[: model.vocabulary_size], min(count, model.vocabulary_size - 1))
    nearest = zip(near.indices.tolist(), near.values.tolist(), strict=True)
    return tuple(Neighbour(i, model.token(i).text, model.piece(i), max(-1.0, min(1.0, cosine))) for i, cosine in nearest)


def tokens_of_words(model: LanguageModel, words: Iterable[str]) -> tuple[int, ...]:
    """Return the tokens of those words that are one token in this model, with or without a space before them."""
    single = []
    for word in words:
        for written in (f" {word}", word) if word.strip() else ():
            ids = [i for i in model.encode(written) if not model.token(i).special]
            if len(ids) == 1:
                single.append(ids[0])
                break
    return tuple(dict.fromkeys(single))


def flat_map(model: LanguageModel, token_ids: Iterable[int]) -> FlatMap:
    """Return a map of these tokens on a plane, each once, at most MOST_POINTS. With fewer than two, all are at the centre."""
    ids = tuple(model.token(i).token_id for i in dict.fromkeys(token_ids))[:MOST_POINTS]
    if not ids:
        return FlatMap((), np.zeros((0, 2)), 0.0)
    vectors = _table(model)[list(ids)].double().cpu().numpy()
    if len(ids) < 2 or np.allclose(vectors, vectors[0]):
        return FlatMap(ids, np.zeros((len(ids), 2)), 0.0)
    # Principal component analysis: coordinates along the directions in which the centred vectors vary most.
    left, sizes, right = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    axes = min(2, len(sizes))
    signs = np.sign(right[np.arange(axes), np.abs(right[:axes]).argmax(axis=1)])  # a direction's largest number is positive
    places = np.zeros((len(ids), 2))
    places[:, :axes] = left[:, :axes] * sizes[:axes] * signs
    return FlatMap(ids, places, float((sizes[:axes] ** 2).sum() / (sizes**2).sum()))
