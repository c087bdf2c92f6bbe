"""Preload of libraries and the first model while the first browser still loads its own part.

torch and transformers take seconds to import. `streamlit run` imports app.py before it listens, so they come in beside it, in one thread;
every visitor's script waits for it before it imports anything itself, since two threads in one circle of imports can meet half a module.
The first step needs no network of transformers' own (`core.models.early`): that code comes in once the first page has been drawn, or with
the second visitor. An app that is open to the world says that it is ready (`health`) when everything is there.
"""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Timer
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.parts.runtime import house

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

AFTER = 1.0  # seconds between a page that was drawn and the import of the rest, so that the browser gets its page first

# A chart of nothing, that says nothing to whoever hears the page.
EMPTY_CHART: dict[str, Any] = {
    "mark": {"type": "point", "opacity": 0},
    "data": {"values": [{}]},
    "width": 1,
    "height": 1,
    "padding": 0,
    "config": {"aria": False, "view": {"stroke": None}},
}

_begun: list[Future[dict[str, LanguageModel]]] = []
_early: list[weakref.ref[LanguageModel]] = []  # what is there without its network
_completing: list[Timer] = []


def begin() -> None:
    """Start once per process; returns at once."""
    if not _begun:
        _begun.append(ThreadPoolExecutor(1, "early").submit(_load))


def under_way() -> bool:
    """Whether it was begun and is not done yet."""
    return not all(begun.done() for begun in _begun)


def failed() -> bool:
    """Whether it is done and found nothing to write with. Not to be asked while it is under way."""
    return any(begun.exception() is not None for begun in _begun)


def wait() -> None:
    """Until it is done; at once if it was never begun (tests, another script)."""
    for begun in _begun:
        begun.exception()


def wait_in_the_page() -> None:
    """Until it is done, with a chart of nothing: so the browser reads the scripts that draw charts while it has nothing to do."""
    place = st.empty()
    place.vega_lite_chart(spec=EMPTY_CHART)
    wait()
    place.empty()


def take(name: str) -> LanguageModel | None:
    """The model of this name, once, if it was loaded ahead. What failed ahead is tried again, and says so, where it is needed."""
    wait()
    return None if not _begun or _begun[0].exception() else _begun[0].result().pop(name, None)


def complete() -> None:
    """Import what the first step did without, once per process, in the background; returns at once. By whoever has drawn a page."""
    if _early and not _completing:
        _completing.append(Timer(AFTER, settle))
        _completing[0].daemon = True
        _completing[0].start()


def settled() -> bool:
    """Whether all is imported."""
    return not _early


def settle() -> None:
    """Until all is imported. By whoever imports more than the first page does: see above on half a module."""
    from pages.parts.charts import late_altair

    late_altair.fetch()
    for early in list(_early):
        model = early()
        if model is not None:
            _ = model.network
    _early.clear()


def _load() -> dict[str, LanguageModel]:
    # What is imported stays. Looking for garbage in it over and over costs a quarter of the time, and half a second after it.
    gc.disable()
    try:
        import pandas  # noqa: F401 (here, so that it is there when a page is drawn)

        from core import list_models, load_model
        from core.models.early import load_early

        first = list_models()[0].name
        model = None if house.public() else load_early(first)
        if model is None:  # then all is here before anybody comes
            from pages.parts.charts import late_altair

            late_altair.fetch()
            return {first: load_model(first)}
        _early.append(weakref.ref(model))
        return {first: model}
    finally:
        gc.freeze()
        gc.enable()
