"""Load a GGUF file: read here, or run by a llama-server that the app starts."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from platformdirs import user_cache_dir

from core.disk_full import disk_full_named
from core.errors import ModelError, NoRoom, quoted
from core.message import Message, Number
from core.models.gguf.architectures import config_of, why_not_here
from core.models.gguf.header import RUN, Header, path_of, read_header
from core.models.gguf.served_tokenizer import KINDS, served_tokenizer
from core.models.gguf.tokenizer import end_tokens, write_tokenizer
from core.models.gguf.weights import precision_of, vectors_are_exact, write_weights
from core.models.load_progress import READS, tell
from core.models.recommended_settings import from_gguf, recommended

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

HEADROOM = 1.2  # 20 % more than the weights, for tokenizer, buffers and the first pass
WIDENED = Message(
    "Read from {format}: every weight was widened to {dtype}, and sums are in {computed}. A program that computes with the packed weights "
    "gives slightly different probabilities."
)
ROUNDED = Message(
    "Read from {format}: every weight was rounded to {dtype}, and sums are in {computed}. A program that computes with the packed weights "
    "gives slightly different probabilities."
)
SAME = Message("Read from {format}: its matrices are in {dtype} as in the file, and sums are in {computed}.")
VECTORS_ROUNDED = Message(
    "Read from {format}: its matrices are in {dtype} as in the file, its norms and biases were rounded to {dtype}, and "
    "sums are in {computed}."
)
_DTYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}
SERVED = Message("{format}, run by a llama-server that this app started.")
SERVED_BECAUSE = Message("{format}, run by a llama-server that this app started, because {why}.")


@dataclass(frozen=True, slots=True)
class Plan:
    """How a file is loaded. here: read here, else by llama-server; why: why not here, None if it could be. All sizes in bytes."""

    header: Header
    here: bool
    why: Message | None
    precision: str
    loaded_bytes: int
    free_bytes: int


def room() -> int:
    """Return the bytes that a model could have: what is free, and what this process holds, because other models can be unloaded."""
    return int(psutil.virtual_memory().available + psutil.Process().memory_info().rss)


def plan(name: str, dtype: str = "auto", device: str = "auto") -> Plan:
    """Return how this file would be loaded, and the memory that it needs. Reads only its header. Raises a ModelError.

    Files that this app understands are read here if they fit into memory. All others are for llama-server.
    """
    header = read_header(path_of(name))
    kind = header.metadata.get("general.type", "model")
    if kind != "model" or header.architecture == "clip" or not header.tensors:
        raise ModelError("{name} is a GGUF file of the kind {kind}, not a language model.", name=quoted(name), kind=quoted(str(kind)))
    why = why_not_here(header)
    precision = precision_of(header, dtype, device)
    widened = header.parameter_count * (4 if precision == "F32" else 2)
    free = int(psutil.virtual_memory().available)
    if why is None and widened * HEADROOM > room():
        why = Message("its weights would need {size} GB of memory", size=Number(widened / 1e9, ",.1f"))
    here = why is None and not name.startswith(RUN)
    return Plan(header, here, why, precision, widened if here else header.file_bytes, free)


def load_gguf(name: str, device: str, dtype: str, load_folder: Callable[[Path, str, str, str, Path], LanguageModel]) -> LanguageModel:
    """Load the GGUF file of this name. load_folder: loads an ordinary folder. Raises a ModelError."""
    tell(READS)
    file_plan = plan(name, dtype, device)
    if not file_plan.here:
        return _serve(file_plan, name)
    header = file_plan.header
    with disk_full_named(name), _workspace(file_plan, name) as written:
        # transformers replaces parts of some tokenizers if it sees the model's config.json, so they are in different folders.
        folder, words = Path(written) / "model", Path(written) / "tokenizer"
        folder.mkdir()
        words.mkdir()
        try:
            write_tokenizer(header.metadata, words)
        except Exception as error:  # the tokenizers library raises bare exceptions for lists that do not fit each other
            raise ModelError(
                "The tokenizer in {name} is broken: its lists do not fit together. Choose another file.", name=quoted(name)
            ) from error
        (folder / "config.json").write_text(json.dumps(config_of(header)), "utf-8")
        generation = {"eos_token_id": end_tokens(header.metadata), **from_gguf(header.metadata)}
        (folder / "generation_config.json").write_text(json.dumps(generation), "utf-8")
        write_weights(header, folder / "model.safetensors", file_plan.precision)
        model = load_folder(folder, name, device, dtype, words)
    summary = _what_was_done(header, model.stored_dtype).with_values(format=header.format, dtype=model.stored_dtype, computed=model.dtype)
    model.notes = (summary, *(note for note in model.notes if "{kept}" not in getattr(note, "template", "")))
    return model


def _what_was_done(header: Header, stored: str) -> Message:
    """Return the sentence on the weights of a file whose matrices are in this type in memory."""
    matrices = {tensor.kind for tensor in header.tensors if len(tensor.shape) > 1}
    if {_DTYPES.get(kind) for kind in matrices} == {stored}:
        return SAME if vectors_are_exact(header, stored) else VECTORS_ROUNDED
    return WIDENED if stored == "float32" else ROUNDED


def _workspace(file_plan: Plan, name: str) -> Any:
    """Return a temporary folder for the widened weights. Raises NoRoom if the disk is too full."""
    home = _writable()
    if shutil.disk_usage(home).free < file_plan.loaded_bytes * HEADROOM:
        raise NoRoom(
            "Loading {name} needs {size} GB of disk space, which is free again afterwards. Delete some files, or run the model with "
            "llama-server.",
            name=quoted(name),
            size=Number(file_plan.loaded_bytes / 1e9, ",.1f"),
        )
    return tempfile.TemporaryDirectory(dir=home, ignore_cleanup_errors=True)


def _writable() -> Path:
    """Return a folder for temporary files: in the user's cache, else the machine's own. Raises ModelError if neither can be written."""
    for folder in (lambda: Path(user_cache_dir("token-probability-viewer")) / "gguf", lambda: Path(tempfile.gettempdir())):
        try:
            home = folder()
            home.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=home):
                return home
        except OSError:
            continue
    raise ModelError("A GGUF file needs a folder for temporary files, and this machine has none that can be written.")


def _serve(file_plan: Plan, name: str) -> LanguageModel:
    """Run the file with llama-server. Raises a ModelError."""
    from core.remote import local_server

    header, why = file_plan.header, file_plan.why
    kind, tokens = header.metadata.get("tokenizer.ggml.model"), header.metadata.get("tokenizer.ggml.tokens")
    if kind not in KINDS or not isinstance(tokens, list) or not tokens or not set(map(type, tokens)) <= {str}:
        raise ModelError("This app cannot show the tokens of {name}, because it does not know this kind of tokenizer.", name=quoted(name))
    if local_server.program() is None and why is not None:
        raise ModelError(
            "{name} cannot be read here, because {why}. Install llama.cpp, so that llama-server is on the PATH.", name=quoted(name), why=why
        )
    ends = frozenset(end_tokens(header.metadata))
    model = local_server.run_file(header.files[0], name, int(header.number("context_length")), served_tokenizer(header.metadata), ends)
    note = SERVED.with_values(format=header.format) if why is None else SERVED_BECAUSE.with_values(format=header.format, why=why)
    model.dtype, model.recommended = header.format, recommended(from_gguf(header.metadata))
    model.notes = (note, *model.notes)
    return model
