"""The shape of a model against its own tensors and against transformers' networks built without memory."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import transformers

from core.costs.published import MODELS
from core.engine.shape import ModelShape
from core.errors import UnknownModel
from tests.tiny_models import ARCHITECTURES, some

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
    assert ModelShape.named(name) == ModelShape.of(network)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("gpt-2", 124_439_808), ("llama-2-7b", 6_738_415_616), ("llama-3.1-70b", 70_553_706_496), ("mixtral-8x7b", 46_702_792_704)],
)
def test_published_sizes_are_those_of_their_makers(name: str, parameters: int) -> None:
    assert ModelShape.named(name).parameter_count == parameters


def test_names_are_read_kindly_and_unknown_ones_get_one_sentence() -> None:
    assert ModelShape.named(" Llama-3.1-70B ") == ModelShape.named("llama-3.1-70b")
    for wrong in ("", "llama-9", "x" * 10_000, "<script>", None):
        with pytest.raises(UnknownModel, match=r"is not a published shape\. Known shapes: gpt-2, .*llama-3.1-70b"):
            ModelShape.named(wrong)  # type: ignore[arg-type]
