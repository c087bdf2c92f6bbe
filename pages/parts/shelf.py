"""The shelf of models that all visitors share: what is loaded, and what is on its way from the hub."""

from __future__ import annotations

import gc
from collections.abc import MutableMapping
from typing import TYPE_CHECKING

import streamlit as st

from core import load_model
from core.hub import Download
from pages.parts import early, words

if TYPE_CHECKING:
    from core.model import LanguageModel

ROOM = 3  # models held at a time; the one not used for longest gives way
DOWNLOADS_AT_A_TIME = 2


@st.cache_resource(max_entries=ROOM, show_spinner=words.WAKING)
def loaded(name: str, tokenizer: str | None = None, api_key: str | None = None) -> LanguageModel:
    """A model by name, loaded once per process; of a server, its address with its tokenizer and key. Raises a ModelError."""
    model = early.take(name)
    if model is None:
        model = load_model(name, tokenizer=tokenizer, api_key=api_key)
        gc.unfreeze()
        gc.collect()
        gc.freeze()  # a full collection takes 0.3 s with torch loaded, unless that is frozen
    _names()[name] = model
    return model


@st.cache_resource
def _names() -> MutableMapping[str, LanguageModel]:
    import weakref

    return weakref.WeakValueDictionary()


def held() -> dict[str, LanguageModel]:
    """The models in memory now, by name."""
    return dict(_names())


def unload(name: str) -> None:
    """Take a model off the shelf. Whoever still has a run with it keeps it until they begin another."""
    _names().pop(name, None)
    loaded.clear(name)
    gc.unfreeze()
    gc.collect()
    gc.freeze()


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
