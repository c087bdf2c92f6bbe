"""Decoder families that `FastDecoder` supports: reads a transformers network into `Parts`, or returns None if a part is unknown.

Each family lists its modules. A network with any other module (an adapter, a quantized layer, a router) is not read. The result is compared
with the network's own logits before use, so a wrong reading costs speed but never changes a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from core.backends.decoder_parts import Layer, Norm, Parts, Projection, Rotary

STATIC_ROPE = ("default", "linear", "llama3", "yarn")  # in all others the frequencies depend on the length of the text
CONV1D = {"Conv1D", "StoredConv1D"}  # linear layers whose weights are [in, out]
PLAIN_PARTS = {"ModuleList", "Linear", "Embedding", "Dropout", "LayerNorm", "StoredLinear", "StoredEmbedding"} | CONV1D
ACTIVATIONS = {
    "SiLU": "silu",
    "SiLUActivation": "silu",
    "GELUActivation": "gelu",
    "NewGELUActivation": "gelu_tanh",
    "GELUTanh": "gelu_tanh",
    "ReLU": "relu",
}
STORED_TYPES = (torch.float32, torch.bfloat16, torch.float16)


@dataclass(frozen=True, slots=True)
class Family:
    """module: transformers' module with the family; own_parts: its classes, without the family's name; read: returns its `Parts`."""

    module: str
    own_parts: tuple[str, ...]
    read: Callable[[Any], Parts]


def parts_of(network: Any) -> Parts | None:
    """Return the parts of this network, or None if one of them is unknown."""
    name = type(network).__name__.removesuffix("ForCausalLM").removesuffix("LMHeadModel")
    family = FAMILIES.get(name)
    if family is None or type(network).__module__ != f"transformers.models.{family.module}.modeling_{family.module}":
        return None
    class_names = PLAIN_PARTS | set(ACTIVATIONS) | {type(network).__name__} | {name + part for part in family.own_parts}
    if not {type(module).__name__ for module in network.modules()} <= class_names or network.training:
        return None
    for weight in network.parameters():
        if type(weight) is not torch.nn.Parameter or weight.device.type != "cpu" or weight.dtype not in STORED_TYPES:
            return None
        if weight.dim() == 1 and weight.dtype is not torch.float32:
            return None
    try:
        parts = family.read(network)
    except (AttributeError, KeyError, TypeError, ValueError):  # a setting of a newer transformers, or a wrong configuration
        return None
    return parts if _consistent(parts, network) else None


def _consistent(parts: Parts, network: Any) -> bool:
    """Return whether the parts fit together, for conditions that a comparison over eight tokens does not test."""
    stored = {type(module).__name__.startswith("Stored") for module in network.modules() if hasattr(module, "weight")}
    wide = all(weight.dtype is torch.float32 for weight in network.parameters())
    if not wide and True not in stored:  # the network itself computes in 16 bits
        return False
    widths = {layer.window for layer in parts.layers if layer.window is not None}
    size = (parts.heads + 2 * parts.kv_heads) * parts.head_size
    return (
        len(widths) <= 1
        and all(width >= 1 for width in widths)
        and all(2 * len(rotary.frequencies) <= parts.head_size for rotary in parts.rotaries)
        and all(sum(part.outputs for part in layer.qkv) == size for layer in parts.layers)
        and all(norm.epsilon > 0 for layer in parts.layers for norm in (layer.attention_norm, layer.feed_forward_norm) if norm)
        and parts.norm.epsilon > 0
    )


def _norm(module: Any, one_plus: bool = False) -> Norm:
    epsilon = next(getattr(module, name) for name in ("variance_epsilon", "eps") if hasattr(module, name))
    centred = isinstance(module, torch.nn.LayerNorm)
    weight = module.weight.detach()
    bias = getattr(module, "bias", None)
    row = (1.0 + weight if one_plus else weight).numpy()[None]
    return Norm(row, None if bias is None else bias.detach().numpy()[None], float(epsilon), centred)


def _projection(module: Any, order: np.ndarray | None = None) -> Projection:
    weight, bias = module.weight.detach(), getattr(module, "bias", None)
    if type(module).__name__ in CONV1D:
        weight = weight.T
    return Projection(weight, None if bias is None else bias.detach().numpy(), order)


def _keep_outputs_together(network: Any) -> None:
    """Store GPT-2's weights [in, out] so that the weights of one output are contiguous, as in other networks' [out, in].

    The tensors look the same from outside. A product then reads them in order, and threads can divide the outputs.
    """
    for module in network.modules():
        if type(module).__name__ in CONV1D and not module.weight.T.is_contiguous():
            module.weight.data = module.weight.data.T.contiguous().T


def _activation(module: Any) -> str:
    name = type(module).__name__
    return ACTIVATIONS[name]


def _rotary(module: Any, kind: str = "") -> Rotary:
    rope = module.rope_type[kind] if kind else module.rope_type
    if rope not in STATIC_ROPE:
        raise ValueError(f"rope {rope}")
    prefix = f"{kind}_" if kind else ""
    return Rotary(getattr(module, f"{prefix}inv_freq").numpy(), float(getattr(module, f"{prefix}attention_scaling")))


def _windows(config: Any, count: int, slides: bool) -> list[int | None]:
    """Return the window of each layer. Raises ValueError for a setting that this family's own code ignores."""
    width = getattr(config, "sliding_window", None) if getattr(config, "use_sliding_window", True) else None
    kinds = getattr(config, "layer_types", None) or (["sliding_attention" if width else "full_attention"] * count)
    if not slides and (width is not None or "sliding_attention" in kinds):
        raise ValueError("a window that the network does not know")
    if not set(kinds) <= {"full_attention", "sliding_attention"} or len(kinds) != count:
        raise ValueError("another kind of attention")
    return [int(width) if kind == "sliding_attention" and width else None for kind in kinds]


def _llama_layer(layer: Any, rotary: int, window: int | None, softcap: float | None, one_plus: bool) -> Layer:
    """Return a layer of Llama or a family like it. rotary: index of its rotary factors."""
    attention, mlp = layer.self_attn, layer.mlp
    norms = [getattr(layer, name, None) for name in ("input_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm")]
    before, gate_norm, after = (None if norm is None else _norm(norm, one_plus) for norm in norms)
    middle = getattr(layer, "post_attention_layernorm", None)
    middle_norm = None if middle is None else _norm(middle, one_plus)
    post_normed = after is not None  # Gemma 2, Gemma 3 and OLMo 2 apply a norm to the output
    return Layer(
        attention_norm=before,
        qkv=_inward(attention),
        head_norms=_head_norms(attention, one_plus),
        rotary=rotary if bool(getattr(attention, "use_rope", True)) else None,
        scaling=float(attention.scaling),
        softcap=softcap,
        window=window,
        o=_projection(attention.o_proj),
        attention_post_norm=middle_norm if post_normed else None,
        feed_forward_norm=gate_norm if post_normed else middle_norm,
        gate_up=_expand(mlp),
        gated=True,
        act=_activation(mlp.act_fn if hasattr(mlp, "act_fn") else mlp.activation_fn),
        down=_projection(mlp.down_proj),
        feed_forward_post_norm=after,
        parallel=bool(getattr(layer, "use_parallel_residual", False)),
    )


def _llama_like(network: Any, *, one_plus: bool = False, slides: bool = False) -> Parts:
    """Return the parts of Llama and of families that differ in a few parts and use the same names."""
    config, model = network.config, network.model
    first = model.layers[0].self_attn
    size = first.head_dim
    windows = _windows(config, len(model.layers), slides)
    kinds = getattr(config, "layer_types", None)
    per_kind = isinstance(model.rotary_emb.rope_type, dict)
    names = sorted(set(kinds)) if per_kind and kinds else [""]
    rotaries = tuple(_rotary(model.rotary_emb, name) for name in names)
    if getattr(config, "use_bidirectional_attention", False):
        raise ValueError("tokens that look ahead")
    # Only eager attention has a soft cap. Other implementations omit or refuse it.
    capped = type(first).__name__ == "Gemma2Attention" and network.get_correct_attn_implementation(None) == "eager"
    softcap = getattr(first, "attn_logit_softcapping", None) if capped else None
    layers = []
    for index, layer in enumerate(model.layers):
        rotary = names.index(kinds[index]) if per_kind and kinds else 0
        layers.append(_llama_layer(layer, rotary, windows[index], None if softcap is None else float(softcap), one_plus))
    embedding = model.embed_tokens
    own_scale: float | None = getattr(embedding, "scalar_embed_scale", None)
    scale: Any = getattr(model, "embedding_multiplier", 1.0) if own_scale is None else own_scale
    return Parts(
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_size=size,
        embedding=embedding.weight.detach(),
        embedding_scale=float(scale),
        rotaries=rotaries,
        layers=tuple(layers),
        residual_scale=float(getattr(model.layers[0], "residual_multiplier", 1.0)),
        norm=_norm(model.norm, one_plus),
        head=_projection(network.lm_head),
        logit_scale=1.0 / float(getattr(config, "logits_scaling", 1.0)),
        logit_softcap=_positive(getattr(config, "final_logit_softcapping", None)),
    )


def _positive(number: Any) -> float | None:
    return None if number is None else float(number)


def _inward(attention: Any) -> tuple[Projection, ...]:
    names = ("qkv_proj",) if hasattr(attention, "qkv_proj") else ("q_proj", "k_proj", "v_proj")
    return tuple(_projection(getattr(attention, name)) for name in names)


def _expand(mlp: Any) -> tuple[Projection, ...]:
    names = ("gate_up_proj",) if hasattr(mlp, "gate_up_proj") else ("gate_proj", "up_proj")
    return tuple(_projection(getattr(mlp, name)) for name in names)


def _head_norms(attention: Any, one_plus: bool) -> tuple[Norm, Norm] | None:
    """Return the norms of queries and keys: one for all heads, one per head, or one over all heads at once."""
    names = next((pair for pair in (("q_norm", "k_norm"), ("q_layernorm", "k_layernorm")) if hasattr(attention, pair[0])), None)
    if names is None:
        return None
    query, key = (getattr(attention, name) for name in names)
    if hasattr(query, "norms"):
        return _per_head(query), _per_head(key)
    return _norm(query, one_plus), _norm(key, one_plus)


def _per_head(module: Any) -> Norm:
    norms = [_norm(norm) for norm in module.norms]
    if any(norm.bias is not None for norm in norms):
        raise ValueError("a bias per head")
    return Norm(np.concatenate([norm.weight for norm in norms]), None, norms[0].epsilon, norms[0].centred)


def _sliding(network: Any) -> Parts:
    return _llama_like(network, slides=True)


def _gemma(network: Any) -> Parts:
    return _llama_like(network, one_plus=True, slides=type(network).__name__ != "GemmaForCausalLM")


def _gpt2(network: Any) -> Parts:
    config, model = network.config, network.transformer
    if config.add_cross_attention or (config.reorder_and_upcast_attn and network.get_correct_attn_implementation(None) == "eager"):
        raise ValueError("attention of another kind")
    _keep_outputs_together(network)
    layers = [
        Layer(
            attention_norm=_norm(block.ln_1),
            qkv=(_projection(block.attn.c_attn),),
            scaling=float(block.attn.scaling),
            o=_projection(block.attn.c_proj),
            feed_forward_norm=_norm(block.ln_2),
            gate_up=(_projection(block.mlp.c_fc),),
            act=_activation(block.mlp.act),
            down=_projection(block.mlp.c_proj),
        )
        for block in model.h
    ]
    return Parts(
        heads=config.num_attention_heads,
        kv_heads=config.num_attention_heads,
        head_size=config.hidden_size // config.num_attention_heads,
        embedding=model.wte.weight.detach(),
        positions=model.wpe.weight.detach(),
        layers=tuple(layers),
        norm=_norm(model.ln_f),
        head=_projection(network.lm_head),
    )


def _gpt_neox(network: Any) -> Parts:
    config, model = network.config, network.gpt_neox
    heads, size = config.num_attention_heads, config.hidden_size // config.num_attention_heads
    order = np.arange(3 * heads * size).reshape(heads, 3, size).transpose(1, 0, 2).ravel()  # packed head by head
    layers = [
        Layer(
            attention_norm=_norm(layer.input_layernorm),
            qkv=(_projection(layer.attention.query_key_value, order),),
            rotary=0,
            scaling=float(layer.attention.scaling),
            o=_projection(layer.attention.dense),
            feed_forward_norm=_norm(layer.post_attention_layernorm),
            gate_up=(_projection(layer.mlp.dense_h_to_4h),),
            act=_activation(layer.mlp.act),
            down=_projection(layer.mlp.dense_4h_to_h),
            parallel=bool(layer.use_parallel_residual),
        )
        for layer in model.layers
    ]
    return Parts(
        heads=heads,
        kv_heads=heads,
        head_size=size,
        embedding=model.embed_in.weight.detach(),
        rotaries=(_rotary(model.rotary_emb),),
        layers=tuple(layers),
        norm=_norm(model.final_layer_norm),
        head=_projection(network.lm_head),
    )


def _phi(network: Any) -> Parts:
    config, model = network.config, network.model
    layers = [
        Layer(
            attention_norm=_norm(layer.input_layernorm),
            qkv=_inward(layer.self_attn),
            head_norms=_head_norms(layer.self_attn, False),
            rotary=0,
            scaling=float(layer.self_attn.scaling),
            o=_projection(layer.self_attn.dense),
            gate_up=(_projection(layer.mlp.fc1),),
            act=_activation(layer.mlp.activation_fn),
            down=_projection(layer.mlp.fc2),
            parallel=True,
        )
        for layer in model.layers
    ]
    return Parts(
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_size=model.layers[0].self_attn.head_dim,
        embedding=model.embed_tokens.weight.detach(),
        rotaries=(_rotary(model.rotary_emb),),
        layers=tuple(layers),
        norm=_norm(model.final_layernorm),
        head=_projection(network.lm_head),
    )


LLAMA = ("Model", "DecoderLayer", "Attention", "MLP", "RMSNorm", "RotaryEmbedding")
FAMILIES = {
    "Llama": Family("llama", LLAMA, _llama_like),
    "Mistral": Family("mistral", LLAMA, _sliding),
    "Qwen2": Family("qwen2", LLAMA, _sliding),
    "Qwen3": Family("qwen3", LLAMA, _sliding),
    "SmolLM3": Family("smollm3", LLAMA, _sliding),
    "Granite": Family("granite", LLAMA, _llama_like),
    "Olmo2": Family("olmo2", LLAMA, _llama_like),
    "Phi3": Family("phi3", LLAMA, _sliding),
    "StableLm": Family("stablelm", (*LLAMA, "LayerNormPerHead"), _llama_like),
    "Gemma": Family("gemma", (*LLAMA, "TextScaledWordEmbedding"), _gemma),
    "Gemma2": Family("gemma2", (*LLAMA, "TextScaledWordEmbedding"), _gemma),
    "Gemma3": Family("gemma3", (*LLAMA, "TextModel", "TextScaledWordEmbedding"), _gemma),
    "GPT2": Family("gpt2", ("Model", "Block", "Attention", "MLP"), _gpt2),
    "GPTNeoX": Family("gpt_neox", ("Model", "Layer", "Attention", "MLP", "RotaryEmbedding"), _gpt_neox),
    "Phi": Family("phi", LLAMA, _phi),
}
MODEL_TYPES = {"gemma3_text" if family.module == "gemma3" else family.module for family in FAMILIES.values()}
