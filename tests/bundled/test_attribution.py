"""Sanity of attribution maps (Adebayo and others 2018, arXiv 1810.03292): with random weights they lose the trained model's pattern."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from core import Generation, load_model
from core.engine.model import LanguageModel
from core.experiments.why.traced_fact import traced_fact
from core.inspection import attribution
from pages.ui.i18n.example_texts import EXAMPLES
from tests.tiny_models import some

TEXTS = (
    EXAMPLES.why_prompt,
    "Once upon a time, there was a little cat named Tom. Tom put his ball under the old",
    "A baby dog is called a",
    "The capital of France is",
    "My mother has a red car and a blue bike. The day after Monday is",
    "It was raining, and the cat slept in the house. A cow says",
    "The king was very old and tired. 2 + 3 =",
    "The children play near the river. The colour of grass is",
)
MAPS = {
    "mask": lambda model, ids, target: attribution.occlusion(model, ids, target, "mask").effects[:-1],
    "replace": lambda model, ids, target: attribution.occlusion(model, ids, target, "replace").effects,
    "gradients": lambda model, ids, target: attribution.integrated_gradients(model, ids, target).effects,
}


def randomised(model: LanguageModel, seed: int) -> LanguageModel:
    """The same network with matrices drawn at random, as wide as the trained ones."""
    network: Any = copy.deepcopy(model.load_network()).float()
    torch.manual_seed(seed)
    with torch.no_grad():
        for weight in network.parameters():
            if weight.dim() >= 2:
                weight.normal_(0, float(weight.std()))
    return LanguageModel("random", network, model.tokenizer)


def maps(model: LanguageModel, of: Any, targets: list[int]) -> np.ndarray:
    """The effects of all words of all texts, each text with mean 0 and spread 1."""
    found = [of(model, model.encode(text), target) for text, target in zip(TEXTS, targets, strict=True)]
    return np.concatenate([(effects - effects.mean()) / effects.std() for effects in found])


@pytest.mark.slow
@pytest.mark.parametrize("name", some(MAPS, list(MAPS)[:1]))
def test_with_random_weights_a_map_loses_its_pattern(name: str) -> None:
    trained = load_model("storyteller")
    targets = [Generation(trained, text).next_distribution().candidates[0].token_id for text in TEXTS]
    of = partial(maps, of=MAPS[name], targets=targets)
    own = of(trained)
    correlations = [float(np.corrcoef(own, of(randomised(trained, seed)))[0, 1]) for seed in range(3)]
    assert abs(float(np.mean(correlations))) < 0.2, correlations
    assert float(np.corrcoef(own, of(load_model("storyteller")))[0, 1]) > 0.99


@pytest.mark.parametrize("name", some(EXAMPLES.fact_pairs, ["Opposites", "Capitals"]))
def test_a_pair_of_the_page_has_a_clear_result(name: str) -> None:
    """Both answers are sure; early the word that differs holds the answer, at the end the last token does."""
    *_rest, seen = traced_fact(load_model("storyteller"), *EXAMPLES.fact_pairs[name])
    assert seen.after[0] > 0.8 and seen.before[1] > 0.8
    first, last = seen.recovered[0], seen.recovered[-2]
    assert max(first) == pytest.approx(1.0, abs=1e-3) and first.index(max(first)) < len(first) - 1
    assert last[-1] > 0.7
