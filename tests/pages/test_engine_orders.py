"""The line that says how many tokens stay in each engine's order, against three computations of its own."""

from __future__ import annotations

import re

import numpy as np
import pytest

from core import load_model
from tests.pages.apptest import Open, said


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


def top_p(scores: np.ndarray, share: float) -> np.ndarray:
    """The smallest set of likeliest tokens that reaches this probability; -inf for the others."""
    order = np.argsort(-scores)
    count = int((np.cumsum(softmax(scores)[order]) < share).sum()) + 1
    kept = np.full(len(scores), -np.inf)
    kept[order[:count]] = scores[order[:count]]
    return kept


def min_p(scores: np.ndarray, share: float) -> np.ndarray:
    p = softmax(scores)
    return np.where(p >= share * p.max(), scores, -np.inf)


@pytest.mark.parametrize("prompt", ["Once upon a time", "The old king", "A fox and"])
def test_the_counts_are_those_of_each_engine(prompt: str, open_app: Open) -> None:
    app = open_app(prompt=prompt, temperature="1.5", top_p="0.9", min_p="0.05")
    model = load_model("storyteller")
    logits = model.engine.forward(model.encode(prompt)).logits.values.double().numpy()
    counts = {
        "transformers": min_p(top_p(logits / 1.5, 0.9), 0.05),
        "llama.cpp": min_p(top_p(logits, 0.9), 0.05) / 1.5,
        "vLLM": top_p(min_p(logits / 1.5, 0.05), 0.9),
    }
    line = re.search(r"Tokens that stay in the order of: (.*)", said(app))
    assert line is not None
    assert line[1] == " · ".join(f"{engine} {int(np.isfinite(scores).sum())}" for engine, scores in counts.items())


def test_one_sentence_says_where_llama_cpp_itself_counts_excluded_tokens(open_app: Open) -> None:
    sentence = "so its result of typical-p can differ"
    for order, expected in (("llama.cpp", True), ("vllm", False)):
        app = open_app(order=order, top_n_sigma="1.0", typical_p="0.9")
        app.button(key="all_samplers").click().run()
        assert (sentence in said(app)) == expected
