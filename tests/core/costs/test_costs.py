"""The cost of a token: every formula against torch's flop counter, the tensors of real caches, and examples worked by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from torch.utils.flop_counter import FlopCounterMode
from transformers.cache_utils import DynamicCache

from core.costs.operations_and_bytes import (
    CARDS,
    MODELS,
    ModelShape,
    answer_multiply_adds,
    attention_multiply_adds,
    cache_bytes,
    forecast,
    multiply_adds,
    pass_bytes,
    pass_multiply_adds,
    readers_that_fit,
    weight_bytes,
)
from core.errors import BadSetting
from tests.core.refusals import one_sentence
from tests.tiny_models import ARCHITECTURES, some

LLAMA_70B = MODELS["llama-3.1-70b"].shape
RECURRENT = {"mamba", "lfm2", "falcon_h1", "qwen3_next"}  # scans and convolutions are no matrices
# Gemma 3n multiplies activations with each other; transformers computes every expert of Llama 4 for every token.
ATTENTION_ONLY = [name for name in ARCHITECTURES if name not in RECURRENT | {"gemma3n", "llama4_text"}]


@pytest.fixture(scope="module")
def open_network(tiny_folder: Callable[[str], Path]) -> Callable[[str], Any]:
    """The network with attention and experts written out in plain operations, so that torch's flop counter sees all of them."""

    def load(architecture: str) -> Any:
        network = transformers.AutoModelForCausalLM.from_pretrained(tiny_folder(architecture), attn_implementation="eager").eval()
        if hasattr(network, "set_experts_implementation"):
            network.set_experts_implementation("eager")
        return network

    return cache(load)


def flops(network: Any, tokens: int, **extra: Any) -> int:
    with FlopCounterMode(display=False) as counter, torch.inference_mode():
        network(torch.arange(10, 10 + tokens)[None], logits_to_keep=1, **extra)
    counts = counter.get_flop_counts()["Global"]
    return sum(count for operation, count in counts.items() if "convolution" not in str(operation))


@pytest.mark.parametrize("architecture", some(ATTENTION_ONLY))
def test_multiply_adds_of_one_token_are_what_torch_counts(architecture: str, open_network: Any) -> None:
    network = open_network(architecture)
    shape, held = ModelShape.of(network), DynamicCache(config=network.config)
    flops(network, 12, past_key_values=held, use_cache=True)
    for position in (13, 14):  # behind a window of 8, too
        counted = flops(network, 1, past_key_values=held, use_cache=True)
        assert 2 * multiply_adds(shape, position) == 2 * pass_multiply_adds(shape, 1, position - 1) == counted


@pytest.mark.parametrize("architecture", some([name for name in ATTENTION_ONLY if "sliding_window" not in ARCHITECTURES[name][1]]))
def test_multiply_adds_of_a_prefill_are_what_torch_counts_less_the_masked_half(architecture: str, open_network: Any) -> None:
    network, count = open_network(architecture), 9
    shape = ModelShape.of(network)
    per_pair = attention_multiply_adds(shape, 1)
    masked = count * (count - 1) // 2 * per_pair
    assert 2 * (pass_multiply_adds(shape, count) + masked) == flops(network, count, use_cache=False)


def multiplications_of_a_scan(state: int, inner: int, kernel: int) -> int:
    """Mamba's recurrence for one token, written out number by number; every product counts, an addition that follows one does not."""
    count = 0
    for _channel in range(inner):
        count += kernel  # the convolution's window
        for _number in range(state):
            count += 1  # decay: step x A
            count += 1  # input: (step x input) x B
            count += 1  # state x decay, plus input
            count += 1  # readout: state x C, summed
    return count


def test_the_scan_of_a_recurrent_model_counts(open_network: Any) -> None:
    network = open_network("mamba")
    config, shape = network.config, ModelShape.of(network)
    scan = config.num_hidden_layers * multiplications_of_a_scan(config.state_size, config.intermediate_size, config.conv_kernel)
    assert shape.scan_multiply_adds == scan > 0
    assert multiply_adds(shape, 1) == shape.matrix_parameters + scan
    assert pass_multiply_adds(shape, 7) == 7 * (shape.attention_parameters + scan) + shape.head_parameters
    with torch.device("meta"):
        real = ModelShape.of(transformers.AutoModelForCausalLM.from_config(transformers.MambaConfig()))
    # mamba-130m: 24 layers, 1,536 channels, 16 numbers each, windows of 4
    assert real.scan_multiply_adds == 32 * 1536 * (4 * 16 + 4)


def held_bytes(layer: Any) -> int:
    """The bytes of all tensors of one layer of transformers' cache."""
    kept = [getattr(layer, name, None) for name in ("keys", "values", "indexer_keys")]
    kept += [state for name in ("conv_states", "recurrent_states") for state in (getattr(layer, name, None) or {}).values()]
    return sum(tensor.nbytes for tensor in kept if tensor is not None)


@pytest.mark.parametrize("architecture", some(ARCHITECTURES, {"gpt2", "gemma2", "mixtral", "mamba", "gemma4", "falcon_h1"}))
def test_cache_bytes_are_those_of_the_tensors(architecture: str, plain: Any) -> None:
    network = plain(architecture)
    shape = ModelShape.of(network)
    name = "cache_params" if architecture == "mamba" else "past_key_values"
    for count in (1, 6, 7, 8, 9, 20):
        kept = DynamicCache(config=network.config)
        with torch.inference_mode():
            network(torch.arange(count)[None], use_cache=True, **{name: kept})
        assert cache_bytes(shape, count, 4) == sum(map(held_bytes, kept.layers)) > 0


def test_a_pass_is_the_sum_of_its_positions() -> None:
    for name in ("llama-3.1-8b", "gemma-2-9b", "mixtral-8x7b"):
        shape = MODELS[name].shape
        for computed, reused in ((1, 0), (5000, 0), (3, 4094), (200, 4200)):
            singly = sum(multiply_adds(shape, reused + index) for index in range(1, computed + 1))
            assert pass_multiply_adds(shape, computed, reused) == singly - (computed - 1) * shape.head_parameters
    assert pass_multiply_adds(LLAMA_70B, 0, 10) == 0


def test_bytes_of_a_pass_by_hand() -> None:
    llama = MODELS["llama-2-7b"].shape
    matrices = 32 * (4 * 4096**2 + 3 * 4096 * 11008) + 32000 * 4096
    assert pass_bytes(llama, 1, 100, 2, 2) == 2 * (matrices + 4096) + 100 * 524_288
    mixtral = MODELS["mixtral-8x7b"].shape
    one, few, many = (pass_bytes(mixtral, count, 0, 2, 2) for count in (1, 2, 1000))
    assert one == 2 * (mixtral.matrix_parameters + 4096)
    assert one < few < many
    assert many == 2 * (mixtral.matrix_parameters + mixtral.feed_forward_parameters - mixtral.active_feed_forward_parameters + 4096_000)


@pytest.mark.parametrize(("tokens", "share"), [(1, 0.0), (2, 0.25), (4, 1 - 0.75**3), (8, 1 - 0.75**7)])
def test_tokens_that_choose_experts_independently_share_some_of_them(tokens: int, share: float) -> None:
    """Mixtral has 8 experts, and each token uses 2. At 4 tokens they use 58 % of the experts that one token leaves idle, not all."""
    mixtral = MODELS["mixtral-8x7b"].shape
    idle = mixtral.feed_forward_parameters - mixtral.active_feed_forward_parameters
    least = pass_bytes(mixtral, tokens, 0, 2, 2, all_choose_the_same=True)
    assert least == 2 * (mixtral.matrix_parameters + 4096 * tokens)
    assert pass_bytes(mixtral, tokens, 0, 2, 2) - least == pytest.approx(2 * idle * share, rel=1e-9)
    draw = np.random.default_rng(0)
    used = np.mean([len({expert for _token in range(tokens) for expert in draw.permutation(8)[:2]}) for _each in range(4000)])
    assert (used - 2) / 6 == pytest.approx(share, abs=0.02)


def test_readers_that_fit_by_hand() -> None:
    llama = MODELS["llama-3.1-8b"].shape
    memory = weight_bytes(llama, 2) + 10 * 4096 * 131_072
    assert readers_that_fit(llama, memory, 4096, 2, 2) == 10
    assert readers_that_fit(llama, memory - 1, 4096, 2, 2) == 9
    assert readers_that_fit(llama, memory, 4096, 2, 1) == 20
    assert readers_that_fit(llama, 1e9, 4096, 2, 2) == 0


@pytest.mark.parametrize("wrong", [-1, 1.5, math.nan, math.inf, -math.inf, 10**30, "12", None, True])
def test_impossible_counts_get_one_sentence(wrong: Any) -> None:
    for formula in (
        lambda: multiply_adds(LLAMA_70B, wrong),
        lambda: pass_multiply_adds(LLAMA_70B, wrong),
        lambda: cache_bytes(LLAMA_70B, wrong, 2),
        lambda: answer_multiply_adds(LLAMA_70B, 1, wrong),
        lambda: forecast(LLAMA_70B, wrong, 5, CARDS["h100"]),
    ):
        with one_sentence(BadSetting):
            formula()


def test_a_forecast_by_hand() -> None:
    """One token behind another on one H100: memory is the bottleneck, and the 8-billion model takes 16 GB / 3.35 TB/s."""
    llama, card = MODELS["llama-3.1-8b"].shape, CARDS["h100"]
    alone = forecast(llama, 1, 1, card)
    moved = pass_bytes(llama, 1, 0, 2, 2)
    assert (alone.cards, alone.bytes_read) == (1, moved)
    assert alone.seconds == pytest.approx(moved / 3350e9)
    assert alone.watt_hours == pytest.approx(700 * alone.seconds / 3600)
    large = forecast(MODELS["llama-3.1-405b"].shape, 10, 20, card)
    assert large.cards == 16  # 812 GB are eleven cards' worth, and no one can split 128 heads over eleven
    assert large.multiply_adds == answer_multiply_adds(MODELS["llama-3.1-405b"].shape, 10, 20)
    long_prompt = forecast(llama, 100_000, 1, card)
    assert long_prompt.seconds == pytest.approx(2 * long_prompt.multiply_adds / card.flops)  # arithmetic is the bottleneck
