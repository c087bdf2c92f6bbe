"""Process-wide model registry and downloads: what is loaded, and what is on its way from the hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core import list_models, load_model
from core.errors import quoted
from core.language import _
from core.models.hub import OFFERS, Download
from core.models.registry import Eviction, ModelRegistry
from pages.ui.server import preload

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

DOWNLOADS_AT_A_TIME = 2


@st.cache_resource
def _registry() -> ModelRegistry:
    return ModelRegistry(_load)


def _load(name: str, tokenizer: str | None = None, api_key: str | None = None) -> LanguageModel:
    model = preload.pop_model(name)
    if model is None:
        model = load_model(name, tokenizer=tokenizer, api_key=api_key)
        preload.freeze_objects()
    return model


def loaded(name: str, tokenizer: str | None = None, api_key: str | None = None) -> LanguageModel:
    """A model by name, loaded once per process; of a server, its address with its tokenizer and key. Raises a ModelError.

    One that was unloaded meanwhile comes without its weights; its next forward pass brings them back.
    """
    known = _registry().known(name, tokenizer, api_key)
    if known is not None:
        return known
    with st.spinner(_("Waking the model …")):
        return _registry().model(name, tokenizer, api_key)


def connect(address: str, tokenizer: str, api_key: str | None = None) -> LanguageModel:
    """The model of a server, asked anew which one it runs and whether it takes this key. Raises a ModelError."""
    with st.spinner(_("Waking the model …")):
        return _registry().connect(address, tokenizer, api_key)


def ensure_model_loaded(model: LanguageModel) -> None:
    """Have its weights here again, with a word to whoever waits for them. Raises ReloadFailed."""
    if model.engine.unloaded:
        with st.spinner(_("Waking the model …")), model.engine.lock.acquire():
            pass


def eviction(model: LanguageModel) -> Eviction:
    """How often this model was unloaded, and for whom."""
    return _registry().eviction(model)


def in_memory() -> dict[str, LanguageModel]:
    """The models in memory now, by name."""
    return _registry().in_memory()


def tokenizer_of_open_server(address: str) -> str | None:
    """The tokenizer of a server that is connected without a key, so that anybody may use the connection; None if there is none."""
    return _registry().tokenizer_of_open_server(address)


def unload(name: str) -> None:
    """Give back the memory of a model. Whoever has a run with it keeps the run; going on loads it again."""
    _registry().unload(name)


def title(name: str) -> str:
    """What a model is called in a sentence: a known one's title, a hub id as it is, of a folder or an address only the end."""
    repository = name.partition("@")[0]
    titles = {entry.name: entry.title for entry in list_models()} | {one.name: one.title for one in OFFERS}
    shown = titles.get(repository, name if name.count("/") == 1 and not name.startswith(("/", ".", "~")) else Path(name).name)
    return shown if shown in titles.values() else quoted(shown)[1:-1]


@st.cache_resource
def downloads() -> dict[str, Download]:
    """The downloads of this process, by the name they were asked for."""
    return {}


def download(name: str) -> Download:
    """Begin to download a model, or look at the download that is under way."""
    known = downloads().get(name)
    if known is None or (known.error is not None and not known.running):
        known = downloads()[name] = Download(name)
    return known


def busy() -> bool:
    """Whether as many downloads as may run at a time are running."""
    return sum(one.running for one in downloads().values()) >= DOWNLOADS_AT_A_TIME
