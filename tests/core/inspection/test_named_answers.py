"""The probability of named answers, against all ways to tokenize them, counted one by one with plain passes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.inspection import named_answers
from tests.core.plain import plain_odds

PROMPT = "The sea"


def counted(network: Any, model: Any, ids: list[int], raw: bytes) -> float:
    """The probability that the text goes on with these bytes: every token that fits, and after a shorter one the rest."""
    p = plain_odds(network, ids)
    total = 0.0
    for token_id in range(model.vocabulary_size):
        token = model.token(token_id)
        if token.special or not token.raw:
            continue
        if token.raw.startswith(raw):
            total += p[token_id]
        elif raw.startswith(token.raw):
            total += p[token_id] * counted(network, model, [*ids, token_id], raw[len(token.raw) :])
    return total


@pytest.mark.parametrize("text", ["a", " s", " se", "ä", "."])
def test_all_ways_to_tokenize_are_counted(text: str, tiny: Any, plain: Any) -> None:
    model = tiny("llama")
    ids = model.encode(PROMPT)
    (found,) = named_answers.named_answers(model, ids, [text])
    expected = counted(plain("llama"), model, ids, text.encode())
    assert found.probability - 1e-6 <= expected <= found.at_most + 1e-6
    assert found.at_most - found.probability < 1e-4 + 1e-2 * expected
    assert found.ways >= 1


def test_single_tokens_and_their_ranks_are_those_of_a_plain_pass(tiny: Any, plain: Any) -> None:
    model = tiny("gpt2")
    ids = model.encode(PROMPT)
    p = plain_odds(plain("gpt2"), ids)
    order = np.argsort(-p, kind="stable")
    found = named_answers.search(model, ids, "e", 5)
    assert [rank for _id, _piece, rank, _share in found] == sorted(rank for _id, _piece, rank, _share in found)
    for token_id, piece, rank, share in found:
        assert "e" in piece.casefold()
        assert order[rank - 1] == token_id
        assert share == pytest.approx(p[token_id], abs=1e-6)
    assert named_answers.search(model, ids, "nothing has this text") == []


def test_the_likeliest_way_is_a_product(tiny: Any) -> None:
    model = tiny("llama")
    (found,) = named_answers.named_answers(model, model.encode(PROMPT), [" shell"])
    assert 0 < np.prod([share for _piece, share in found.tokens]) <= found.probability + 1e-12
