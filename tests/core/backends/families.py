"""Small networks of every family that `FastDecoder` knows, with all weights drawn at random."""

from __future__ import annotations

from typing import Any

import torch
import transformers

SHAPE = {
    "vocab_size": 211,
    "hidden_size": 48,
    "intermediate_size": 80,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "max_position_embeddings": 1024,
}
MANY = 256  # tokens; the arrays have grown a few times by then
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 256}
HALF = {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5}}
GPT2 = {"n_embd": 48, "n_layer": 3, "n_head": 6, "n_positions": 1024}
WINDOW = 9  # tokens, so that it slides soon
TWO_KINDS = {"layer_types": ["sliding_attention", "full_attention", "sliding_attention"], "sliding_window": WINDOW}
GRANITE = {"embedding_multiplier": 3.0, "attention_multiplier": 0.2, "residual_multiplier": 0.7, "logits_scaling": 2.0}
ACCEPTED: dict[str, tuple[str, dict[str, Any]]] = {
    "grouped queries, tied": ("Llama", {"tie_word_embeddings": True}),
    "one key-value head": ("Llama", {"num_key_value_heads": 1}),
    "as many key-value heads": ("Llama", {"num_key_value_heads": 6}),
    "one head": ("Llama", {"num_attention_heads": 1, "num_key_value_heads": 1}),
    "wide heads": ("Llama", {"head_dim": 24}),
    "biases": ("Llama", {"attention_bias": True, "mlp_bias": True}),
    "large epsilon": ("Llama", {"rms_norm_eps": 0.1}),
    "gelu": ("Llama", {"hidden_act": "gelu"}),
    "relu": ("Llama", {"hidden_act": "relu"}),
    "theta": ("Llama", {"rope_parameters": {"rope_type": "default", "rope_theta": 1e6}}),
    "linear rope": ("Llama", {"rope_parameters": {"rope_type": "linear", "rope_theta": 1e4, "factor": 4.0}}),
    "llama3 rope": ("Llama", {"rope_parameters": LLAMA3 | {"rope_theta": 5e5}}),
    "yarn rope": ("Llama", {"rope_parameters": YARN | {"rope_theta": 1e4}}),
    "mistral": ("Mistral", {"sliding_window": None}),
    "mistral with a sliding window": ("Mistral", {"sliding_window": WINDOW}),
    "mistral that sees one token": ("Mistral", {"sliding_window": 1}),
    "qwen2": ("Qwen2", {}),
    "qwen2 with sliding windows": ("Qwen2", {"use_sliding_window": True, "sliding_window": WINDOW, "max_window_layers": 1}),
    "qwen3": ("Qwen3", {"head_dim": 16}),
    "qwen3, one head": ("Qwen3", {"head_dim": 16, "num_attention_heads": 1, "num_key_value_heads": 1}),
    "gpt2": ("GPT2", GPT2),
    "gpt2, scaled by layer": ("GPT2", GPT2 | {"scale_attn_by_inverse_layer_idx": True, "n_inner": 64}),
    "pythia": ("GPTNeoX", {}),
    "gpt-neox, one part after the other": ("GPTNeoX", HALF | {"use_parallel_residual": False}),
    "gemma": ("Gemma", {"head_dim": 8}),
    "gemma2": ("Gemma2", TWO_KINDS | {"head_dim": 8, "attn_logit_softcapping": 5.0, "final_logit_softcapping": 4.0}),
    "gemma3": ("Gemma3Text", TWO_KINDS | {"head_dim": 8}),
    "phi": ("Phi", HALF),
    "phi with head norms": ("Phi", HALF | {"qk_layernorm": True}),
    "phi3": ("Phi3", {"pad_token_id": 0}),
    "olmo2": ("Olmo2", {}),
    "stablelm": ("StableLm", HALF),
    "stablelm, parallel, norms per head": ("StableLm", HALF | {"qk_layernorm": True, "use_parallel_residual": True, "use_qkv_bias": True}),
    "smollm3": ("SmolLM3", {"no_rope_layer_interval": 2, "pad_token_id": 0}),
    "granite": ("Granite", GRANITE),
}
# One family for every kind of part: these are tried always, the others only with `-m exhaustive`.
USUAL = ["grouped queries, tied", "mistral with a sliding window", "gpt2", "gemma2"]
SLIDING = [name for name, (_, changes) in ACCEPTED.items() if changes.get("sliding_window")]


def network_of(family: str, **changes: Any) -> Any:
    """A network with every weight, bias and norm drawn at random."""
    config = getattr(transformers, f"{family}Config")(**(SHAPE | changes))
    torch.manual_seed(5)
    network = transformers.AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        for name, weight in network.named_parameters():
            weight.normal_(1.0 if "norm" in name else 0.0, 0.3 if weight.dim() == 1 else 0.15)
    return network
