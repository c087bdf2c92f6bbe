"""Load a bundled model without importing transformers, which takes longer than the rest of the start.

    model = load_without_network("storyteller")   # None if this is not possible here: then use load_model
    model.load_network()                          # imports transformers and puts its network on the same weights

A plain Llama's parts are read from its configuration and its weight file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from threading import Timer
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

from core.backends.decoder_parts import Layer, Norm, Parts, Projection, Rotary
from core.disk_full import temporary_folder_named
from core.models.checksums import broken_file
from core.models.hub import BUNDLED, bundled_names

if TYPE_CHECKING:
    from core.engine.model import LanguageModel


OF_A_LAYER = (
    *("input_layernorm", "post_attention_layernorm", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"),
    *("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj"),
)
COMPILE_AFTER = 5.0  # seconds; earlier, loading compiled code would slow down the first page


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


def load_without_network(name: str) -> LanguageModel | None:
    """Return a bundled Llama for a CPU, in float32, with a decoder that reads the weight file itself; None for other models or devices."""
    from safetensors.torch import load_file

    from core.backends.fast_decoder import FastDecoder
    from core.device import device_for
    from core.engine.end_tokens import ids_of
    from core.engine.model import LanguageModel, NetworkFacts
    from core.engine.shape import ModelShape
    from core.tokens.bundled_tokenizer import PlainTokenizer

    folder = BUNDLED / name
    if name not in bundled_names() or broken_file(folder) or device_for("auto").type != "cpu":
        return None
    settings = json.loads((folder / "config.json").read_text("utf-8"))
    weights = {part: weight.float() for part, weight in load_file(folder / "model.safetensors").items()}
    parts = llama_parts(settings, weights)
    try:
        tokenizer = PlainTokenizer(folder)
    except ValueError:
        return None
    if parts is None:
        return None
    decoder = FastDecoder(parts)
    decoder.prove_by_itself()
    table = weights["model.embed_tokens.weight"]
    head = weights.get("lm_head.weight", table)
    ends = [json.loads((folder / "generation_config.json").read_text("utf-8")).get("eos_token_id"), settings.get("eos_token_id")]
    end_token_ids = ids_of([*ends, tokenizer.eos_token_id])
    shape = ModelShape.from_weights(SimpleNamespace(**settings), weights.items(), table, head)
    facts = NetworkFacts.from_weights(shape, weights.items(), table, end_token_ids)
    model = LanguageModel(name, None, tokenizer, decoder, facts, lambda: _network(name, weights, decoder))
    model.engine.speed = decoder.choose_speed([1])
    model.engine.forward([0])  # the first pass takes longer than the others
    compiling = Timer(COMPILE_AFTER, decoder.compile_in_background)
    compiling.daemon = True
    compiling.start()
    return model


def _network(name: str, weights: dict[str, Any], decoder: Any) -> Any:
    """Return transformers' network with these tensors as its weights. Raises ModelError if its logits differ from the decoder's."""
    import torch

    from core.errors import ModelError, quoted
    from core.models.loading import READING

    with READING, temporary_folder_named():
        from transformers import LlamaForCausalLM
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        network = LlamaForCausalLM.from_pretrained(BUNDLED / name, dtype=torch.float32, use_safetensors=True, local_files_only=True).eval()
    for part, weight in network.named_parameters():
        weight.data = weights[part]
    if not decoder.agrees_with(network):
        raise ModelError("The weights of {name} do not fit its configuration.", name=quoted(name))
    return network
