"""Runs with a changed network: steering and switched-off heads, with and without a cache, against plain passes with the same change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from core import Generation, SamplingSettings
from core.engine.network_changes import Changes
from core.errors import BadSetting, InputError, ModelError
from core.inspection.attribution import Steering, head_ablation, steering_vector
from tests.core.plain import plain_logits
from tests.tiny_models import some

Model = Callable[[str], Any]
TEXT = "Once upon a time there was"
GREEDY = SamplingSettings(greedy=True)


def vector_of(model: Any, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=model.shape.hidden_size).astype(np.float32)


@pytest.mark.parametrize(
    "architecture", some(["llama", "gpt2", "gemma2", "mixtral", "mamba", "bloom"], {"llama", "gpt2", "gemma2", "mamba"})
)
@pytest.mark.parametrize("layer", [0, 2, 3])
def test_a_steered_run_is_a_network_whose_layer_adds_the_vector(architecture: str, layer: int, tiny: Model, plain: Model) -> None:
    model, network = tiny(architecture), plain(architecture)
    vector = vector_of(model)
    run = Generation(model, TEXT, GREEDY, steering=Steering(vector, layer, 1.5))
    list(run.stream(4))
    layers = next(module for _name, module in network.named_modules() if isinstance(module, torch.nn.ModuleList) and len(module) == 3)
    added = torch.from_numpy(vector) * 1.5

    def entering(_module: Any, given: Any) -> Any:
        return (given[0] + added, *given[1:])

    def leaving(_module: Any, _given: Any, made: Any) -> Any:
        return (made[0] + added, *made[1:]) if isinstance(made, tuple) else made + added

    handle = layers[layer - 1].register_forward_hook(leaving) if layer else layers[0].register_forward_pre_hook(entering)
    try:
        ids = run.token_ids.tolist()
        for step in run.path:
            logits = plain_logits(network, ids[: step.position])
            assert step.token_id == int(logits.argmax())
            assert step.model_probability == pytest.approx(float(logits.softmax(0)[step.token_id]), abs=1e-4)
    finally:
        handle.remove()


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_a_run_without_heads_is_the_ablated_network(architecture: str, tiny: Model) -> None:
    model = tiny(architecture)
    run, usual = Generation(model, TEXT, without_heads=[(1, 2)]), Generation(model, TEXT)
    target = usual.next_distribution().candidates[0].token_id
    chances = [next(c.model_probability for c in one.next_distribution().candidates if c.token_id == target) for one in (usual, run)]
    effect = head_ablation(model, usual.token_ids, target).effects[1, 2]
    assert np.log(chances[0]) - np.log(chances[1]) == pytest.approx(effect, abs=1e-3)


def test_a_cache_knows_what_it_was_computed_with(tiny: Model) -> None:
    """A cache that is handed from one run to another reuses nothing of another network."""
    model = tiny("llama")
    changed: list[dict[str, Any]] = [
        {},
        {"steering": Steering(vector_of(model), 1, 1.0)},
        {"steering": Steering(vector_of(model), 1, 2.0)},
        {"steering": Steering(vector_of(model), 2, 1.0)},
        {"steering": Steering(vector_of(model, 1), 1, 1.0)},
        {"without_heads": [(0, 1)]},
        {"without_heads": [(0, 1), (2, 3)]},
    ]
    cache = Generation(model, TEXT).cache
    for change in [*changed, *changed]:
        shared, own = Generation(model, TEXT, GREEDY, **change), Generation(model, TEXT, GREEDY, use_cache=False, **change)
        shared.cache = cache
        first = shared.step()
        assert first.forward.reused_tokens == 0
        assert shared.step().forward.reused_tokens == first.position
        list(own.stream(2))
        np.testing.assert_allclose(shared.path[1].probabilities, own.path[1].probabilities, atol=1e-4)
    again = Generation(model, TEXT, GREEDY, without_heads=[(2, 3), (0, 1)])
    again.cache = cache
    assert again.step().forward.reused_tokens > 0  # the same heads in another order


def test_the_unchanged_network_is_unchanged_afterwards(tiny: Model) -> None:
    model = tiny("gpt2")
    before = Generation(model, TEXT, GREEDY).generate(5)
    Generation(model, TEXT, GREEDY, steering=Steering(50 * vector_of(model), 1)).generate(5)
    Generation(model, TEXT, GREEDY, without_heads=[(0, 0)]).generate(5)
    assert Generation(model, TEXT, GREEDY).generate(5) == before
    assert Generation(model, TEXT, GREEDY, steering=Steering(vector_of(model), 1, 0.0)).generate(5) == before


def test_a_steering_vector_is_a_difference_of_means(tiny: Model, plain: Model) -> None:
    model, network = tiny("gpt2"), plain("gpt2")
    texts = (["a happy fox", "sea"], ["the grey snow"])
    with torch.inference_mode():
        means = [
            np.mean(
                [network(torch.tensor([model.encode(t)]), output_hidden_states=True).hidden_states[2][0].numpy().mean(0) for t in some_], 0
            )
            for some_ in texts
        ]
    np.testing.assert_allclose(steering_vector(model, *texts, 2), means[0] - means[1], atol=1e-4)


def test_impossible_changes_are_refused(tiny: Model) -> None:
    model = tiny("llama")
    vector = vector_of(model)
    for steering in (
        Steering(vector[:-1], 1),
        Steering(np.full_like(vector, np.nan), 1),
        Steering(vector, -1),
        Steering(vector, 4),
        Steering(vector, 1, float("nan")),
        Steering(vector, 1, 1e9),
        Steering("happy", 1),  # type: ignore[arg-type]
    ):
        with pytest.raises(BadSetting):
            Generation(model, TEXT, steering=steering)
    for head in ((3, 0), (0, 4), (-1, 0)):
        with pytest.raises(InputError):
            Generation(model, TEXT, without_heads=[head])
    with pytest.raises(ModelError, match="no attention heads"):
        Changes(tiny("mamba"), None, [(0, 0)])
