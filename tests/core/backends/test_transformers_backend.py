"""A cached step gives what a plain pass gives, whatever the architecture keeps; where it cannot, the model runs without a cache."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import transformers

from core.backends.rotary_lengths import RotaryLengths
from core.backends.transformers_backend import TransformersBackend
from core.engine.engine import Engine
from core.engine.kv_cache.prefix_reuse import KVCache
from tests.tiny_models import some, widen

SHAPE = {"hidden_size": 32, "num_hidden_layers": 3, "intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2}
SIZES = {"vocab_size": 300, "max_position_embeddings": 64, "bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
LONG_ROPE = {"rope_type": "longrope", "short_factor": [1.0] * 4, "long_factor": [3.0] * 4, "rope_theta": 1e4}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 8, "mamba_d_state": 8, "mamba_n_groups": 1, "mamba_chunk_size": 8}
# Architecture, its own settings, and whether its cache can be used. Bamba needs its positions, Phi-3 drops its cache at 16 tokens.
CASES: dict[str, tuple[str, dict[str, Any], bool]] = {
    "long rope": (
        "Phi3Config",
        {"original_max_position_embeddings": 16, "rope_parameters": LONG_ROPE | {"original_max_position_embeddings": 16}},
        True,
    ),
    "dynamic rope": (
        "LlamaConfig",
        {"max_position_embeddings": 16, "rope_parameters": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}},
        True,
    ),
    "sliding window": ("MistralConfig", {"sliding_window": 8}, True),
    "bamba": ("BambaConfig", MAMBA | {"attn_layer_indices": [1]}, True),
    "xlstm": ("xLSTMConfig", {"num_heads": 4, "head_dim": 8}, False),
    "minimax": (
        "MiniMaxConfig",
        {"num_local_experts": 2, "num_experts_per_tok": 1, "head_dim": 8, "block_size": 8}
        | {"layer_types": ["linear_attention", "full_attention", "linear_attention"]},
        False,
    ),
}


def network_of(name: str) -> Any:
    config, own, _cached = CASES[name]
    torch.manual_seed(0)
    network = transformers.AutoModelForCausalLM.from_config(getattr(transformers, config)(**(SHAPE | SIZES | own)))
    widen(network)
    return network.eval()


@pytest.mark.parametrize("name", some(CASES, set(CASES) - {"xlstm"}))
def test_cached_steps_are_plain_passes_in_both_directions(name: str) -> None:
    network = network_of(name)
    backend = TransformersBackend.checked(network, np.arange(16))
    assert backend.is_cached == CASES[name][2]
    engine, cache = Engine(backend, torch.device("cpu"), 300), KVCache()
    ids = np.random.default_rng(1).integers(3, 200, 30)
    for stop in (10, *range(11, 21), 13, 14, 19, 20):
        logits = engine.forward(ids[:stop], cache).logits.values
        with torch.inference_mode():
            network(torch.zeros((1, 1), dtype=torch.int64), use_cache=False)  # the factors of a longer text are forgotten
            plain = network(torch.from_numpy(ids[:stop])[None], use_cache=False).logits[0, -1]
        assert torch.softmax(logits, 0).numpy() == pytest.approx(torch.softmax(plain, 0).numpy(), abs=2e-5), stop


def test_a_step_that_only_needs_one_token_still_uses_the_cache() -> None:
    engine, cache = Engine(TransformersBackend(network_of("long rope")), torch.device("cpu"), 300), KVCache()
    reused = [engine.forward(np.arange(stop), cache).reused_tokens for stop in range(14, 20)]
    assert reused == [0, 14, 15, 0, 17, 18], "the keys are computed again once, where the factors change"


def test_lengths_that_are_rotated_alike() -> None:
    long, dynamic = (RotaryLengths.of(network_of(name).config) for name in ("long rope", "dynamic rope"))
    assert [long.factors(length) == 0 for length in (1, 16, 17, 60)] == [True, True, False, False]
    assert long.factors(17) == long.factors(60) and dynamic.factors(17) != dynamic.factors(18)
    assert RotaryLengths.of(network_of("bamba").config).factors(10**9) == 0


def test_a_device_without_memory_and_numbers_that_are_none_do_not_switch_the_cache_off(monkeypatch: pytest.MonkeyPatch) -> None:
    network = network_of("sliding window")
    with torch.no_grad():
        network.lm_head.weight.fill_(float("nan"))
    assert TransformersBackend.checked(network, np.arange(16)).is_cached, "NaN has an error of its own"

    def full(self: TransformersBackend, token_ids: np.ndarray, state: Any) -> torch.Tensor:
        if state is not None:
            raise torch.OutOfMemoryError("out of memory")
        return torch.zeros(300)

    monkeypatch.setattr(TransformersBackend, "run", full)
    with pytest.raises(torch.OutOfMemoryError):
        TransformersBackend.checked(network, np.arange(16))
