"""The shape of a model against its own tensors and against transformers' networks built without memory."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from transformers.cache_utils import DynamicCache

from core import load_model
from core.backends.cache_bytes import cache_tensors
from core.costs.operations_and_bytes import cache_bytes, multiply_adds, pass_multiply_adds
from core.costs.published import MODELS
from core.engine.attention_layers import AttentionLayers
from core.engine.shape import ModelShape
from core.remote.server_model import served_shape
from tests.tiny_models import ARCHITECTURES, CONTEXT, GROUPED, byte_level_tokenizer, some

COUNTED = (
    "attention_parameters",
    "feed_forward_parameters",
    "active_feed_forward_parameters",
    "expert_count",
    "active_experts",
    "tied_embeddings",
)


# Their configurations do not tell all matrices.
ESTIMATED = {"gemma4", "gemma3n", "llama4_text", "deepseek_v32", "falcon_h1", "qwen3_next"}


@pytest.mark.parametrize("architecture", some(sorted(set(ARCHITECTURES) - ESTIMATED)))
def test_the_shape_from_the_config_has_the_matrices_of_the_tensors(architecture: str, plain: Any) -> None:
    network = plain(architecture)
    said, counted = ModelShape.from_config(network.config), ModelShape.of(network)
    assert {name: getattr(said, name) for name in COUNTED} == {name: getattr(counted, name) for name in COUNTED}
    assert counted.parameter_count == sum(weight.numel() for weight in network.parameters())
    assert counted.small_parameters > 0


def test_a_plain_network_whose_modules_hand_on_a_parameter_is_known() -> None:
    """torch's counter fails in inference mode on the biases that GPT-NeoX-Japanese's attention returns."""
    config = transformers.GPTNeoXJapaneseConfig(
        hidden_size=32, num_hidden_layers=3, num_attention_heads=4, intermediate_multiple_size=3, vocab_size=360, max_position_embeddings=64
    )
    network = transformers.AutoModelForCausalLM.from_config(config)
    stated, counted = ModelShape.from_config(config), ModelShape.of(network)
    assert counted.cache_known and counted.work_known and counted.is_uniform
    assert counted.cache_numbers_per_token == 3 * 2 * 32
    assert {name: getattr(stated, name) for name in COUNTED} == {name: getattr(counted, name) for name in COUNTED}


def test_a_token_meets_two_of_four_experts_and_the_router(plain: Any) -> None:
    shape = ModelShape.from_config(plain("mixtral").config)
    one_expert, router, layers = 3 * 32 * 48, 32 * 4, 3
    assert shape.feed_forward_parameters == layers * (4 * one_expert + router)
    assert shape.active_feed_forward_parameters == layers * (2 * one_expert + router)


LLAMAS = {
    "smollm2-135m": dict(num_hidden_layers=30, hidden_size=576, num_attention_heads=9, num_key_value_heads=3, intermediate_size=1536)
    | dict(vocab_size=49152, tie_word_embeddings=True, max_position_embeddings=8192),
    "llama-2-7b": dict(num_hidden_layers=32, hidden_size=4096, num_attention_heads=32, intermediate_size=11008, vocab_size=32000)
    | dict(max_position_embeddings=4096),
    "llama-3.1-8b": dict(num_hidden_layers=32, hidden_size=4096, num_attention_heads=32, num_key_value_heads=8, intermediate_size=14336)
    | dict(vocab_size=128256, max_position_embeddings=131072),
    "llama-3.1-70b": dict(num_hidden_layers=80, hidden_size=8192, num_attention_heads=64, num_key_value_heads=8, intermediate_size=28672)
    | dict(vocab_size=128256, max_position_embeddings=131072),
    "llama-3.1-405b": dict(num_hidden_layers=126, hidden_size=16384, num_attention_heads=128, num_key_value_heads=8)
    | dict(intermediate_size=53248, vocab_size=128256, max_position_embeddings=131072),
}
PUBLISHED: dict[str, Any] = {name: ("LlamaConfig", numbers) for name, numbers in LLAMAS.items()} | {
    "gpt-2": ("GPT2Config", {}),
    "mistral-7b": ("MistralConfig", dict(vocab_size=32768, max_position_embeddings=32768, sliding_window=None)),
    "mixtral-8x7b": ("MixtralConfig", dict(max_position_embeddings=32768)),
    "gemma-2-9b": (
        "Gemma2Config",
        dict(num_hidden_layers=42, hidden_size=3584, num_attention_heads=16, num_key_value_heads=8, head_dim=256)
        | dict(intermediate_size=14336, vocab_size=256000, sliding_window=4096, max_position_embeddings=8192),
    ),
    "gpt-oss-120b": ("GptOssConfig", dict(num_local_experts=128, max_position_embeddings=131072)),
}


@pytest.mark.parametrize("name", some(MODELS, ("gpt-2", "mixtral-8x7b")))
def test_published_shapes_are_those_that_transformers_builds(name: str) -> None:
    kind, numbers = PUBLISHED[name]
    config = getattr(transformers, kind)(**numbers)
    with torch.device("meta"):
        network = transformers.AutoModelForCausalLM.from_config(config)
    assert MODELS[name].shape == ModelShape.of(network)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("gpt-2", 124_439_808), ("llama-2-7b", 6_738_415_616), ("llama-3.1-70b", 70_553_706_496), ("mixtral-8x7b", 46_702_792_704)],
)
def test_published_sizes_are_those_of_their_makers(name: str, parameters: int) -> None:
    assert MODELS[name].shape.parameter_count == parameters


@pytest.mark.parametrize("architecture", some(["mamba", "lfm2", "falcon_h1", "qwen3_next"], {"mamba", "falcon_h1"}))
def test_a_loaded_model_counts_its_recurrent_states(architecture: str, tiny_folder: Any) -> None:
    model = load_model(tiny_folder(architecture))
    network, cache = model.load_network(), DynamicCache(config=model.load_network().config)
    with torch.inference_mode():
        network(torch.arange(6)[None], use_cache=True, **{"cache_params" if architecture == "mamba" else "past_key_values": cache})
    states = [getattr(layer, name, None) or {} for layer in cache.layers for name in ("conv_states", "recurrent_states")]
    assert model.shape.state_numbers == sum(state.numel() for kept in states for state in kept.values() if state is not None) > 0
    assert model.shape.scan_multiply_adds > 0
    assert model.shape.work_known and model.shape.cache_known


# Two attentions subtracted from each other; experts computed for every token; layers used again, with two caches each.
DIFFERENT: dict[str, tuple[str, dict[str, Any]]] = {
    "diffllama": ("DiffLlamaConfig", GROUPED),
    "llama4_text": ARCHITECTURES["llama4_text"],
    "jetmoe": ("JetMoeConfig", GROUPED | {"kv_channels": 8, "num_local_experts": 4}),
    "hrm_text": ("HrmTextConfig", GROUPED),
    "rwkv": ("RwkvConfig", {"hidden_size": 32, "num_hidden_layers": 3}),
}


@pytest.mark.parametrize("architecture", DIFFERENT)
def test_work_that_torch_counts_otherwise_is_not_known(architecture: str) -> None:
    name, settings = DIFFERENT[architecture]
    with torch.device("meta"):
        network = transformers.AutoModelForCausalLM.from_config(getattr(transformers, name)(**({"vocab_size": 365} | settings)))
    shape = ModelShape.of(network)
    assert math.isnan(multiply_adds(shape, 10)) and math.isnan(pass_multiply_adds(shape, 3, 4))
    assert shape.cache_known == (architecture in ("diffllama", "llama4_text"))
    assert math.isnan(cache_bytes(shape, 5, 4)) or shape.cache_known


@pytest.mark.parametrize("architecture", DIFFERENT)
def test_the_shape_of_a_served_model_is_checked_too(architecture: str) -> None:
    name, settings = DIFFERENT[architecture]
    shape = served_shape(getattr(transformers, name)(**({"vocab_size": 365} | settings)))
    assert shape is not None
    assert math.isnan(multiply_adds(shape, 10))


def test_the_shape_of_a_served_model_counts_its_recurrent_states(plain: Any) -> None:
    config = plain("falcon_h1").config
    served = served_shape(config)
    assert served is not None and served == ModelShape.of(plain("falcon_h1")) and served.state_numbers > 0


@pytest.mark.parametrize("hostile", [{"num_hidden_layers": 10**9}, {"num_local_experts": 10**9}])
def test_a_served_model_of_impossible_size_has_no_shape(hostile: dict[str, int]) -> None:
    assert served_shape(transformers.MixtralConfig(**(GROUPED | hostile))) is None


def test_experts_of_the_configuration_alone_do_not_count(tmp_path: Path) -> None:
    """Doge's configuration counts 16,384 experts, which only its mixture of experts has."""
    network = transformers.AutoModelForCausalLM.from_config(transformers.DogeConfig(vocab_size=365, **GROUPED))
    network.save_pretrained(tmp_path)
    byte_level_tokenizer().save_pretrained(tmp_path)
    shape = load_model(tmp_path).shape
    assert (shape.expert_count, shape.active_experts) == (0, 0)
    assert shape.parameter_count == sum(weight.numel() for weight in network.parameters())


SMALL = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4}


# Tables of embeddings with more rows than the vocabulary, or of another width than the layers.
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("CpmAntConfig", SMALL | {"dim_head": 8, "dim_ff": 48}),
        ("RemBertConfig", SMALL | {"intermediate_size": 48, "is_decoder": True}),
        ("ElectraConfig", SMALL | {"embedding_size": 8, "is_decoder": True}),
    ],
)
def test_a_shape_counts_every_parameter_of_its_network(name: str, settings: dict[str, Any]) -> None:
    with torch.device("meta"):
        network = transformers.AutoModelForCausalLM.from_config(getattr(transformers, name)(vocab_size=365, **settings))
    assert ModelShape.of(network).parameter_count == sum(weight.numel() for weight in network.parameters())


@pytest.mark.parametrize("name", ["RobertaConfig", "CamembertConfig", "XLMRobertaConfig", "Data2VecTextConfig"])
def test_positions_that_begin_behind_the_padding_id_shorten_the_context(name: str) -> None:
    config = getattr(transformers, name)(vocab_size=365, max_position_embeddings=20, is_decoder=True, pad_token_id=1, **SMALL)
    network = transformers.AutoModelForCausalLM.from_config(config).eval()
    length = ModelShape.of(network).context_length
    network(torch.full((1, length), 5), use_cache=False)
    with pytest.raises((IndexError, RuntimeError)):
        network(torch.full((1, length + 1), 5), use_cache=False)


def test_a_model_that_runs_without_a_cache_shows_none(tmp_path: Path) -> None:
    settings = {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": CONTEXT}
    words = byte_level_tokenizer()
    config = transformers.OpenAIGPTConfig(vocab_size=len(words) + 5, bos_token_id=None, **settings)
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(tmp_path)
    words.save_pretrained(tmp_path)
    model = load_model(tmp_path)
    assert model.cache_bytes_per_token == cache_bytes(model.shape, 20, 4) == 0
    assert model.shape.attention_layers == 3
    assert model.shape.work_known


def test_compressed_keys_are_tensors_of_a_cache_too() -> None:
    settings = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "n_routed_experts": 4, "num_experts_per_tok": 2}
    config = transformers.DeepseekV4Config(vocab_size=365, **settings)
    with torch.device("meta"):
        network = transformers.AutoModelForCausalLM.from_config(config).eval()
        network.set_attn_implementation("eager")
        network.set_experts_implementation("batched_mm")
        cache = DynamicCache(config=config)
        network(torch.zeros(1, 40, dtype=torch.long), past_key_values=cache, use_cache=True)
    kept = {id(state) for layer in cache.layers for state in cache_tensors(layer)}
    layers = [layer for layer in cache.layers if hasattr(layer, "compressed_kv")]
    named = [state for layer in layers for states in (layer.compressed_kv, layer.buffer_kv) for state in states.values()]
    assert named and all(id(state) in kept for state in named if state is not None)
    assert all(sum(state is layer.keys for state in cache_tensors(layer)) == 1 for layer in layers)  # values are the same tensor
    assert not ModelShape.of(network).cache_known


def test_a_network_that_cannot_run_without_memory_is_measured_itself() -> None:
    name, settings = DIFFERENT["jetmoe"]
    network = transformers.AutoModelForCausalLM.from_config(getattr(transformers, name)(**({"vocab_size": 365} | settings))).eval()
    shape = ModelShape.of(network)
    assert shape.cache_known and shape.is_uniform and not shape.work_known


@pytest.mark.parametrize("window", [None, 1, 5, 8])
def test_the_positions_of_a_pass_are_those_of_its_tokens_added_up(window: int | None) -> None:
    group = AttentionLayers(1, 1, 1, window)
    for computed, reused in itertools.product(range(1, 12), range(12)):
        singly = [min(context, window or context) for context in range(reused + 1, reused + computed + 1)]
        assert group.attended_positions(computed, reused) == sum(singly)
