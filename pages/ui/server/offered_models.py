"""Model registry of this process, and the models and servers that the operator publishes, so that every visitor can choose them.

    TOKEN_VIEWER_OFFER       hub ids (downloaded before) and folders, with commas
    TOKEN_VIEWER_SERVERS     servers, with commas; one with = is published: http://10.0.0.10:8000=org/model, or
                             http://10.0.0.10:8000= without a tokenizer
    TOKEN_VIEWER_SERVER_KEY  the access key of these servers, if they need one

Models that the operator publishes on the Models page stay until the app restarts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

import streamlit as st

from core import list_models, load_model
from core.errors import ModelError, quoted
from core.message import Message
from core.models import load_progress
from core.models.gguf.header import is_here
from core.models.hub import OFFERS, downloaded, local_folder
from core.models.models_in_memory import Eviction, ModelRegistry
from core.remote.address import Address, is_address, named_servers
from pages.ui.i18n.translation import _
from pages.ui.server import preload

if TYPE_CHECKING:
    from core.engine.model import LanguageModel
    from core.sources.source import Source


Access = tuple[str | None, str | None]  # tokenizer and key of a server
PATIENCE = 0.5  # seconds; a shorter load shows no bar
REFRESH_SECONDS = 30.0  # seconds after which the environment's models are looked up on disk again

_lock = Lock()
_added: dict[str, Access] = {}
_cached: dict[str, tuple[float, dict[str, Access]]] = {}


def names() -> list[str]:
    """Return the names of the published models that are on this machine, and of the published servers."""
    return list(_all())


def access(name: str) -> Access:
    """Return tokenizer and key of a published server, (None, None) for other models."""
    return _all().get(name, (None, None))


def add(name: str, tokenizer: str | None = None, api_key: str | None = None) -> None:
    """Publish a model. Only for actions of the operator."""
    with _lock:
        _added[name] = (tokenizer, api_key)


def withdraw(name: str) -> None:
    """Remove a model from the list. Visitors who use it keep it."""
    with _lock:
        _added.pop(name, None)


def added() -> list[str]:
    """Return the models published since the start, which can be withdrawn."""
    return list(_added)


def _all() -> dict[str, Access]:
    return _from_environment() | dict(_added)


def _from_environment() -> dict[str, Access]:
    written = os.environ.get("TOKEN_VIEWER_OFFER", "") + "\n" + os.environ.get("TOKEN_VIEWER_SERVERS", "")
    cached_access = _cached.get(written)
    if cached_access is None or monotonic() - cached_access[0] > REFRESH_SECONDS:
        _cached.clear()
        cached_access = _cached[written] = (monotonic(), _read_environment())
    return cached_access[1]


def _read_environment() -> dict[str, Access]:
    accesses: dict[str, Access] = {}
    for name in filter(None, map(str.strip, os.environ.get("TOKEN_VIEWER_OFFER", "").split(","))):
        try:
            here = is_here(name) or (not is_address(name) and (local_folder(name) or downloaded(name)) is not None)
        except ModelError:
            here = False
        if here:
            accesses[name] = (None, None)
    for address, tokenizer in named_servers():
        if tokenizer is not None:
            accesses[Address.parse(address).url] = (tokenizer, os.environ.get("TOKEN_VIEWER_SERVER_KEY") or None)
    return accesses


def _load(name: str, tokenizer: str | None = None, api_key: str | None = None) -> LanguageModel:
    model = preload.pop_model(name)
    if model is None:
        model = load_model(name, tokenizer=tokenizer, api_key=api_key)
        preload.freeze_objects()
    return model


_HAS_SPINNER: ContextVar[bool] = ContextVar("spinner", default=True)


@contextmanager
def without_spinner() -> Iterator[None]:
    """Load models without a spinner on the page, for threads in which no script runs."""
    before = _HAS_SPINNER.set(False)
    try:
        yield
    finally:
        _HAS_SPINNER.reset(before)


@contextmanager
def _spinner() -> Iterator[None]:
    """Show that a model is loaded, and what is done, with a bar if it takes longer than PATIENCE."""
    if not _HAS_SPINNER.get():
        yield
        return
    began = monotonic()
    with st.spinner(_("Loading the model …")):
        bar = st.empty()

        def tell(doing: Message, share: float) -> None:
            if monotonic() - began >= PATIENCE:
                bar.progress(min(1.0, share), text=f"{_(doing)} …")

        with load_progress.telling(tell):
            try:
                yield
            finally:
                bar.empty()


# A plain object of the module, because a visitor's browser can clear Streamlit's caches.
_REGISTRY = ModelRegistry(_load)


def loaded(name: str, tokenizer: str | None = None, api_key: str | None = None) -> LanguageModel:
    """Return a model by name, loaded once per process; for a server, by its address with tokenizer and key. Raises ModelError.

    A model that was unloaded is returned without its weights. Its next forward pass loads them again.
    """
    model = _REGISTRY.known(name, tokenizer, api_key)
    if model is not None:
        return model
    with _spinner():
        return _REGISTRY.model(name, tokenizer, api_key)


def connect(address: str, tokenizer: str, api_key: str | None = None) -> LanguageModel:
    """Connect to a server and return its model. Asks the server which model it runs and whether it accepts the key. Raises ModelError."""
    with _spinner():
        return _REGISTRY.connect(address, tokenizer, api_key)


def ensure_model_loaded(model: LanguageModel) -> None:
    """Load the weights of an unloaded model again, with a spinner. Raises ModelError."""
    if model.unloaded:
        with _spinner(), model.engine.lock.acquire():
            pass


def eviction(model: Source) -> Eviction:
    """Return how often this model was unloaded, and for which other model."""
    return _REGISTRY.eviction(model)


def in_memory() -> dict[str, LanguageModel]:
    """Return the models in memory, by name."""
    return _REGISTRY.in_memory()


def tokenizer_of_open_server(address: str) -> str | None:
    """Return the tokenizer of a server that is connected without a key, so that every visitor may use it; None if there is none."""
    return _REGISTRY.tokenizer_of_open_server(address)


def unload(name: str) -> None:
    """Free the memory of a model. Runs with it stay; their next step loads it again."""
    _REGISTRY.unload(name)


def title(name: str) -> str:
    """Return the name of a model for sentences: its title if known, a hub id unchanged, else the last part of its path or address."""
    repository = name.partition("@")[0]
    titles = {entry.name: entry.title for entry in list_models()} | {offer.name: offer.title for offer in OFFERS}
    shown = titles.get(repository, name if name.count("/") == 1 and not name.startswith(("/", ".", "~")) else Path(name).name)
    return shown if shown in titles.values() else quoted(shown)[1:-1]
