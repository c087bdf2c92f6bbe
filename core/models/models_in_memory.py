"""Model registry (LRU) shared by all sessions: it loads each model once, unloads models when memory is needed, and reloads them at use.

An unloaded model loses only its weights and its KV caches. Its runs and records stay valid. The next forward pass of a run waits until the
weights are loaded again, and the keys and values are computed again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from core.errors import ModelError, NoRoom, WrongServer, quoted
from core.limits import Limits
from core.models.gguf.header import is_gguf, path_of
from core.models.hub import downloaded, find, local_folder
from core.models.loading import load_model
from core.models.memory_estimate import HEADROOM, fit, free_memory
from core.models.model_names import is_hub_id
from core.remote.address import is_address, without_secrets
from core.sources.capabilities import Can
from core.sources.ngram import PREFIX
from core.sources.source import Source

if TYPE_CHECKING:
    from core.engine.model import LanguageModel


SERVERS = 16  # open connections; they hold no weights

Key = tuple[str, str | None, str | None]  # a model's name; of a server, its address without secrets, with its tokenizer and key


@runtime_checkable
class Closable(Protocol):
    """A model that a server of this app runs. It has no weights here; `close` frees the server's memory until its next step."""

    def close(self) -> None:
        """End the server."""


@dataclass(frozen=True, slots=True)
class Eviction:
    """times: how often a model was unloaded. made_room_for: the model that last needed its memory; "" if a visitor unloaded it."""

    times: int = 0
    made_room_for: str = ""


class ModelRegistry:
    """Loads each model once and keeps at most TOKEN_VIEWER_MODELS in memory, and no more than fit.

    load: loads a model, like core.load_model. free: returns the free bytes of a torch device.
    """

    def __init__(self, load: Callable[..., LanguageModel] = load_model, free: Callable[[Any], int] = free_memory) -> None:
        self._read, self._free = load, free
        self._lock = Lock()  # one load at a time, so that a second load cannot take the memory freed for the first
        self._guard = Lock()  # held briefly while a connection is added or removed
        self._known: weakref.WeakValueDictionary[Key, LanguageModel] = weakref.WeakValueDictionary()
        self._loaded: dict[Key, LanguageModel] = {}
        self._weight_sharers: weakref.WeakKeyDictionary[LanguageModel, Any] = (
            weakref.WeakKeyDictionary()
        )  # networks on the same weights as a model's
        self._evictions: weakref.WeakKeyDictionary[Source, Eviction] = weakref.WeakKeyDictionary()

    def known(self, name: str, tokenizer: str | None = None, api_key: str | None = None) -> LanguageModel | None:
        """Return the model of this name if it was loaded before and is still referenced, else None. Its weights can be unloaded."""
        return self._known.get(_key(name, tokenizer, api_key))

    def model(self, name: str, tokenizer: str | None = None, api_key: str | None = None) -> LanguageModel:
        """Return the model of this name; load it first if it is not known, which can unload others. Raises a ModelError.

        No lock is held while this waits for a server or the hub.
        """
        key = _key(name, tokenizer, api_key)
        model = self._known.get(key)
        if model is not None:
            if isinstance(model, Closable):  # its server starts again by itself
                self._loaded[key] = model
            return model
        if _served(key):
            return self.connect(name, tokenizer, api_key)
        fetch(key[0])
        with self._lock:
            return self._known.get(key) or self._load(key)

    def connect(self, name: str, tokenizer: str | None = None, api_key: str | None = None) -> LanguageModel:
        """Connect to a server again and return its model, which verifies the model and the key. Raises a ModelError.

        Existing runs use the new connection if the server still runs the same model. If the server refuses a key, its old connection is
        removed.
        """
        key = _key(name, tokenizer, api_key)
        try:
            fresh = self._read(key[0], tokenizer=key[1], api_key=key[2])
        except WrongServer:
            with self._guard:
                self._known.pop(key, None)
                self._loaded.pop(key, None)
            raise
        with self._guard:
            existing = self._known.get(key)
            if existing is not None and _same(existing, fresh):
                cast(Any, existing).renew(fresh)  # what an address loads is a ServerModel
                fresh = existing
            self._known[key] = self._loaded[key] = fresh
            servers = [server for server in self._loaded if _served(server)]
            for server in servers[:-SERVERS]:
                del self._loaded[server]
        return fresh

    def in_memory(self) -> dict[str, LanguageModel]:
        """Return the loaded models and the connected servers, by name."""
        return {key[0]: model for key, model in list(self._loaded.items())}

    def tokenizer_of_open_server(self, address: str) -> str | None:
        """Return the tokenizer of this server's connection without a key; None without such a connection."""
        wanted = _key(address, None, None)[0]
        return next((key[1] for key in list(self._loaded) if key[0] == wanted and _served(key) and not key[2]), None)

    def unload(self, name: str) -> None:
        """Free the memory of a model, or disconnect a server. Its runs stay valid; their next step loads the model again."""
        name = _key(name, None, None)[0]
        if _served((name, None, None)):
            with self._guard:
                for key in [key for key in self._loaded if key[0] == name]:
                    self._loaded.pop(key)
                    self._known.pop(key, None)
            return
        with self._lock:
            for key in [key for key in self._loaded if key[0] == name]:
                self._evict(key, "")

    def eviction(self, model: Source) -> Eviction:
        """Return how often this model was unloaded, and for which model."""
        return self._evictions.get(model, Eviction())

    def _load(self, key: Key) -> LanguageModel:
        try:
            needed = fit(key[0])
        except ModelError:  # loading raises a more precise error
            needed = None
        if needed is not None:
            self._make_room(key[0], int(needed.loaded_bytes * HEADROOM), needed.device)
        model = self._read(key[0], tokenizer=key[1], api_key=key[2])
        self._known[key] = self._loaded[key] = model
        return model

    def _make_room(self, name: str, needed: int, device: Any) -> None:
        """Unload the least recently used models until `needed` bytes are free. Raises NoRoom, and unloads none, if all of them
        would not be enough."""
        import torch

        most, free = Limits.from_environment().models, self._free(torch.device(device))
        waiting = sorted((key for key in self._loaded if not _served(key)), key=lambda key: self._loaded[key].engine.lock.last_used)
        could_be = free + sum(self._loaded[key].weight_bytes for key in waiting)
        if needed > could_be:
            raise NoRoom(
                "{name} needs {size} of memory, but only {room} is available. Choose a smaller model.",
                name=quoted(name),
                size=_size(needed),
                room=_size(could_be),
            )
        while waiting and (needed > free or (most and len(waiting) >= most)):
            free += self._loaded[waiting[0]].weight_bytes
            self._evict(waiting.pop(0), name)

    def _evict(self, key: Key, made_room_for: str) -> None:
        model = self._loaded.pop(key)
        self._evictions[model] = Eviction(self.eviction(model).times + 1, made_room_for)
        if isinstance(model, Closable):
            model.close()
            return
        with model.engine.lock.acquire_unloaded():
            _take_out(model, self._weight_sharers.pop(model, None))
            model.engine.lock.reload = partial(self._reload, key, weakref.ref(model))

    def _reload(self, key: Key, model_ref: weakref.ref[LanguageModel]) -> None:
        """Load the weights again into the same model object, so that its runs can continue. Raises ModelError."""
        with self._lock:
            model = model_ref()
            if model is None or model.engine.lock.reload is None:  # another thread loaded it first
                return
            try:
                self._make_room(key[0], int(model.weight_bytes * HEADROOM), model.device)
                fresh = self._read(key[0], tokenizer=key[1], api_key=key[2])
            except ModelError as error:
                raise ModelError("{key} was unloaded and cannot be loaded again now. {error}", key=quoted(key[0]), error=error) from error
            if not _same(model, fresh):
                self._known[key] = self._loaded[key] = fresh
                raise ModelError(
                    "The files of {key} changed after this run began. Start a new run to use the new files.", key=quoted(key[0])
                )
            with model.engine.lock.acquire_unloaded():
                _put_in(model, fresh)
                self._weight_sharers[model] = fresh.load_network()
                model.engine.lock.reload, model.engine.lock.last_used = None, monotonic()
            self._loaded[key] = model


def fetch(name: str) -> None:
    """Download the files of a hub model if they are missing, before a lock is taken. Raises a ModelError."""
    if is_gguf(name):
        path_of(name)
    elif is_hub_id(name) and local_folder(name) is None and downloaded(name) is None:
        find(name)


def _key(name: str, tokenizer: str | None, api_key: str | None) -> Key:
    """Return the registry key of a model. Raises WrongServer for an invalid address."""
    shown, key = without_secrets(name, api_key)
    return shown, tokenizer, key


def _served(key: Key) -> bool:
    """Return whether the model has no weights here: it is on a server, or it is counted from a text."""
    return is_address(key[0]) or key[0].startswith(PREFIX)


def _take_out(model: LanguageModel, twin: Any) -> None:
    """Empty the weights in place, because other objects can reference the network or its layers; clear all keys and values too."""
    import torch

    from core.backends.transformers_backend import TransformersBackend

    loaded = model.load_network()
    model.engine.backend = TransformersBackend(loaded)  # other backends hold copies of the weights or their addresses
    model.engine.pool.clear()
    for network in (loaded, twin):
        for weight in network.parameters() if network is not None else ():
            weight.data = weight.data.new_empty(0)
    if model.device.startswith("cuda"):
        torch.cuda.empty_cache()


def _put_in(model: LanguageModel, fresh: LanguageModel) -> None:
    """Give an unloaded model the weights and the backend of a newly loaded one."""
    for parameter, new in zip(model.load_network().parameters(), fresh.load_network().parameters(), strict=True):
        parameter.data = new.data
    model.engine.backend = fresh.engine.backend


def _same(model: LanguageModel, other: LanguageModel) -> bool:
    """Return whether both models have the same facts and vocabulary, which shows that the files did not change."""
    facts = ("name", "parameter_count", "weight_bytes", "vocabulary_size", "context_length", "dtype", "device", "end_token_ids")
    same = all(getattr(model, fact) == getattr(other, fact) for fact in (*facts, "can"))
    return same and (Can.TOKEN_IDS not in model.can or model.tokenizer.get_vocab() == other.tokenizer.get_vocab())


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e8 else f"{count / 1e6:.1f} MB"
