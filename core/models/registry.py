"""Model registry (LRU) shared by all sessions: models are loaded once, evicted when memory is needed, reloaded when asked.

A model that gives way loses its weights and nothing else. Whoever has a run with it keeps the model, the run and the record; their next
forward pass waits until the weights are here again. Only the keys and values go with the weights, and are computed anew.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from core.errors import ModelError, NotEnoughMemory, ReloadFailed, WrongServer, quoted
from core.language import _
from core.limits import Limits
from core.models.hub import downloaded, find, is_hub_id, local_folder
from core.models.loading import load_model
from core.models.memory_fit import HEADROOM, fit, free_memory
from core.remote.address import is_address, without_secrets

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

SERVERS = 16  # connections kept; they hold no weights

Key = tuple[str, str | None, str | None]  # a model's name; of a server, its address without secrets, with its tokenizer and key


@dataclass(frozen=True, slots=True)
class Eviction:
    """times: how often a model was unloaded. made_room_for: the model that needed its memory at last; "" if somebody asked for it."""

    times: int = 0
    made_room_for: str = ""


class ModelRegistry:
    """Loads each model once and keeps it while there is room: TOKEN_VIEWER_MODELS at a time, and no more than fit into memory.

    load: reads a model from its files, as core.load_model does. free: bytes that are free on a torch device.
    """

    def __init__(self, load: Callable[..., LanguageModel] = load_model, free: Callable[[Any], int] = free_memory) -> None:
        self._read, self._free = load, free
        self._lock = Lock()  # one load at a time, so that room made for one is not taken by another
        self._guard = Lock()  # held for an instant, while a connection is put down or taken away
        self._known: weakref.WeakValueDictionary[Key, LanguageModel] = weakref.WeakValueDictionary()
        self._loaded: dict[Key, LanguageModel] = {}
        self._weight_sharers: weakref.WeakKeyDictionary[LanguageModel, Any] = (
            weakref.WeakKeyDictionary()
        )  # networks on the same weights as a model's
        self._evictions: weakref.WeakKeyDictionary[LanguageModel, Eviction] = weakref.WeakKeyDictionary()

    def known(self, name: str, tokenizer: str | None = None, api_key: str | None = None) -> LanguageModel | None:
        """The model of this name if it was loaded before and somebody holds on to it. Its weights may be unloaded."""
        return self._known.get(_key(name, tokenizer, api_key))

    def model(self, name: str, tokenizer: str | None = None, api_key: str | None = None) -> LanguageModel:
        """The model of this name, loaded if it is not known; others may have to give way. Raises a ModelError.

        Whoever waits for a network here, a server's or the hub's, holds nothing that others wait for.
        """
        key = _key(name, tokenizer, api_key)
        found = self._known.get(key)
        if found is not None:
            return found
        if _served(key):
            return self.connect(name, tokenizer, api_key)
        fetch(key[0])
        with self._lock:
            return self._known.get(key) or self._load(key)

    def connect(self, name: str, tokenizer: str | None = None, api_key: str | None = None) -> LanguageModel:
        """The model of a server, asked anew which one it runs and whether it takes this key. Raises a ModelError.

        Runs with the connection of before go on if it is the same model still; a key that is refused now opens it to nobody else.
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
            known = self._known.get(key)
            if known is not None and _same(known, fresh):
                cast(Any, known).renew(fresh)  # what an address loads is a ServerModel
                fresh = known
            self._known[key] = self._loaded[key] = fresh
            servers = [one for one in self._loaded if _served(one)]
            for one in servers[:-SERVERS]:
                del self._loaded[one]
        return fresh

    def in_memory(self) -> dict[str, LanguageModel]:
        """The models whose weights are in memory now, by name, and the servers that are connected."""
        return {key[0]: model for key, model in list(self._loaded.items())}

    def tokenizer_of_open_server(self, address: str) -> str | None:
        """The tokenizer with which this server is connected without a key; None if it is not."""
        wanted = _key(address, None, None)[0]
        return next((key[1] for key in list(self._loaded) if key[0] == wanted and _served(key) and not key[2]), None)

    def unload(self, name: str) -> None:
        """Give back the memory of a model. Whoever has a run with it keeps the run, and going on loads it again."""
        name = _key(name, None, None)[0]
        if is_address(name):
            with self._guard:
                for key in [key for key in self._loaded if key[0] == name]:
                    self._loaded.pop(key)
                    self._known.pop(key, None)
            return
        with self._lock:
            for key in [key for key in self._loaded if key[0] == name]:
                self._evict(key, "")

    def eviction(self, model: LanguageModel) -> Eviction:
        """How often this model was unloaded, and for whom."""
        return self._evictions.get(model, Eviction())

    def _load(self, key: Key) -> LanguageModel:
        try:
            said = fit(key[0])
        except ModelError:  # loading says more exactly what is wrong with it
            said = None
        if said is not None:
            self._make_room(key[0], int(said.loaded_bytes * HEADROOM), said.device)
        model = self._read(key[0], tokenizer=key[1], api_key=key[2])
        self._known[key] = self._loaded[key] = model
        return model

    def _make_room(self, name: str, needed: int, device: Any) -> None:
        """Put away what was not used for longest until `needed` bytes are free; nothing at all if even that would not do."""
        import torch

        most, free = Limits.from_environment().models, self._free(torch.device(device))
        waiting = sorted((key for key in self._loaded if not _served(key)), key=lambda key: self._loaded[key].engine.lock.last_used)
        could_be = free + sum(self._loaded[key].weight_bytes for key in waiting)
        if needed > could_be:
            raise NotEnoughMemory(
                _("{name} takes {size} of memory, but only {room} can be had. Take a smaller one.").format(
                    name=quoted(name), size=_size(needed), room=_size(could_be)
                )
            )
        while waiting and (needed > free or (most and len(waiting) >= most)):
            free += self._loaded[waiting[0]].weight_bytes
            self._evict(waiting.pop(0), name)

    def _evict(self, key: Key, made_room_for: str) -> None:
        model = self._loaded.pop(key)
        self._evictions[model] = Eviction(self.eviction(model).times + 1, made_room_for)
        with model.engine.lock.acquire_unloaded():
            _take_out(model, self._weight_sharers.pop(model, None))
            model.engine.lock.reload = partial(self._reload, key, weakref.ref(model))

    def _reload(self, key: Key, model_ref: weakref.ref[LanguageModel]) -> None:
        """Load the weights again, into the model that runs and records already know. Raises ReloadFailed."""
        with self._lock:
            model = model_ref()
            if model is None or model.engine.lock.reload is None:  # somebody else was faster
                return
            try:
                self._make_room(key[0], int(model.weight_bytes * HEADROOM), model.device)
                fresh = self._read(key[0], tokenizer=key[1], api_key=key[2])
            except ModelError as error:
                raise ReloadFailed(
                    _("{key} was put away and cannot be loaded again just now. {error}").format(key=quoted(key[0]), error=error)
                ) from error
            if not _same(model, fresh):
                self._known[key] = self._loaded[key] = fresh
                raise ReloadFailed(
                    _("The files of {key} are others than when this text was begun. Begin again to use the new ones.").format(
                        key=quoted(key[0])
                    )
                )
            with model.engine.lock.acquire_unloaded():
                _put_in(model, fresh)
                self._weight_sharers[model] = fresh.load_network()
                model.engine.lock.reload, model.engine.lock.last_used = None, monotonic()
            self._loaded[key] = model


def fetch(name: str) -> None:
    """Have the files of a hub model on this machine, before anybody is made to wait. Raises a ModelError."""
    if is_hub_id(name) and local_folder(name) is None and downloaded(name) is None:
        find(name)


def _key(name: str, tokenizer: str | None, api_key: str | None) -> Key:
    """What a model is known by. Raises WrongServer for an address that is none."""
    shown, key = without_secrets(name, api_key)
    return shown, tokenizer, key


def _served(key: Key) -> bool:
    return is_address(key[0])


def _take_out(model: LanguageModel, twin: Any) -> None:
    """Empty the weights in place, whoever else may hold on to the network or to one of its layers; and with them all keys and values."""
    import torch

    from core.backends.transformers_backend import TransformersBackend

    own = model.load_network()
    model.engine.backend = TransformersBackend(own)  # other backends have the weights in arrays, or recorded where they lie
    model.engine.pool.clear()
    for network in (own, twin):
        for weight in network.parameters() if network is not None else ():
            weight.data = weight.data.new_empty(0)
    if model.device.startswith("cuda"):
        torch.cuda.empty_cache()


def _put_in(model: LanguageModel, fresh: LanguageModel) -> None:
    """Share the weights of a model that was just loaded with one that was emptied, and take over its backend."""
    for own, new in zip(model.load_network().parameters(), fresh.load_network().parameters(), strict=True):
        own.data = new.data
    model.engine.backend = fresh.engine.backend


def _same(one: LanguageModel, other: LanguageModel) -> bool:
    """Whether the files still hold the same model, as far as its shape and its vocabulary tell."""
    facts = ("name", "parameter_count", "weight_bytes", "vocabulary_size", "context_length", "dtype", "device", "end_token_ids")
    return all(getattr(one, fact) == getattr(other, fact) for fact in facts) and one.tokenizer.get_vocab() == other.tokenizer.get_vocab()


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e8 else f"{count / 1e6:.1f} MB"
