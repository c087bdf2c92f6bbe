"""Model registry of this process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core import list_models, load_model
from core.errors import quoted
from core.models.hub import OFFERS
from core.models.models_in_memory import Eviction, ModelRegistry
from pages.ui.i18n.translation import _
from pages.ui.server import preload

if TYPE_CHECKING:
    from core.engine.model import LanguageModel
    from core.sources.source import Source


def _load(name: str, tokenizer: str | None = None, api_key: str | None = None) -> LanguageModel:
    model = preload.pop_model(name)
    if model is None:
        model = load_model(name, tokenizer=tokenizer, api_key=api_key)
        preload.freeze_objects()
    return model


# A plain object of the module, because a visitor's browser can clear Streamlit's caches.
_REGISTRY = ModelRegistry(_load)


def loaded(name: str, tokenizer: str | None = None, api_key: str | None = None) -> LanguageModel:
    """Return a model by name, loaded once per process; for a server, by its address with tokenizer and key. Raises ModelError.

    A model that was unloaded is returned without its weights. Its next forward pass loads them again.
    """
    model = _REGISTRY.known(name, tokenizer, api_key)
    if model is not None:
        return model
    with st.spinner(_("Loading the model …")):
        return _REGISTRY.model(name, tokenizer, api_key)


def connect(address: str, tokenizer: str, api_key: str | None = None) -> LanguageModel:
    """Connect to a server and return its model. Asks the server which model it runs and whether it accepts the key. Raises ModelError."""
    with st.spinner(_("Loading the model …")):
        return _REGISTRY.connect(address, tokenizer, api_key)


def ensure_model_loaded(model: LanguageModel) -> None:
    """Load the weights of an unloaded model again, with a spinner. Raises ModelError."""
    if model.unloaded:
        with st.spinner(_("Loading the model …")), model.engine.lock.acquire():
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
    """Free the memory of a model. Runs with it are kept; their next step loads it again."""
    _REGISTRY.unload(name)


def title(name: str) -> str:
    """Return the name of a model for sentences: its title if known, a hub id unchanged, else the last part of its path or address."""
    repository = name.partition("@")[0]
    titles = {entry.name: entry.title for entry in list_models()} | {offer.name: offer.title for offer in OFFERS}
    shown = titles.get(repository, name if name.count("/") == 1 and not name.startswith(("/", ".", "~")) else Path(name).name)
    return shown if shown in titles.values() else quoted(shown)[1:-1]
