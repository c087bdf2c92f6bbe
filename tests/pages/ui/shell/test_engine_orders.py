"""The line that says how many tokens stay in each engine's order, against three computations of its own."""

from __future__ import annotations

import re

import numpy as np
import pytest

from core import load_model
from core.sampling.settings import ORDERS
from tests.pages.apptest import Open, press, said, show_more


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
    show_more(app)
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
        app = show_more(open_app(order=order, top_n_sigma="1.0", typical_p="0.9"))
        app.button(key="all_samplers").click().run()
        assert (sentence in said(app)) == expected


def test_your_own_order_is_counted_beside_the_engines_and_no_preset_is_marked(open_app: Open) -> None:
    app = open_app(prompt="Once upon a time", temperature="0.7", top_p="0.9")
    assert app.button(key="preset_Balanced").proto.type == "primary"
    order = ",".join(reversed(ORDERS["transformers"]))
    app = open_app(prompt="Once upon a time", temperature="0.7", top_p="0.9", order=order)
    assert app.button(key="preset_Balanced").proto.type == "secondary"
    show_more(app)
    line = re.search(r"Tokens that stay in the order of: (.*)", said(app))
    assert line is not None
    assert re.search(r"your own \d+$", line[1])


@pytest.mark.parametrize(("wanted", "names"), [("top-k", ["Top-k"]), ("min-p", ["Min-p"]), ("temperature", ["Temperature"])])
def test_the_samplers_of_the_sidebar_are_found_among_all_samplers(open_app: Open, wanted: str, names: list[str]) -> None:
    app = show_more(open_app())
    app.session_state["find_sampler"] = wanted
    press(app, "all_samplers")
    assert "No sampler contains this text" not in said(app)
    assert all(f"**{name}**" in said(app) for name in names)
