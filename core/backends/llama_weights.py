"""The parts of a plain Llama, read from its configuration and weight file, without transformers' network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from core.backends.decoder_parts import Layer, Norm, Parts, Projection, Rotary

OF_A_LAYER = (
    *("input_layernorm", "post_attention_layernorm", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"),
    *("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj"),
)


def llama_parts(settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor]) -> Parts | None:
    """Return the parts of a plain Llama, or None for any other model.

    settings: its config.json. weights: the tensors of its file by name, float32.
    """
    rope, count = settings.get("rope_parameters") or {}, int(settings.get("num_hidden_layers", 0))
    plain = settings.get("model_type") == "llama" and rope.get("rope_type") == "default" and settings.get("hidden_act") == "silu"
    names = [f"model.layers.{at}.{name}.weight" for at in range(count) for name in OF_A_LAYER]
    expected = {"model.embed_tokens.weight", "model.norm.weight", *names} | (
        set() if settings.get("tie_word_embeddings") else {"lm_head.weight"}
    )
    if not plain or set(weights) != expected or any(weight.dtype is not torch.float32 for weight in weights.values()):
        return None
    size = int(settings["head_dim"])
    turned = torch.arange(0, size, 2, dtype=torch.int64).float() / size
    epsilon = float(settings["rms_norm_eps"])

    def norm(name: str) -> Norm:
        return Norm(weights[f"{name}.weight"].numpy()[None], None, epsilon, centred=False)

    def projection(name: str) -> Projection:
        return Projection(weights[f"{name}.weight"], None)

    layers = [_layer(f"model.layers.{at}", size, norm, projection) for at in range(count)]
    embedding = weights["model.embed_tokens.weight"]
    return Parts(
        heads=int(settings["num_attention_heads"]),
        kv_heads=int(settings["num_key_value_heads"]),
        head_size=size,
        embedding=embedding,
        rotaries=(Rotary((1.0 / float(rope["rope_theta"]) ** turned).numpy(), 1.0),),
        layers=tuple(layers),
        norm=norm("model.norm"),
        head=Projection(weights.get("lm_head.weight", embedding), None),
    )


def _layer(home: str, size: int, norm: Callable[[str], Norm], projection: Callable[[str], Projection]) -> Layer:
    return Layer(
        attention_norm=norm(f"{home}.input_layernorm"),
        qkv=tuple(projection(f"{home}.self_attn.{kind}_proj") for kind in "qkv"),
        rotary=0,
        scaling=size**-0.5,
        o=projection(f"{home}.self_attn.o_proj"),
        feed_forward_norm=norm(f"{home}.post_attention_layernorm"),
        gate_up=(projection(f"{home}.mlp.gate_proj"), projection(f"{home}.mlp.up_proj")),
        gated=True,
        act="silu",
        down=projection(f"{home}.mlp.down_proj"),
    )
