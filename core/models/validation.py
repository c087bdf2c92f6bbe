"""Validate untrusted model files before they are loaded, because a bad one can use all memory or take minutes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from core.errors import ModelError, quoted
from core.message import Message

# Bytes, several times the size of the largest known files. JSON takes up to fifty times its size in memory.
_LARGEST = {
    "model.safetensors.index.json": 64_000_000,
    "tokenizer.json": 128_000_000,
    "vocab.json": 128_000_000,
    "tokenizer_config.json": 8_000_000,
    "config.json": 2_000_000,
    "generation_config.json": 2_000_000,
    "special_tokens_map.json": 2_000_000,
    "added_tokens.json": 8_000_000,
    "chat_template.json": 2_000_000,
    "chat_template.jinja": 2_000_000,
}
PICKLES = {".bin", ".pt", ".pth", ".ckpt"}
MOST_NUMBERS = 3  # times the stored numbers, because a tied matrix is stored once
MOST_PACKED_NUMBERS = 20  # times the stored numbers of quantized weights, because up to 16 weights of 2 bits share a stored number
MOST_BUFFER_BYTES = 2_000_000_000  # of tables that are computed, not stored


def weight_files(folder: Path) -> list[Path]:
    """Return the weight files that loading reads: those of the index, or model.safetensors, or all but adapters."""
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        try:
            names = {Path(str(name)).name for name in json.loads(index.read_text("utf-8"))["weight_map"].values()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):  # `check_weights` reports a broken index
            names = set()
        return sorted(folder / name for name in names if (folder / name).is_file())
    if (folder / "model.safetensors").is_file():
        return [folder / "model.safetensors"]
    return sorted(path for path in folder.glob("*.safetensors") if not path.name.startswith("adapter_"))


def refuse_quantized(settings: Any, name: str) -> None:
    """Raise ModelError if transformers cannot read these quantized weights here. settings: of config.json, None for plain weights."""
    if not settings:
        return
    from transformers.quantizers import AutoHfQuantizer

    method = str(settings.get("quant_method", "?"))[:40] if isinstance(settings, dict) else "?"
    try:
        AutoHfQuantizer.from_config(copy.deepcopy(settings), pre_quantized=True).validate_environment(device_map=None)
    except Exception as error:  # a missing library, a missing GPU, or an unknown format
        raise ModelError(
            "{name} is quantized as {method}, which cannot be read here. Choose the same model without quantization.",
            name=quoted(name),
            method=quoted(method.upper() if len(method) < 5 else method),
        ) from error


def check_files(folder: Path, name: str) -> None:
    """Raise ModelError if a file is larger than the limit for its kind."""
    for file, most in _LARGEST.items():
        path = folder / file
        if path.is_file() and path.stat().st_size > most:
            size = path.stat().st_size // 1_000_000
            raise ModelError(
                "{file} of {name} has {size} MB. That is too large for such a file, so it was not read.",
                file=file,
                name=quoted(name),
                size=size,
            )


def check_network(config: Any, stored: int, name: str) -> None:
    """Build the configured network on the meta device, without memory, and compare its size with the number of stored values.

    Raises ModelError if the network has far more numbers than its files, or a context length below 1.
    """
    import torch
    from transformers import AutoModelForCausalLM

    from core.engine.shape import ModelShape

    context = ModelShape.from_config(config).context_length
    if context < 1:
        raise ModelError("The context of {name} has {context} tokens, which is too short for a text.", name=quoted(name), context=context)
    try:
        with torch.device("meta"):
            network = AutoModelForCausalLM.from_config(copy.deepcopy(config))
    except Exception:  # a wrong configuration can cause any error; loading reports it
        return
    count = sum(weight.numel() for weight in network.parameters())
    tables = sum(table.numel() * table.element_size() for table in network.buffers())
    most = stored * (MOST_PACKED_NUMBERS if getattr(config, "quantization_config", None) else MOST_NUMBERS)
    if count > most or tables > MOST_BUFFER_BYTES:
        raise ModelError(
            "The configuration of {name} describes {count} parameters, but its files contain {stored}.",
            name=quoted(name),
            count=count,
            stored=stored,
        )


def read_config(folder: Path, name: str) -> Any:
    """Return the configuration of a model that writes text and needs no code of its own. Raises ModelError."""
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    path = folder / "config.json"
    if not path.is_file():
        if (folder / "adapter_config.json").is_file():
            raise ModelError("{name} is an adapter. Load its base model, then add the adapter to it.", name=quoted(name))
        packed = next(iter(sorted(folder.glob("*.gguf"))), None)
        if packed is not None:
            raise ModelError(
                "{name} is a folder with a GGUF file. Name the file {file} in it.", name=quoted(name), file=quoted(packed.name)
            )
        raise ModelError("There is no config.json in {name}, so it is not a model folder.", name=quoted(name))
    raw = json_of(path, name)
    if (folder / "generation_config.json").is_file():
        json_of(folder / "generation_config.json", name)
    if "auto_map" in raw and raw.get("model_type") not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        raise ModelError(
            "{name} contains its own program code, which this app never runs. Choose an architecture that transformers supports.",
            name=quoted(name),
        )
    refuse_quantized(raw.get("quantization_config"), name)
    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
    except Exception as error:  # a stranger's file can cause any error here
        raise ModelError("This version of transformers cannot read the configuration of {name}.", name=quoted(name)) from error
    architectures = [str(a) for a in (raw.get("architectures") or [])]
    writes = any(a.endswith(("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")) for a in architectures) or not architectures
    encoder_decoder = bool(getattr(config, "is_encoder_decoder", False))
    if encoder_decoder or not writes or getattr(config, "model_type", "") not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        kind = Message("is an encoder-decoder model") if encoder_decoder else Message("does not write text from left to right")
        raise ModelError(
            "{name} {kind}. This app takes models that write one token after the other, such as GPT-2 or Llama.",
            name=quoted(name),
            kind=kind,
        )
    return config


def json_of(path: Path, name: str) -> dict[str, Any]:
    """Return the object in a JSON file of this model. Raises ModelError."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError("{path} of {name} cannot be read. The download may be incomplete.", path=path.name, name=quoted(name)) from error
    if not isinstance(value, dict):
        raise ModelError("{path} of {name} is not a JSON object.", path=path.name, name=quoted(name))
    return value


def check_weights(folder: Path, name: str) -> None:
    """Raise ModelError unless all weight files exist, are complete and are safetensors."""
    from safetensors import SafetensorError, safe_open

    files = weight_files(folder)
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        shards = json_of(index, name).get("weight_map")
        if not isinstance(shards, dict):
            raise ModelError("The weight index of {name} is broken.", name=quoted(name))
        missing = sorted({str(shard) for shard in shards.values() if not (folder / Path(str(shard)).name).is_file()})
        if missing:
            raise ModelError(
                "{name} is incomplete: {count} of its weight files are missing. Download it again.", name=quoted(name), count=len(missing)
            )
    elif not files:
        if (folder / "adapter_config.json").is_file():
            raise ModelError("{name} is an adapter. Load its base model, then add the adapter to it.", name=quoted(name))
        refuse_pickle(folder, name)
        raise ModelError("There are no weights in {name}. Download it again.", name=quoted(name))
    for file in files:
        try:
            with safe_open(file, framework="numpy"):
                pass
        except (SafetensorError, OSError) as error:
            raise ModelError("{file} of {name} is incomplete or broken. Download it again.", file=file.name, name=quoted(name)) from error


def refuse_pickle(folder: Path, name: str) -> None:
    """Raise ModelError for a folder whose weights are pickles, which can run code when they are read."""
    if any(path.suffix in PICKLES for path in folder.iterdir()):
        raise ModelError("{name} has its weights only as a pickle, which could run code. Only safetensors are read.", name=quoted(name))


def check_size(folder: Path, config: Any, name: str) -> None:
    """Raise ModelError if the configuration has larger numbers than the weight files, which would cost minutes or all memory."""
    from safetensors import safe_open

    count, largest = 0, 1
    for path in weight_files(folder):
        with safe_open(path, framework="numpy") as file:
            for key in file.keys():  # noqa: SIM118 (safe_open is no dictionary)
                count += 1
                largest = max([largest, *file.get_slice(key).get_shape()])
    text = config.get_text_config()
    limits = {
        ("num_hidden_layers", "n_layer", "n_layers"): count,
        ("hidden_size", "n_embd", "d_model"): largest,
        ("vocab_size",): largest,
        ("num_experts", "num_local_experts", "n_routed_experts"): max(count, largest),
    }
    for names, most in limits.items():
        for value in (getattr(text, key, None) for key in names):
            experts = "experts" in names[0]
            if experts and not getattr(text, "is_moe", True):
                continue  # Doge's configuration counts experts that only its mixture of experts has
            if isinstance(value, int) and not 1 <= value <= most and (value or not experts):
                raise ModelError(
                    "The configuration of {name} does not fit its weights: {names} cannot be {value}.",
                    name=quoted(name),
                    names=names[0],
                    value=value,
                )
