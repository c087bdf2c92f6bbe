"""Load a model from the bundle, a folder, the hub or a server. Only safetensors are read, and no code of a model is run."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from core.disk_full import temporary_folder_named
from core.errors import ModelError, quoted
from core.message import Message
from core.models.gguf.header import is_gguf
from core.models.gguf.loading import load_gguf
from core.models.hub import TOKENIZER_FILES, find
from core.models.load_progress import CHECKS, LOADS, MEASURES, tell
from core.models.model_names import LONGEST_NAME, checked_name
from core.models.recommended_settings import recommended_in
from core.models.tokenizer_trial import try_tokenizer
from core.models.validation import check_files, check_network, check_size, check_weights, json_of, read_config
from core.remote.address import is_address
from core.sources.ngram import PREFIX as NGRAM

if TYPE_CHECKING:
    from core.backends.backend import Backend
    from core.engine.model import LanguageModel

READING = RLock()  # one model is read, and transformers imported for it, at a time
WEIGHTS_STAY = Message(
    "Its weights stay in {kept}, as they are stored. All computation is in float32, so its probabilities are those of the float32 model."
)

CHECKED = 16  # tokens over which cached steps are compared with plain passes; a shorter context is not checked
UNCACHED = Message("Its cached steps differ from a pass without a cache, so it runs without one: every step computes the whole text.")


def load_model(
    name: str | Path, device: str = "auto", dtype: str = "auto", tokenizer: str | Path | None = None, api_key: str | None = None
) -> LanguageModel:
    """Load a model by its bundled name ("storyteller"), local folder or GGUF file, or hub id ("HuggingFaceTB/SmolLM2-135M").

    device: "auto" takes cuda, then mps, then cpu. dtype: "auto" takes float32 on a CPU, bfloat16 on CUDA and float16 on MPS. The address
    of an inference server ("http://10.0.0.7:8000", or just host:port) is enough: the app finds out which server it is. tokenizer: the name
    of its model's tokenizer, to read it here instead of asking the server. api_key: if the server asks for one. The server determines
    device and dtype.

    Raises a subclass of core.errors.ModelError, each with one sentence for the visitor.
    """
    name = checked_name(_written(name))
    if name.startswith(NGRAM):
        from core.sources.ngram.ngram import load_ngram

        counted: Any = load_ngram(name)  # a source, and no language model of transformers
        return counted
    if is_address(name):
        return _connect(name, _written(tokenizer), api_key)
    if is_gguf(name):
        return load_gguf(name, device, dtype, _load_alone)
    return _load_alone(find(name), name, device, dtype)


def _load_alone(folder: Path, name: str, device: str, dtype: str, tokenizer: Path | None = None) -> LanguageModel:
    with READING:
        return load_folder(folder, name, device, dtype, tokenizer)


def load_folder(folder: Path, name: str, device: str = "auto", dtype: str = "auto", tokenizer: Path | None = None) -> LanguageModel:
    """Load the model in this folder. name: what it is called, in errors too. tokenizer: its folder, if it is another one.

    Raises a ModelError.
    """
    if sys.flags.optimize > 1:
        raise ModelError("Python was started with -OO, which removes texts that transformers needs. Start it without this option.")
    from core.device import device_for, enough_memory

    message = Message("There is not enough memory on {where} for {name}. Choose a smaller model or a lower precision.")
    # Reading the files needs memory too.
    with temporary_folder_named(), enough_memory(message.with_values(where=device_for(device), name=quoted(name))):
        return _load_checked(folder, name, device, dtype, tokenizer)


def _load_checked(folder: Path, name: str, device: str, dtype: str, tokenizer: Path | None) -> LanguageModel:
    from core.device import device_for
    from core.models.memory_estimate import numbers_in
    from core.models.precision import stays_in

    check_files(folder, name)
    config = read_config(folder, name)
    check_weights(folder, name)
    counts = numbers_in(folder, name)
    check_size(folder, config, name)
    check_network(config, sum(counts.values()), name)
    stored_dtype = stays_in(counts, getattr(config, "model_type", ""), device_for(device), dtype)
    return _load(folder, name, config, device, dtype, stored_dtype, tokenizer or folder)


def _written(name: Any) -> Any:
    """Return a path as a string; a single-part path gets `./`, so that it is not taken for a bundled model."""
    if not isinstance(name, Path):
        return name
    return str(name) if name.is_absolute() or len(name.parts) != 1 else f"./{name}"


def _connect(address: str, tokenizer_name: str | None, api_key: str | None) -> LanguageModel:
    """Return the model of an inference server. With the name of a tokenizer, that is read from this machine or the hub."""
    from core.remote.connect_by_address import connect_by_address
    from core.remote.http_client import Address, HttpClient
    from core.remote.server_model import connect

    client = HttpClient(Address.parse(address), api_key)
    name = (tokenizer_name or "").strip()
    if not name:
        served: Any = connect_by_address(client)  # a server without token ids is a source, and no language model
        return served
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise ModelError("This is not the name of a tokenizer: give the hub id or the folder of the model that the server runs.")
    folder = find(name, TOKENIZER_FILES)
    check_files(folder, name)
    config = read_config(folder, name) if (folder / "config.json").is_file() else None
    tokenizer = read_tokenizer(folder, name)
    ends = [tokenizer.eos_token_id, getattr(config, "eos_token_id", None)]
    if (folder / "generation_config.json").is_file():
        ends.append(json_of(folder / "generation_config.json", name).get("eos_token_id"))
    numbers = {i for end in ends for i in (end if isinstance(end, list | tuple) else [end]) if isinstance(i, int)}
    return connect(client, tokenizer, config, frozenset(numbers))


def _network(folder: Path, name: str, config: Any, where: Any, precision: Any) -> Any:
    """Return transformers' network of this folder. Raises ModelError, and errors of memory as they are."""
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging as transformers_logging

    from core.device import is_out_of_memory

    transformers_logging.disable_progress_bar()
    trusted = {"trust_remote_code": False, "use_safetensors": True, "local_files_only": True, "output_loading_info": True}
    try:
        network, report = AutoModelForCausalLM.from_pretrained(folder, config=config, dtype=precision, **trusted)
        network = network.to(where).eval()
    except ModelError:
        raise
    except Exception as error:  # wrong shapes, missing keys, too little memory
        if is_out_of_memory(error):
            raise
        raise ModelError("The weights of {name} do not fit its configuration.", name=quoted(name)) from error
    if report.get("missing_keys") or report.get("mismatched_keys"):
        raise ModelError("The weights of {name} do not fit its configuration: some are missing or of another size.", name=quoted(name))
    return network


def _load(folder: Path, name: str, config: Any, device: str, dtype: str, stored_dtype: str | None, tokenizer_folder: Path) -> LanguageModel:
    import numpy as np

    from core.backends.fast_decoder import FastDecoder
    from core.backends.speed_trial import thread_choices
    from core.backends.transformers_backend import TransformersBackend
    from core.device import device_for, is_out_of_memory
    from core.engine.model import LanguageModel, NetworkFacts
    from core.engine.stored_weights import keep_stored, widen
    from core.models.precision import dtype_for

    where = device_for(device)
    tokenizer = read_tokenizer(tokenizer_folder, name)
    tell(LOADS)
    network = _network(folder, name, config, where, dtype_for(dtype if stored_dtype is None else stored_dtype, where))
    surplus = _surplus(tokenizer, network.get_input_embeddings().weight.shape[0], name)
    tell(CHECKS)
    try:
        backend: Backend | None = None
        note: str = ""
        if where.type != "cuda":
            stored = stored_dtype is not None and keep_stored(network)
            backend, note = FastDecoder.of(network), WEIGHTS_STAY.with_values(kept=stored_dtype) if stored else ""
            if stored_dtype is not None and backend is None:  # no backend can compute with the stored weights
                network, note = widen(network), ""
                backend = FastDecoder.of(network)
        facts, uncached = NetworkFacts.of(network, tokenizer), ""
        if backend is None and facts.shape.context_length >= CHECKED:
            backend = TransformersBackend.checked(network, np.arange(CHECKED, dtype=np.int64) % facts.shape.vocabulary_size)
            if not backend.is_cached:
                facts, uncached = replace(facts, shape=facts.shape.without_cache()), UNCACHED
        model = LanguageModel(name, network, tokenizer, backend, facts)
        model.notes = tuple(filter(None, (note, uncached, surplus)))
        model.recommended = recommended_in(folder)
        tell(MEASURES)
        model.engine.speed = model.engine.backend.choose_speed(thread_choices(model.parameter_count, where))
        model.engine.forward([0])  # errors of the first pass appear now, and the first visitor does not wait for it
    except ModelError:
        raise
    except Exception as error:  # a wrong configuration can cause any error here
        if is_out_of_memory(error):
            raise
        raise ModelError("{name} was loaded but cannot run: its weights do not fit its configuration.", name=quoted(name)) from error
    return model


def _surplus(tokenizer: Any, vocabulary_size: int, name: str) -> str:
    """Return a sentence on tokens that were added to the tokenizer but not to the model, such as a pad token; "" without such tokens.

    Texts without these tokens work. Raises ModelError if every text contains one, or if tokens that were not added exceed the model's
    vocabulary, because the tokenizer then belongs to another model.
    """
    beyond = sorted((i, token) for token, i in tokenizer.get_vocab().items() if i >= vocabulary_size)  # ids may have gaps
    if not beyond:
        return ""
    added = {int(i) for i in getattr(tokenizer, "added_tokens_decoder", {})}
    if not {i for i, _each in beyond} <= added or max(tokenizer("a")["input_ids"], default=0) >= vocabulary_size:
        raise ModelError(
            "The tokenizer of {name} belongs to another model: its largest token id is {beyond}, and this model has fewer tokens.",
            name=quoted(name),
            beyond=beyond[-1][0],
        )
    some = ", ".join(quoted(token) for _each, token in beyond[:3]) + (", ..." if len(beyond) > 3 else "")
    return Message("Its tokenizer has tokens without a vector in the model ({some}). A text with one of them cannot be read.", some=some)


def read_tokenizer(folder: Path, name: str) -> Any:
    from transformers import AutoTokenizer

    try_tokenizer(folder, name)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
        works = bool(tokenizer("a", add_special_tokens=False)["input_ids"])  # without files, transformers makes an empty tokenizer
    except Exception as error:  # tokenizers raise bare Exception, some only at their first use (an invalid maximum length)
        raise ModelError("The tokenizer of {name} is missing or cannot be read.", name=quoted(name)) from error
    if not works:
        raise ModelError("The tokenizer of {name} is missing or cannot be read.", name=quoted(name))
    return tokenizer
