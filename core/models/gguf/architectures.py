"""Which GGUF files are read here, and where each of their tensors has its place in transformers' network.

A file is read here only if all of its metadata and all of its tensors have a known place in the network. Everything else is for
llama-server. The names of the networks are written down here, because importing a network takes seconds and `why_not_here` is asked
before anything is loaded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from core.message import Message
from core.models.gguf.header import Header
from core.models.gguf.tokenizer import special_id, why_no_tokenizer

_NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_HEAD_NORMS = {"attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm"}
_GEMMA_NAMES = {
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_GPT2_NAMES = {
    "token_embd": "transformer.wte",
    "position_embd": "transformer.wpe",
    "output_norm": "transformer.ln_f",
    "output": "lm_head",
    "attn_norm": "ln_1",
    "attn_qkv": "attn.c_attn",
    "attn_output": "attn.c_proj",
    "ffn_norm": "ln_2",
    "ffn_up": "mlp.c_fc",
    "ffn_down": "mlp.c_proj",
}
_KEYS = {
    "block_count": "num_hidden_layers",
    "context_length": "max_position_embeddings",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps",
    "attention.key_length": "head_dim",
}
_GPT2_KEYS = {
    "block_count": "n_layer",
    "context_length": "n_positions",
    "embedding_length": "n_embd",
    "feed_forward_length": "n_inner",
    "attention.head_count": "n_head",
    "attention.layer_norm_epsilon": "layer_norm_epsilon",
}
_REQUIRED = ("block_count", "context_length", "embedding_length", "feed_forward_length", "attention.head_count")
# transformers has the biases of a group together; a file can have some of them.
_ATTENTION_BIASES: dict[str, tuple[str, ...]] = {"attention_bias": ("attn_q", "attn_k", "attn_v", "attn_output")}
_BIASES = _ATTENTION_BIASES | {"mlp_bias": ("ffn_gate", "ffn_up", "ffn_down")}
_OUTER = ("token_embd", "position_embd", "output_norm", "output")
_PART = re.compile(r"(?:blk\.(0|[1-9][0-9]*)\.)?(\w+)\.(weight|bias)")


@dataclass(frozen=True, slots=True)
class Family:
    """How transformers names an architecture of llama.cpp. keys: of the metadata, and of config.json. fixed: further values of config.json.

    biases: parts of a layer that can have a bias, by the value of config.json that adds it to all of them. always: parts that have one
    without such a value. allowed: metadata that has no effect on the network or is read by `config_of`.
    """

    model_type: str
    names: dict[str, str]
    keys: dict[str, str]
    fixed: dict[str, Any] = field(default_factory=dict)
    biases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    always: tuple[str, ...] = ()
    allowed: frozenset[str] = frozenset({"rope.freq_base", "rope.dimension_count", "attention.value_length", "vocab_size"})
    layers: str = "model.layers"


_GPT2_BIASES = ("attn_norm", "attn_qkv", "attn_output", "ffn_norm", "ffn_up", "ffn_down", "output_norm")
FAMILIES = {
    "llama": Family("llama", _NAMES, _KEYS, biases=_BIASES),
    "qwen2": Family("qwen2", _NAMES, _KEYS, {"use_sliding_window": False}, always=("attn_q", "attn_k", "attn_v")),
    "qwen3": Family("qwen3", _NAMES | _HEAD_NORMS, _KEYS, {"use_sliding_window": False}, _ATTENTION_BIASES),
    "gemma3": Family(
        "gemma3_text",
        _NAMES | _HEAD_NORMS | _GEMMA_NAMES,
        _KEYS | {"attention.sliding_window": "sliding_window"},
        {"query_pre_attn_scalar": 256, "hidden_activation": "gelu_pytorch_tanh"},
    ),
    "gpt2": Family("gpt2", _GPT2_NAMES, _GPT2_KEYS, always=_GPT2_BIASES, layers="transformer.h"),
}


def why_not_here(header: Header) -> Message | None:
    """Return why this file cannot be read here, as the second half of a sentence; None if it can."""
    family, name = FAMILIES.get(header.architecture), header.architecture
    if family is None:
        return Message("this app cannot read its architecture {architecture}", architecture=name or "?")
    for key, value in header.metadata.items():
        if key.startswith(f"{name}."):
            field = key.removeprefix(f"{name}.")
            if not (field in family.allowed or field in family.keys or _no_effect(field, value)):
                return Message("this app does not support its setting {key}", key=key)
            if field in family.keys and (isinstance(value, bool) or not isinstance(value, int | float)):
                return Message("this app does not support its setting {key}", key=key)
    if any(header.number(key) < 1 for key in _REQUIRED):
        return Message("it does not state all sizes of its network")
    heads = _head_size(header)
    if name != "gpt2" and not all(header.number(key, heads) == heads for key in ("rope.dimension_count", "attention.value_length")):
        return Message("its attention heads have different sizes")
    if name == "gemma3" and heads != 256:
        return Message("this app cannot read its architecture {architecture}", architecture=name)
    unknown = next((tensor.name for tensor in header.tensors if place_of(family, tensor.name) is None), None)
    if unknown is not None:
        return Message("this app does not support its tensor {tensor}", tensor=unknown)
    packed = next((kind for kind in dict.fromkeys(tensor.kind for tensor in header.tensors) if not _is_readable(kind)), None)
    if packed is not None:
        return Message("this app cannot unpack its format {format}", format=packed)
    return why_no_tokenizer(header.metadata)


@cache
def _is_readable(kind: str) -> bool:
    """Return whether the `gguf` package can unpack this format."""
    from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
    from gguf.quants import dequantize

    if kind == "F64":
        return True
    _block, size = GGML_QUANT_SIZES[GGMLQuantizationType[kind]]
    try:
        dequantize(np.zeros((1, size), np.uint8), GGMLQuantizationType[kind])
    except NotImplementedError:
        return False
    return True


def _no_effect(key: str, value: Any) -> bool:
    """Return whether this setting has its neutral value."""
    neutral = {"rope.scaling.type": "none", "rope.scaling.factor": 1.0, "rope.scale_linear": 1.0, "expert_count": 0}
    neutral |= {"expert_used_count": 0, "attention.causal": True, "attention.max_alibi_bias": 0.0, "attention.clamp_kqv": 0.0}
    return key in neutral and value == neutral[key]


def _head_size(header: Header) -> int:
    return int(header.number("attention.key_length") or header.number("embedding_length") // max(1, header.number("attention.head_count")))


def place_of(family: Family, name: str) -> str | None:
    """Return the name in transformers of a tensor in the file; None for an unknown one."""
    match = _PART.fullmatch(name)
    if match is None or match[2] not in family.names or (match[1] is None) != (match[2] in _OUTER):
        return None
    if match[3] == "bias" and not any(match[2] in parts for parts in (family.always, *family.biases.values())):
        return None
    layer = "" if match[1] is None else f"{family.layers}.{match[1]}."
    return f"{layer}{family.names[match[2]]}.{match[3]}"


def config_of(header: Header) -> dict[str, Any]:
    """Return config.json for a file that `why_not_here` accepts.

    transformers' own reader takes the head size of Qwen 3, the context of GPT-2 and the biases of Llama from its defaults.
    """
    family, prefix = FAMILIES[header.architecture], header.architecture
    config: dict[str, Any] = {"model_type": family.model_type, **family.fixed}
    for key, name in family.keys.items():
        value = header.metadata.get(f"{prefix}.{key}")
        if value is not None:
            config[name] = value
    names = {tensor.name for tensor in header.tensors}
    config["tie_word_embeddings"] = "output.weight" not in names
    config["vocab_size"] = next((tensor.shape[0] for tensor in header.tensors if tensor.name == "token_embd.weight"), 0)
    config["eos_token_id"] = special_id(header.metadata, "eos")
    config["bos_token_id"] = special_id(header.metadata, "bos")
    if prefix == "gpt2":
        return config
    config.setdefault("head_dim", _head_size(header))
    config.setdefault("num_key_value_heads", config["num_attention_heads"])
    theta = float(header.number("rope.freq_base", 10_000.0))
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": theta}
    if prefix == "gemma3":  # llama.cpp turns the windowed layers by the base 10,000; every sixth layer sees the whole text
        rope = {"full_attention": rope, "sliding_attention": {"rope_type": "default", "rope_theta": 10_000.0}}
        count = int(config["num_hidden_layers"])
        config["layer_types"] = ["full_attention" if (layer + 1) % 6 == 0 else "sliding_attention" for layer in range(count)]
    config["rope_parameters"] = rope
    for key, parts in _bias_groups(header).items():
        config[key] = bool(parts)
    return config


def _bias_groups(header: Header) -> dict[str, tuple[str, ...]]:
    """Return the parts of a layer that have biases in the network, by the name of the setting; () for a group without any in the file."""
    named = {tensor.name.split(".")[-2] for tensor in header.tensors if tensor.name.endswith(".bias")}
    return {key: parts if named & set(parts) else () for key, parts in FAMILIES[header.architecture].biases.items()}


def bias_shapes(header: Header) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all biases of the groups that the network has, by their names in transformers."""
    family, parts = FAMILIES[header.architecture], {part for group in _bias_groups(header).values() for part in group}
    weights = [tensor for tensor in header.tensors if tensor.name.endswith(".weight") and tensor.name.split(".")[-2] in parts]
    return {str(place_of(family, f"{tensor.name.removesuffix('weight')}bias")): tensor.shape[:1] for tensor in weights}
