"""Keys and values in fewer bits: the numbers of a text fed token by token into such a cache, the bytes of its tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from core.engine.kv_cache.quantized import packed_bytes, quantized_cache
from core.experiments.memory.rounded_cache import rounded_cache

TEXT = "Once upon a time, there was a little fox who lived in the forest. One day the fox met a bear."


@pytest.fixture(scope="module")
def model(tiny: Any) -> Any:
    return tiny("large")


def test_it_is_what_writing_token_by_token_gives(model: Any) -> None:
    ids = model.encode(TEXT)
    with torch.inference_mode():
        full = model.network(torch.tensor([ids]), use_cache=False).logits[0].double().log_softmax(-1)
        for one in rounded_cache(model, TEXT):
            cache, rows = quantized_cache(model.layer_count, one.bits), []
            for token in ids:
                rows.append(model.network(torch.tensor([[token]]), past_key_values=cache, use_cache=True).logits[0, -1])
            logs = torch.stack(rows).double().log_softmax(-1)
            kl = (full.exp() * (full - logs)).sum(1).clamp(min=0).mean()
            assert one.kl == pytest.approx(float(kl), rel=0.1, abs=1e-6)  # a sum in another order may tip a rounding
            assert one.kept == pytest.approx(float((logs.argmax(1) == full.argmax(1)).double().mean()), abs=0.05)
            given = full[:-1].gather(1, torch.tensor(ids[1:])[:, None])
            assert one.full_perplexity == pytest.approx(float((-given.mean()).exp()), rel=1e-4)


def test_fewer_bits_hold_less_and_hurt_more(model: Any) -> None:
    eight, four = rounded_cache(model, TEXT)
    assert (eight.bits, four.bits) == (8, 4) and eight.kl < four.kl and eight.kept >= four.kept
    shape = model.shape
    for one in (eight, four):
        vector = packed_bytes(shape.key_size, one.bits)
        assert one.bytes == 2 * shape.layer_count * shape.kv_head_count * one.tokens * vector
    assert eight.full_bytes == 2 * shape.layer_count * shape.kv_head_count * shape.key_size * 4 * eight.tokens
    assert np.isclose(eight.full_bytes / four.full_bytes, 1.0)
