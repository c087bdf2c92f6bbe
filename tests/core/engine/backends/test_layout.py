"""In every family the weights of one output lie side by side in memory."""

from __future__ import annotations

from pathlib import Path

import torch

from core.engine.backends.fast_decoder import FastDecoder
from tests.core.engine.backends.families import GPT2, network_of


def test_weights_that_gpt2_keeps_by_inputs_lie_by_outputs_and_are_the_same_ones(tmp_path: Path) -> None:
    network = network_of("GPT2", **GPT2)
    kept = {name: weight.clone() for name, weight in network.state_dict().items()}
    fast = FastDecoder.of(network)
    assert fast is not None
    for block, layer in zip(network.transformer.h, fast.parts.layers, strict=True):
        for module, part in ((block.attn.c_attn, layer.inward[0]), (block.mlp.c_fc, layer.expand[0]), (block.mlp.c_proj, layer.contract)):
            assert part.weight.is_contiguous() and part.weight.data_ptr() == module.weight.data_ptr(), "no second copy"
            assert part.weight.shape == module.weight.shape[::-1]
    weight, place = network.transformer.h[0].mlp.c_proj.weight, fast.parts.layers[0].contract.weight.data_ptr()
    assert FastDecoder.of(network) is not None and weight.data_ptr() == place, "once is enough"
    network.save_pretrained(tmp_path)
    for found in (network.state_dict(), type(network).from_pretrained(tmp_path).state_dict()):
        assert all(torch.equal(weight, kept[name]) for name, weight in found.items())
