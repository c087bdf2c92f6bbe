"""GGUF files for tests, written with the `gguf` package from the folders of tiny models, as llama.cpp's converter changes the weights."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
import transformers

KEYS = {
    "num_hidden_layers": "block_count",
    "max_position_embeddings": "context_length",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "layer_norm_epsilon": "attention.layer_norm_epsilon",
    "sliding_window": "attention.sliding_window",
}


@cache
def metadata_of(folder: Path, name: str) -> dict[str, Any]:
    """The metadata that llama.cpp's converter writes for this folder, read once. name: of the architecture in llama.cpp."""
    config = transformers.AutoConfig.from_pretrained(folder)
    found: dict[str, Any] = {"general.architecture": name}
    for key, own in KEYS.items():
        value = getattr(config, key, None)
        if value is not None and (own != "attention.sliding_window" or name == "gemma3"):
            found[f"{name}.{own}"] = value
    if name == "gpt2":
        found[f"{name}.feed_forward_length"] = 4 * config.hidden_size
    else:
        rope = config.rope_parameters
        found[f"{name}.rope.freq_base"] = float(rope.get("full_attention", rope)["rope_theta"])
        found[f"{name}.attention.key_length"] = found[f"{name}.attention.value_length"] = (
            getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        )
    return found | tokenizer_of(folder, config.vocab_size)


def tokenizer_of(folder: Path, size: int) -> dict[str, Any]:
    """The metadata of this folder's tokenizer, padded to the size of the model's table."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    names = [tokenizer.convert_ids_to_tokens(i) or f"[PAD{i}]" for i in range(size)]
    pieces = bool(model["byte_fallback"])
    special = set(tokenizer.added_tokens_decoder)
    types = [3 if i in special else 6 if pieces and name.startswith("<0x") else 1 for i, name in enumerate(names)]
    merges = [tuple(pair.split(" ")) if isinstance(pair, str) else tuple(pair) for pair in model["merges"]]
    found: dict[str, Any] = {"tokenizer.ggml.model": "llama" if pieces else "gpt2", "tokenizer.ggml.tokens": names}
    found["tokenizer.ggml.token_type"] = types
    if pieces:
        ranks = {"".join(pair): rank for rank, pair in enumerate(merges)}
        found["tokenizer.ggml.scores"] = [float(-ranks.get(name, 10_000)) for name in names]
        types[names.index("<unk>")] = 2
        found["tokenizer.ggml.unknown_token_id"] = names.index("<unk>")
    else:
        found |= {"tokenizer.ggml.pre": "gpt-2", "tokenizer.ggml.merges": [" ".join(pair) for pair in merges]}
    found |= {"tokenizer.ggml.bos_token_id": tokenizer.bos_token_id, "tokenizer.ggml.eos_token_id": tokenizer.eos_token_id}
    return found


@cache
def weights_of(folder: Path, name: str) -> dict[str, np.ndarray]:
    """The folder's weights under llama.cpp's names, changed as its converter changes them; read once."""
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    config = network.config
    architecture = next(key for key, value in gguf.MODEL_ARCH_NAMES.items() if value == name)
    names = gguf.get_tensor_name_map(architecture, config.num_hidden_layers)
    made: dict[str, np.ndarray] = {}
    for full, weight in network.named_parameters():
        part, suffix = full.rsplit(".", 1)
        own, values = names.get_name(part), weight.detach().numpy()
        assert own is not None, full
        if name == "llama" and own.endswith(("attn_q", "attn_k")):
            heads = config.num_attention_heads if own.endswith("q") else config.num_key_value_heads
            values = values.reshape(heads, 2, -1, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)
        if name == "gpt2" and own.endswith(("attn_qkv", "attn_output", "ffn_up", "ffn_down")) and values.ndim == 2:
            values = values.T
        if name == "gemma3" and own.endswith("norm"):
            values = values + 1
        made[f"{own}.{suffix}"] = np.ascontiguousarray(values)
    return made


def write(
    path: Path, metadata: dict[str, Any], weights: dict[str, np.ndarray], kind: str = "F32", kinds: dict[str, str] | None = None
) -> Path:
    """Write one file. kind: the format of the matrices; kinds: of single ones, by name."""
    writer = gguf.GGUFWriter(path, metadata["general.architecture"])
    for key, value in metadata.items():
        if key != "general.architecture":
            _add(writer, key, value)
    for name, values in weights.items():
        own = (kinds or {}).get(name, kind)
        quantized = gguf.GGMLQuantizationType[own]
        if values.ndim > 1 and own != "F32" and values.shape[-1] % gguf.GGML_QUANT_SIZES[quantized][0] == 0:
            writer.add_tensor(name, gguf.quantize(values, quantized), raw_dtype=quantized)
        else:
            writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add(writer: gguf.GGUFWriter, key: str, value: Any) -> None:
    types = {
        bool: gguf.GGUFValueType.BOOL,
        int: gguf.GGUFValueType.UINT32,
        float: gguf.GGUFValueType.FLOAT32,
        str: gguf.GGUFValueType.STRING,
    }
    if isinstance(value, list):
        writer.add_array(key, value)
    else:
        writer.add_key_value(key, value, types[type(value)])


def converted(folder: Path, name: str, path: Path, kind: str = "F32", kinds: dict[str, str] | None = None, **changes: Any) -> Path:
    """Write this folder as a GGUF file. changes: metadata that is replaced, with `__` for a dot."""
    metadata = metadata_of(folder, name) | {key.replace("__", "."): value for key, value in changes.items()}
    return write(path, metadata, weights_of(folder, name), kind, kinds)


def tiny_file(path: Path, folder: Path, weights: dict[str, Any] | None = None, **keys: Any) -> Path:
    """A file of the tiny Llama in `folder`, with these entries of its tokenizer; None leaves an entry out."""
    found = metadata_of(folder, "llama") | {f"tokenizer.{key.replace('__', '.')}": value for key, value in keys.items()}
    return write(path, {key: value for key, value in found.items() if value is not None}, weights or weights_of(folder, "llama"))
