"""LoRA adapters (PEFT folders) on top of a loaded model: a second model on the same weights, so that both can be used side by side.

A LoRA adapter adds B (A x) times a scale to the output x W of some matrices. Here the sum is made by forward hooks on a copy of the
network that shares all weights with the loaded one. The original stays as it is, and no run or cache of one model is used by the other.
"""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import ModelError, quoted
from core.message import Message
from core.models.hub import local_folder
from core.models.hub_download import Download
from core.models.model_names import checked_name
from core.models.validation import refuse_pickle
from core.sources.capabilities import Can, require

if TYPE_CHECKING:
    import torch

    from core.engine.model import LanguageModel

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
LARGEST_CONFIG = 1_000_000  # bytes
HIGHEST_RANK = 4_096
READ = re.compile(r"base_model\.model\.(?P<module>[\w.]+)\.lora_(?P<side>[AB])\.weight")
COPY = re.compile(r"base_model\.model\.(?P<module>[\w.]+?)(?:\.base_layer)?\.weight")
# Settings of PEFT that say where the numbers come from or how they are trained. All others must be off, except those that are read below.
HARMLESS = {
    "peft_type", "task_type", "auto_mapping", "peft_version", "base_model_name_or_path", "revision", "inference_mode", "target_modules",
    "exclude_modules", "lora_dropout", "fan_in_fan_out", "layers_to_transform", "layers_pattern", "megatron_config", "megatron_core",
    "loftq_config", "eva_config", "runtime_config", "ensure_weight_tying", "qalora_group_size", "rank_pattern",
}  # fmt: skip
NOTE = Message("With the adapter {adapter}. It runs on transformers' own network, which is slower than the model alone.")


@dataclass(frozen=True, slots=True)
class _Update:
    """What an adapter adds to one matrix. a: [rank, in], b: [out, rank], float32."""

    a: torch.Tensor
    b: torch.Tensor
    scale: float


def with_adapter(model: LanguageModel, name: str | Path) -> LanguageModel:
    """Return a second model: this one with a LoRA adapter. name: a PEFT folder, or the hub id of one.

    Both share weights, tokenizer and the lock of the engine. The adapter's own matrices are the only memory that is added. Raises a
    ModelError: for a model on a server, for another kind of adapter, for one of another model, and for incomplete files.
    """
    from core.backends.transformers_backend import TransformersBackend
    from core.engine.model import LanguageModel, NetworkFacts

    name = checked_name(str(name))
    require(model, Can.NETWORK)
    folder = _folder(name)
    scale_of = _scales(folder, name)
    network = model.load_network()
    with model.engine.lock.acquire():
        twin = copy.deepcopy(network, {id(weight): weight for weight in (*network.parameters(), *network.buffers())})
    count = size = 0
    for module, a, b in _matrices(folder, name, twin):
        update = _Update(a.to(model.device), b.to(model.device), scale_of(module, len(a)))
        twin.get_submodule(module).register_forward_hook(_adding(update))
        count, size = count + a.numel() + b.numel(), size + 4 * (a.numel() + b.numel())
    facts = NetworkFacts.of(twin, model.tokenizer)
    facts = replace(
        facts,
        shape=model.shape,  # the adapter's own matrices are not in it
        end_token_ids=model.end_token_ids,
        parameter_count=model.parameter_count + count,
        weight_bytes=model.weight_bytes + size,
    )
    title = Path(name).name or name
    adapted = LanguageModel(f"{model.name} + {title}", twin, model.tokenizer, TransformersBackend(twin), facts)
    adapted.engine.lock, adapted.engine.speed = model.engine.lock, model.engine.speed
    adapted.recommended, adapted.adapter_of = model.recommended, model.name
    adapted.notes = (NOTE.with_values(adapter=quoted(title)), *_own_notes(folder, model), *model.notes)
    try:
        cached = TransformersBackend.checked(twin, np.arange(16, dtype=np.int64) % model.vocabulary_size)
        adapted.engine.backend = cached if model.context_length >= 16 else adapted.engine.backend
        adapted.engine.forward([0])
    except Exception as error:  # a stranger's numbers can cause any error here
        raise ModelError("The adapter {name} was loaded but cannot run.", name=quoted(name)) from error
    return adapted


def _folder(name: str) -> Path:
    """Return the folder of this adapter, downloaded if it is on the hub. Raises a ModelError."""
    folder = local_folder(name)
    if folder is None:
        download = Download(name)  # within the operator's limits for downloads
        download.wait()
        if download.folder is None:
            raise download.error or ModelError("There are no weights in {name}. Download it again.", name=quoted(name))
        folder = download.folder
    if not (folder / CONFIG).is_file():
        raise ModelError("There is no {file} in {name}, so it is not an adapter.", file=CONFIG, name=quoted(name))
    if not (folder / WEIGHTS).is_file():
        if any(folder.glob("*adapters.safetensors")) or (folder / "adapters.npz").is_file():
            raise ModelError("{name} is an adapter of MLX. Only adapters of PEFT are read.", name=quoted(name))
        refuse_pickle(folder, name)
        raise ModelError("There are no weights in {name}. Download it again.", name=quoted(name))
    return folder


def _read(path: Path) -> Any:
    """Return the value of a small JSON file, None if it cannot be read."""
    try:
        return json.loads(path.read_text("utf-8")) if path.stat().st_size <= LARGEST_CONFIG else None
    except (OSError, ValueError, RecursionError):
        return None


def _own_notes(folder: Path, model: LanguageModel) -> list[Message]:
    """Return what the adapter's folder says of its model and its chats, where the loaded model is another one."""
    notes = []
    base = _read(folder / CONFIG).get("base_model_name_or_path")
    if isinstance(base, str) and base and Path(base).name.lower() != Path(model.name).name.partition("@")[0].lower():
        notes.append(Message("The adapter was made for {base}, and runs on {model}.", base=quoted(base), model=quoted(model.name)))
    settings = _read(folder / "tokenizer_config.json")
    template = settings.get("chat_template") if isinstance(settings, dict) else None
    with suppress(OSError, ValueError):
        template = (folder / "chat_template.jinja").read_text("utf-8") if template is None else template
    if template is not None and template != model.tokenizer.chat_template:
        notes.append(
            Message("The adapter has a chat template of its own, which is not used. Conversations are written as the model's own.")
        )
    return notes


def _scales(folder: Path, name: str) -> Callable[[str, int], float]:
    """Return the function from a module's name and its rank to the factor of its update. Raises ModelError."""
    settings = _read(folder / CONFIG)
    if not isinstance(settings, dict):
        raise ModelError("{path} of {name} cannot be read. The download may be incomplete.", path=CONFIG, name=quoted(name))
    kind = settings.get("peft_type")
    if kind != "LORA":
        raise ModelError("{name} is an adapter of the kind {kind}. Only LoRA is read.", name=quoted(name), kind=quoted(str(kind)[:40]))
    start = settings.get("init_lora_weights", True)
    unknown = [key for key, value in settings.items() if value and key not in HARMLESS | set(_READ) and (key, value) != ("bias", "none")]
    if start not in (True, False, "gaussian", "eva", "orthogonal"):
        unknown.append("init_lora_weights")  # these change the model's own weights, too
    if unknown:
        message = Message("The adapter {name} uses {setting}, which this app does not compute. Merge it into its model first.")
        raise ModelError(message.with_values(name=quoted(name), setting=quoted(unknown[0][:40])))
    alpha, patterns = settings.get("lora_alpha", 8), settings.get("alpha_pattern") or {}
    numbers = [alpha, *(patterns.values() if isinstance(patterns, dict) else [None])]
    plain = isinstance(patterns, dict) and all(re.fullmatch(r"\^?[\w.]{1,200}", key) for key in patterns)
    if isinstance(patterns, dict) and not plain:
        message = Message("The adapter {name} has scales by a pattern that this app does not read. Merge it into its model first.")
        raise ModelError(message.with_values(name=quoted(name)))
    if not plain or not all(isinstance(number, int | float) and math.isfinite(number) for number in numbers):
        raise ModelError("The scale of the adapter {name} is not a number.", name=quoted(name))
    root = bool(settings.get("use_rslora"))

    def scale(module: str, rank: int) -> float:
        matching = (value for key, value in patterns.items() if re.match(rf"(.*\.)?({key})$", module))  # as PEFT: a dot is any character
        module_alpha = next(matching, alpha)
        return float(module_alpha) / (math.sqrt(rank) if root else rank)

    return scale


_READ = ("r", "lora_alpha", "alpha_pattern", "use_rslora", "init_lora_weights")


def _matrices(folder: Path, name: str, network: Any) -> list[tuple[str, torch.Tensor, torch.Tensor]]:
    """Return the name of each changed module with its two matrices, float32. Raises ModelError."""
    import torch
    from safetensors import SafetensorError, safe_open

    sides: dict[str, dict[str, torch.Tensor]] = {}
    modules = {module: part for module, part in network.named_modules() if getattr(part, "weight", None) is not None}
    try:
        with safe_open(folder / WEIGHTS, framework="pt") as file:
            for key in file.keys():  # noqa: SIM118 (safe_open is no dictionary)
                match = READ.fullmatch(key)
                if match is None and _is_copy(key, file, network):
                    continue
                if match is None:
                    message = Message("The adapter {name} changes {part}, which this app does not compute. Merge it into its model first.")
                    raise ModelError(message.with_values(name=quoted(name), part=quoted(key[:80])))
                if match["module"] not in modules or not _fits(match["side"], file.get_slice(key).get_shape(), modules[match["module"]]):
                    raise _other_model(name, match["module"])
                sides.setdefault(match["module"], {})[match["side"]] = file.get_tensor(key).to(torch.float32)
    except (SafetensorError, OSError) as error:
        raise ModelError("{file} of {name} is incomplete or broken. Download it again.", file=WEIGHTS, name=quoted(name)) from error
    matrices = []
    for module, pair in sides.items():
        shape = tuple(modules[module].weight.shape)
        a, b = pair.get("A"), pair.get("B")
        if a is None or b is None or len(a) != b.shape[1] or (b.shape[0], a.shape[1]) not in (shape, shape[::-1]):
            raise _other_model(name, module)
        if not (torch.isfinite(a).all() and torch.isfinite(b).all()):
            raise ModelError("The adapter {name} contains invalid numbers (infinite or NaN).", name=quoted(name))
        matrices.append((module, a, b))
    if not matrices:
        raise ModelError("There are no weights in {name}. Download it again.", name=quoted(name))
    return matrices


def _is_copy(key: str, file: Any, network: Any) -> bool:
    """Return whether this is a copy of the base's own matrix, which PEFT stores for the head and the embeddings of an adapter."""
    import torch

    match = COPY.fullmatch(key)
    weight = dict(network.named_parameters(remove_duplicate=False)).get(f"{match['module']}.weight") if match is not None else None
    if weight is None or tuple(file.get_slice(key).get_shape()) != tuple(weight.shape):
        return False
    return torch.equal(file.get_tensor(key).to(weight.dtype), weight.detach().cpu())


def _fits(side: str, shape: list[int], part: Any) -> bool:
    """Return whether a matrix of the adapter has the size of its module, before it is read."""
    rank, size = shape if side == "A" and len(shape) == 2 else (shape[::-1] if len(shape) == 2 else (0, 0))
    return 1 <= rank <= HIGHEST_RANK and size in tuple(part.weight.shape)


def _other_model(name: str, part: str) -> ModelError:
    return ModelError("The adapter {name} was made for another model: {part} does not fit.", name=quoted(name), part=quoted(part[:80]))


def _adding(update: _Update) -> Any:
    """Return a forward hook that adds the update to the output of its module."""

    def hook(_module: Any, arguments: tuple[Any, ...], output: torch.Tensor) -> torch.Tensor:
        added = (arguments[0].to(update.a.dtype) @ update.a.T) @ update.b.T
        return (output + added * update.scale).to(output.dtype)

    return hook
