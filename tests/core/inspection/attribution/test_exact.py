"""Attribution against independent computations: shorter texts, attention written out, zeroed weights, captum, and transformers' passes."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from core import device
from core.inspection import attribution
from core.inspection.attribution.passes import Passes
from core.inspection.attribution.patching import Patcher
from tests.core.plain import plain_logits
from tests.tiny_models import some

Model = Callable[[str], Any]
TEXT, OTHER = "Once upon a time there was a small dragon", "Once upon a tide there was a small dragon"
FOUR = some(
    ["llama", "gpt2", "gemma2", "mixtral", "gpt_neox", "qwen3", "phi3", "mpt", "bloom", "falcon"], {"llama", "gpt2", "gemma2", "mixtral"}
)
MASKED = some(["llama", "gpt2", "gemma2", "mixtral", "gpt_neox", "qwen3", "mpt"], {"llama", "gpt2", "gemma2", "mixtral"})


def log_p(network: Any, ids: list[int], target: int) -> float:
    """The log-probability of a token after a text, from one plain pass."""
    return float(plain_logits(network, ids).double().log_softmax(-1)[target])


def two_texts(model: Any) -> tuple[list[int], list[int]]:
    """Two texts of equal length that differ in the middle."""
    ids = model.encode(TEXT)
    return ids, [*ids[:3], (ids[3] + 7) % 300 + 5, *ids[4:]]


def test_passes_of_a_large_model_take_all_processors_and_of_a_small_one_one(tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    model, before = tiny("llama"), torch.get_num_threads()
    monkeypatch.setattr(device, "os", SimpleNamespace(cpu_count=lambda: 3))
    for parameters, threads in ((device.FEW_PARAMETERS - 1, 1), (device.FEW_PARAMETERS, 3)):
        monkeypatch.setattr(model, "parameter_count", parameters)
        with Passes(model).turn():
            assert torch.get_num_threads() == threads
        assert torch.get_num_threads() == before


@pytest.mark.slow
@pytest.mark.parametrize("architecture", [*FOUR, *some(["mamba", "lfm2", "deepseek_v3"], {"mamba"})])
def test_leaving_a_token_out_is_a_pass_over_the_shorter_text(architecture: str, tiny: Model, plain: Model) -> None:
    model, network = tiny(architecture), plain(architecture)
    ids, target = model.encode(TEXT), 17
    found = attribution.occlusion(model, ids, target)
    expected = [log_p(network, ids, target) - log_p(network, ids[:i] + ids[i + 1 :], target) for i in range(len(ids))]
    np.testing.assert_allclose(found.effects, expected, atol=2e-4)
    spans = [(0, 2), (3, 6), (len(ids) - 1, len(ids))]
    parts = attribution.occlusion(model, ids, target, spans=spans)
    expected = [log_p(network, ids, target) - log_p(network, ids[:a] + ids[b:], target) for a, b in spans]
    np.testing.assert_allclose(parts.effects, expected, atol=2e-4)


@pytest.mark.parametrize("architecture", FOUR)
def test_replacing_a_token_is_a_pass_over_the_other_text(architecture: str, tiny: Model, plain: Model) -> None:
    model, network = tiny(architecture), plain(architecture)
    ids, target = model.encode(TEXT), 17
    found = attribution.occlusion(model, ids, target, method="replace", spans=[(2, 3), (4, 6)])
    neutral = attribution.integrated_gradients(model, ids, target, steps=1).baseline_id
    whole = log_p(network, ids, target)
    expected = [whole - log_p(network, [*ids[:a], *[neutral] * (b - a), *ids[b:]], target) for a, b in ((2, 3), (4, 6))]
    np.testing.assert_allclose(found.effects, expected, atol=2e-4)


def without_attention_to(network: Any, ids: list[int], hidden: int) -> torch.Tensor:
    """The logits of Llama with attention written out: positions after `hidden` do not attend to it."""
    config, base = network.config, network.model
    heads, groups, size = config.num_attention_heads, config.num_key_value_heads, base.layers[0].self_attn.head_dim
    count = len(ids)
    with torch.inference_mode():
        states = base.embed_tokens(torch.tensor([ids]))
        places = torch.arange(count)
        cosine, sine = base.rotary_emb(states, places[None])
        allowed = places[None] <= places[:, None]
        allowed[places > hidden, hidden] = False

        def turned(vectors: torch.Tensor) -> torch.Tensor:
            half = torch.cat([-vectors[..., size // 2 :], vectors[..., : size // 2]], -1)
            return vectors * cosine[0] + half * sine[0]

        for layer in base.layers:
            normed = layer.input_layernorm(states)[0]
            query = turned(layer.self_attn.q_proj(normed).view(count, heads, size).transpose(0, 1))
            key = turned(layer.self_attn.k_proj(normed).view(count, groups, size).transpose(0, 1)).repeat_interleave(heads // groups, 0)
            value = layer.self_attn.v_proj(normed).view(count, groups, size).transpose(0, 1).repeat_interleave(heads // groups, 0)
            scores = (query @ key.transpose(1, 2) / math.sqrt(size)).masked_fill(~allowed, -torch.inf)
            mixed = (scores.softmax(-1) @ value).transpose(0, 1).reshape(1, count, -1)
            states = states + layer.self_attn.o_proj(mixed)
            states = states + layer.mlp(layer.post_attention_layernorm(states))
        return network.lm_head(base.norm(states))[0, -1].float()


def test_masking_is_attention_without_that_token(tiny: Model, plain: Model) -> None:
    model, network = tiny("llama"), plain("llama")
    ids, target = model.encode(TEXT), 17
    found = attribution.occlusion(model, ids, target, method="mask")
    whole = log_p(network, ids, target)
    expected = [whole - float(without_attention_to(network, ids, i).double().log_softmax(-1)[target]) for i in range(len(ids))]
    np.testing.assert_allclose(found.effects, expected, atol=2e-4)
    assert found.effects[-1] == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("architecture", MASKED)
def test_what_a_masked_token_was_makes_no_difference(architecture: str, tiny: Model, plain: Model) -> None:
    """The result is that of transformers' eager attention with a mask of its own for every pair of positions."""
    model, target = tiny(architecture), 17
    ids = model.encode(TEXT)
    for place in (0, 3):
        changed = [*ids[:place], (ids[place] + 11) % 300 + 5, *ids[place + 1 :]]
        without = []
        for text in (ids, changed):
            found = attribution.occlusion(model, text, target, method="mask", spans=[(place, place + 1)])
            without.append(found.log_probability - found.effects[0])
        assert without[0] == pytest.approx(without[1], abs=2e-4)
        assert without[0] != pytest.approx(log_p(plain(architecture), ids, target), abs=1e-3)


def zeroed(network: Any, layer: int, head: int, heads: int) -> Any:
    """A copy whose output projection of one layer has a head's columns (rows in GPT-2's Conv1D) set to zero."""
    other = copy.deepcopy(network)
    names = ("self_attn.o_proj", "attn.c_proj", "attention.dense", "attn.out_proj", "self_attention.dense")
    layers = next(module for _name, module in other.named_modules() if isinstance(module, torch.nn.ModuleList) and len(module) == 3)
    inside = dict(layers[layer].named_modules())
    projection: Any = next(inside[name] for name in names if name in inside)
    with torch.no_grad():
        rows = projection.weight if type(projection).__name__ == "Conv1D" else projection.weight.T
        size = len(rows) // heads
        rows[head * size : (head + 1) * size] = 0
    return other


@pytest.mark.parametrize("architecture", FOUR)
def test_switching_off_a_head_is_zeroing_its_weights(architecture: str, tiny: Model, plain: Model) -> None:
    model, network = tiny(architecture), plain(architecture)
    ids, target = model.encode(TEXT), 17
    found = attribution.head_ablation(model, ids, target)
    assert found.effects.shape == (3, 4)
    whole = log_p(network, ids, target)
    for layer, head in ((0, 0), (1, 3), (2, 2)):
        expected = whole - log_p(zeroed(network, layer, head, 4), ids, target)
        assert found.effects[layer, head] == pytest.approx(expected, abs=2e-4)
    assert np.abs(found.effects).max() > 0.01


def test_a_head_at_its_mean_is_a_constant_vector(tiny: Model, plain: Model) -> None:
    model, network = tiny("llama"), copy.deepcopy(plain("llama"))
    ids, target = model.encode(TEXT), 17
    projection, seen = network.model.layers[1].self_attn.o_proj, []
    with torch.inference_mode():
        handle = projection.register_forward_pre_hook(lambda _module, given: seen.append(given[0].clone()))
        network(torch.tensor([ids]))
        handle.remove()
        constant = projection.weight[:, 8:16] @ seen[0][0, :, 8:16].mean(0)
        projection.weight[:, 8:16] = 0
        projection.bias = torch.nn.Parameter(constant)
    expected = log_p(plain("llama"), ids, target) - log_p(network, ids, target)
    assert attribution.head_ablation(model, ids, target, "mean").effects[1, 1] == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize("architecture", [*FOUR, *some(["mamba", "deepseek_v3", "lfm2"], {"mamba"})])
def test_patching_every_position_restores_the_first_run(architecture: str, tiny: Model, plain: Model) -> None:
    model = tiny(architecture)
    clean, corrupted = two_texts(model)
    every, none = (range(len(clean)),) * 2, ((), ())
    found = attribution.activation_patching(model, clean, corrupted, 17, 18, pairs=[every, none])
    np.testing.assert_allclose(found.recovered[:, 0], 1.0, atol=1e-5)
    np.testing.assert_allclose(found.recovered[:, 1], 0.0, atol=1e-5)
    logits = [plain_logits(plain(architecture), ids) for ids in (clean, corrupted)]
    assert [found.clean, found.corrupted] == pytest.approx([float(one[17] - one[18]) for one in logits], abs=2e-4)


@pytest.mark.parametrize("architecture", FOUR)
def test_patching_the_embedding_of_the_word_that_differs_restores_all(architecture: str, tiny: Model) -> None:
    model = tiny(architecture)
    clean, corrupted = two_texts(model)
    found = attribution.activation_patching(model, clean, corrupted, 17, 18)
    assert found.recovered.shape == (model.layer_count + 1, len(clean))
    assert found.recovered[0, 3] == pytest.approx(1.0, abs=1e-4) and found.recovered[-1, -1] == pytest.approx(1.0, abs=1e-4)
    assert np.abs(found.recovered[:, :3]).max() == 0.0
    assert np.abs(found.recovered[-1, :-1]).max() == pytest.approx(0.0, abs=1e-4)
    patcher = Patcher(model, clean, corrupted, 17, 18)
    whole = patcher.patched(2, [0])[0]  # nothing differs there, and nothing is computed once for several texts
    torch.testing.assert_close(whole, plain_like(patcher), atol=2e-4, rtol=0)


def plain_like(patcher: Patcher) -> torch.Tensor:
    """The corrupted text's logits without any patch."""
    return patcher.patched(2, [1])[0]


def margin(network: Any, ids: list[int], target: int, other: int) -> float:
    """The difference of two logits after a text, from one plain pass."""
    logits = plain_logits(network, ids).double()
    return float(logits[target] - logits[other])


@pytest.mark.parametrize("architecture", FOUR)
def test_against_another_token_every_effect_is_one_on_the_difference_of_the_logits(architecture: str, tiny: Model, plain: Model) -> None:
    model, network = tiny(architecture), plain(architecture)
    ids, target, other = model.encode(TEXT), 17, 40
    whole = margin(network, ids, target, other)
    hidden = attribution.occlusion(model, ids, target, against=other)
    expected = [whole - margin(network, ids[:i] + ids[i + 1 :], target, other) for i in range(len(ids))]
    np.testing.assert_allclose(hidden.effects, expected, atol=2e-4)
    assert hidden.log_probability == pytest.approx(whole, abs=2e-4)
    turned = attribution.occlusion(model, ids, other, against=target)
    np.testing.assert_allclose(turned.effects, -hidden.effects, atol=2e-4)
    heads = attribution.head_ablation(model, ids, target, against=other)
    for layer, head in ((0, 0), (2, 2)):
        expected_effect = whole - margin(zeroed(network, layer, head, 4), ids, target, other)
        assert heads.effects[layer, head] == pytest.approx(expected_effect, abs=2e-4)


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_gradients_against_another_token_are_the_difference_of_both(architecture: str, tiny: Model, plain: Model) -> None:
    model = tiny(architecture)
    ids = model.encode(TEXT)
    both, one, other = (attribution.integrated_gradients(model, ids, *pair) for pair in ((17, 8, None, 40), (17, 8), (40, 8)))
    np.testing.assert_allclose(both.effects, one.effects - other.effects, atol=1e-4)
    baseline = [both.baseline_id] * len(ids)
    expected = margin(plain(architecture), ids, 17, 40) - margin(plain(architecture), baseline, 17, 40)
    assert both.difference == pytest.approx(expected, abs=3e-4)


@pytest.mark.parametrize("heads", [False, True])
@pytest.mark.parametrize("architecture", FOUR)
def test_the_parts_of_a_logit_or_of_a_difference_of_two_add_up_to_it(architecture: str, heads: bool, tiny: Model, plain: Model) -> None:
    model, logits = tiny(architecture), plain_logits(plain(architecture), tiny(architecture).encode(TEXT))
    ids = model.encode(TEXT)
    one, other, both = (attribution.logit_parts(model, ids, *pair) for pair in ((17, heads), (40, heads), (17, heads, 40)))
    for found, expected in ((one, logits[17]), (other, logits[40]), (both, logits[17] - logits[40])):
        assert found.logit == pytest.approx(float(expected), abs=2e-4)
        assert found.values.sum() == pytest.approx(found.logit, abs=1e-4)
        assert len(found.names) == len(set(found.names)) >= 1 + 3 * (5 if heads else 2)
    subtracted = dict(zip(other.names, other.values, strict=True))
    parts = {name: value - subtracted.get(name, 0.0) for name, value in zip(one.names, one.values, strict=True)}
    assert dict(zip(both.names, both.values, strict=True)) == pytest.approx(parts, abs=1e-4)


def test_the_parts_of_a_logit_are_those_of_the_layers(tiny: Model, plain: Model) -> None:
    """Llama's parts written out: what attention and feed-forward return, scaled by the final norm."""
    model, network = tiny("llama"), plain("llama")
    ids, added = model.encode(TEXT), []

    def note(_module: Any, _given: Any, made: Any) -> None:
        added.append((made[0] if isinstance(made, tuple) else made)[0, -1])

    with torch.inference_mode():
        handles = [part.register_forward_hook(note) for layer in network.model.layers for part in (layer.self_attn, layer.mlp)]
        states = network(torch.tensor([ids]), output_hidden_states=True).hidden_states
        for handle in handles:
            handle.remove()
        last = states[0][0, -1] + sum(added)
        scale = network.model.norm.weight / (last.pow(2).mean() + network.config.rms_norm_eps).sqrt()
        expected = [float(network.lm_head.weight[17] @ (vector * scale)) for vector in (states[0][0, -1], *added)]
    np.testing.assert_allclose(attribution.logit_parts(model, ids, 17).values, expected, atol=1e-4)


@pytest.mark.parametrize("architecture", some(["llama", "gpt2", "gemma2", "mixtral", "gpt_neox"], {"llama", "gpt2", "gemma2", "mixtral"}))
def test_integrated_gradients_are_captums(architecture: str, tiny: Model, plain: Model) -> None:
    captum = pytest.importorskip("captum.attr")
    model, network = tiny(architecture), plain(architecture)
    ids, target = model.encode(TEXT), 17
    found = attribution.integrated_gradients(model, ids, target, steps=16)
    table = network.get_input_embeddings()
    with torch.no_grad():
        text, baseline = (table(torch.tensor([one])) for one in (ids, [found.baseline_id] * len(ids)))

    def answer(embeddings: torch.Tensor) -> torch.Tensor:
        return network(inputs_embeds=embeddings).logits[:, -1].log_softmax(-1)[:, target]

    expected = captum.IntegratedGradients(answer).attribute(text, baseline, n_steps=16, method="riemann_middle")
    np.testing.assert_allclose(found.effects, expected.sum(-1)[0].detach().numpy(), atol=1e-3)
    assert found.difference == pytest.approx(log_p(network, ids, target) - log_p(network, [found.baseline_id] * len(ids), target), abs=2e-4)


def test_integrated_gradients_add_up_with_many_steps(tiny: Model) -> None:
    model = tiny("llama")
    ids = model.encode(TEXT)
    few, many = (attribution.integrated_gradients(model, ids, 17, steps).gap for steps in (2, 256))
    assert many < 0.02 < few


def test_rank_correlation_is_spearmans() -> None:
    assert attribution.rank_correlation([1, 2, 3, 4], [10, 20, 15, 40]) == pytest.approx(0.8)
    assert attribution.rank_correlation([1, 2, 2, 3], [3, 2, 2, 1]) == pytest.approx(-1.0)
    assert math.isnan(attribution.rank_correlation([1, 1], [1, 2]))
