"""Fewer bits: figures by a plain computation, and a model beside its rounded copy in any architecture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import transformers

from core.engine.model import LanguageModel
from core.engine.weight_rounding import round_weights
from core.errors import ModelError
from core.experiments.quantization.rounded_weights import ATTENTION, FEED_FORWARD, HEAD, damage, quantize
from core.experiments.same_prompt import EAGER, REFERENCE, Way, compared
from core.inspection.scoring import score_text
from tests.tiny_models import ARCHITECTURES, byte_level_tokenizer, some

TEXT = "Once upon a time there was a small dragon who could not breathe fire."


@pytest.mark.parametrize("architecture", some(sorted(set(ARCHITECTURES) - {"mamba"})))
def test_every_architecture_beside_itself(architecture: str, tiny: Any) -> None:
    model = tiny(architecture)
    before = [weight.clone() for weight in model.network.parameters()]
    eight, two = list(quantize(model, "Once upon", TEXT, (8, 2), length=4))
    assert two.mean_kl > eight.mean_kl > 0 and two.bytes < eight.bytes < eight.full_bytes == model.weight_bytes
    assert 0 < eight.rounded_share < 1 and sum(eight.full_probabilities) <= 1 + 1e-9
    assert len(eight.kl) == len(eight.kept) == len(model.encode(TEXT)) and min(eight.kl) >= 0
    assert all(torch.equal(a, b) for a, b in zip(before, model.network.parameters(), strict=True)), "the model itself is untouched"


def test_figures_against_a_plain_computation(tiny: Any, plain: Any) -> None:
    model, network = tiny("llama"), plain("llama")
    (found,) = quantize(model, "Once upon", TEXT, (4,), None, length=6)
    ids = torch.tensor([model.encode(TEXT)])
    full = network(ids).logits[0].double().log_softmax(-1)
    for name, module in network.named_modules():
        if isinstance(module, torch.nn.Linear) and "lm_head" not in name:
            module.weight.data = round_weights(module.weight.data, 4)
    try:
        small = network(ids).logits[0].double().log_softmax(-1)
        inputs = torch.tensor([model.encode("Once upon")])
        wrote = network.generate(inputs, attention_mask=torch.ones_like(inputs), do_sample=False, max_new_tokens=6, pad_token_id=0)
    finally:
        network.load_state_dict(model.network.state_dict())
    expected = torch.nn.functional.kl_div(small, full, reduction="none", log_target=True).sum(1)
    np.testing.assert_allclose(found.kl, expected.detach().numpy(), rtol=1e-3, atol=1e-6)
    assert found.kept == tuple((full.argmax(1) == small.argmax(1)).tolist())
    assert found.full_perplexity == pytest.approx(score_text(model, TEXT).perplexity, rel=1e-4)
    assert found.written == model.text_of(wrote[0, inputs.shape[1] :].tolist())


def test_one_part_at_a_time(tiny: Any) -> None:
    model = tiny("gpt2")
    found = list(damage(model, TEXT, 3))
    assert [(one.layer, one.name) for one in found] == [
        *[(layer, name) for layer in range(3) for name in (ATTENTION, FEED_FORWARD)],
        (-1, HEAD),
    ]
    (whole,) = quantize(model, "Once", TEXT, (3,), head=True, length=1)
    assert all(one.mean_kl > 0 for one in found) and max(one.mean_kl for one in found) < 5 * whole.mean_kl


@pytest.mark.parametrize("architecture", some(["mixtral", "gpt_oss", "llama4_text", "olmoe"], {"mixtral", "gpt_oss"}))
def test_every_expert_is_rounded_by_itself(architecture: str, tiny: Any, plain: Any) -> None:
    model, network = tiny(architecture), plain(architecture)
    (found,) = quantize(model, "Once upon", TEXT, (3,), length=1)
    ids = torch.tensor([model.encode(TEXT)])
    full = network(ids).logits[0].double().log_softmax(-1)
    turned = architecture in ("gpt_oss", "llama4_text")  # [experts, in, out]
    numbers = 0
    for name, module in network.named_modules():
        if isinstance(module, torch.nn.Linear) and "lm_head" not in name:
            module.weight.data = round_weights(module.weight.data, 3)
            numbers += module.weight.numel()
        for weight in module.parameters(recurse=False):
            if name.endswith("experts") and weight.dim() == 3:
                numbers += weight.numel()
                for expert in weight.data:
                    expert.copy_(round_weights(expert.T, 3).T if turned else round_weights(expert, 3))
    try:
        small = network(ids).logits[0].double().log_softmax(-1)
    finally:
        network.load_state_dict(model.network.state_dict())
    expected = torch.nn.functional.kl_div(small, full, reduction="none", log_target=True).sum(1)
    np.testing.assert_allclose(found.kl, expected.detach().numpy(), rtol=1e-3, atol=1e-6)
    assert found.rounded_share == pytest.approx(numbers / model.parameter_count)


def test_a_model_whose_layers_cannot_be_found_is_refused() -> None:
    config = transformers.HrmTextConfig(vocab_size=365, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4)
    words = byte_level_tokenizer()
    model = LanguageModel("again", transformers.AutoModelForCausalLM.from_config(config).eval(), words)
    with pytest.raises(ModelError, match="layers of this architecture cannot be found"):
        next(quantize(model, "Once upon", TEXT, (2,), length=1))
    with pytest.raises(ModelError, match="layers of this architecture cannot be found"):
        next(damage(model, TEXT, 2))


class Product(torch.nn.Module):
    """A linear layer under a name that nobody knows."""

    def __init__(self, linear: torch.nn.Linear) -> None:
        super().__init__()
        self.weight = linear.weight

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return states @ self.weight.T


def test_a_model_whose_matrices_cannot_be_found_is_refused(tiny_folder: Any) -> None:
    network = transformers.AutoModelForCausalLM.from_pretrained(tiny_folder("llama")).eval()
    for name, module in list(network.model.layers.named_modules()):
        if isinstance(module, torch.nn.Linear):
            parent, _dot, own = name.rpartition(".")
            setattr(network.model.layers.get_submodule(parent), own, Product(module))
    model = LanguageModel("odd", network, transformers.AutoTokenizer.from_pretrained(tiny_folder("llama")))
    with pytest.raises(ModelError, match="weight matrices of this architecture cannot be found"):
        next(quantize(model, "Once upon", TEXT, (2,), length=1))
    with pytest.raises(ModelError, match="weight matrices of this architecture cannot be found"):
        list(compared(model, TEXT, "Once", [REFERENCE, Way(EAGER, bits=4)], length=1))
    assert [(part.layer, part.name) for part in damage(model, TEXT, 2)] == [(-1, HEAD)]
