"""Published shapes with random weights, in the precision in which their makers publish them, for the other benchmarks."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
import transformers

from core.backends import compiled
from core.backends.fast_decoder import FastDecoder
from core.backends.speed_trial import thread_choices
from core.engine.model import LanguageModel
from core.engine.stored_weights import keep_stored
from tests.tiny_models import byte_level_tokenizer

SMALL: dict[str, Any] = {"tie_word_embeddings": True, "max_position_embeddings": 2048}


@dataclass(frozen=True, slots=True)
class Shape:
    """A published model: its family, its numbers, and the precision of its files."""

    family: str
    config: dict[str, Any]
    stored: torch.dtype


def _llama_like(hidden: int, layers: int, heads: int, kv_heads: int, intermediate: int, vocabulary: int, **more: Any) -> dict[str, Any]:
    sizes = {"hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": kv_heads}
    return SMALL | sizes | {"intermediate_size": intermediate, "vocab_size": vocabulary} | more


GEMMA3 = {"head_dim": 256, "sliding_window": 512, "query_pre_attn_scalar": 256}
SHAPES = {
    "SmolLM2-135M": Shape("Llama", _llama_like(576, 30, 9, 3, 1536, 49152), torch.bfloat16),
    "Qwen2.5-0.5B": Shape("Qwen2", _llama_like(896, 24, 14, 2, 4864, 151936), torch.bfloat16),
    "Qwen3-0.6B": Shape("Qwen3", _llama_like(1024, 28, 16, 8, 3072, 151936, head_dim=128), torch.bfloat16),
    "Gemma-3-270M": Shape("Gemma3Text", _llama_like(640, 18, 4, 1, 2048, 262144, **GEMMA3), torch.bfloat16),
    "GPT-2": Shape("GPT2", {"vocab_size": 50257}, torch.float32),
    "Pythia-160M": Shape(
        "GPTNeoX",
        {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 50304},
        torch.float16,
    ),
}


def networks(shape: Shape) -> tuple[Any, Any]:
    """The network in float32, and the same weights as they are stored."""
    config = getattr(transformers, f"{shape.family}Config")(**shape.config)
    torch.manual_seed(0)
    plain = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
    with torch.no_grad():
        for weight in plain.parameters():
            if weight.dim() > 1:
                weight.copy_(weight.to(shape.stored))
    if shape.stored is torch.float32:
        return plain, deepcopy(plain)  # GPT-2's weights are laid out anew for us, which `generate` does not gain from
    kept = transformers.AutoModelForCausalLM.from_config(config, dtype=shape.stored).eval()
    kept.load_state_dict(plain.state_dict())
    kept.tie_weights()
    assert keep_stored(kept)
    return plain, kept


def model_of(name: str, network: Any) -> LanguageModel:
    """The model as the app has it, on compiled code where there is some, and on the threads that were measured to be fastest."""
    backend = FastDecoder.of(network)
    assert backend is not None, name
    compiled.wait()
    model = LanguageModel(name, network, byte_level_tokenizer(), backend)
    model.end_token_ids = frozenset()
    model.engine.speed = backend.choose_speed(thread_choices(model.parameter_count, model.engine.device))
    return model
